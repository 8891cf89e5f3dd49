import { describe, expect, it } from '@jest/globals';
import { explain, shortName } from './explain.js';

const film = '/films/news: late.mp4';
const modules = ['face_recognition', 'speech_recognition'];

describe('an error of a job', () => {
  it.each([
    [`${film}: The file ${film} cannot be found (ENOENT).`, 'source', film, 'adviceMissing'],
    [`${film}: ${film} leads outside the folders that may be mined.`, 'source', film, 'adviceRefused'],
    [`${film}: The video stream cannot be decoded: it shows no picture.`, 'source', film, 'adviceMedia'],
    [`https://example.org/a.mp4: example.org did not answer.`, 'source', 'https://example.org/a.mp4', 'adviceNetwork'],
    [`${film}: 10.0 s to 20.0 s could not be analysed (faces): out of memory`, 'part', film, 'advicePart'],
    ['speech_recognition: The model whisper-base is not installed.', 'module', 'speech_recognition', 'adviceModel'],
    ['Images, PDF documents and video are mixed; post one job for each kind.', 'job', '', 'adviceOther'],
  ] as const)('%s', (error, what, about, advice) => {
    const explained = explain(error, [film], modules);
    expect(explained).toMatchObject({ what, about, advice });
    expect(about === '' ? explained.reason : `${about}: ${explained.reason}`).toBe(error);
  });
});

it('a source is called by the last part of its path or address', () => {
  expect(shortName('/films/a b.mp4')).toBe('a b.mp4');
  expect(shortName('https://example.org/films/')).toBe('films');
  expect(shortName('')).toBe('');
});
