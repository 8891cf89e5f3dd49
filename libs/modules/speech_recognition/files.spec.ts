import { fileNameOf } from '@adit/contracts';
import { buffer } from 'node:stream/consumers';
import { unzip } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { SpeechArguments } from './args.js';
import { dumpedFiles } from './files.js';

interface Said {
  type?: string;
  text: string;
  start: number;
  end: number;
  language?: string;
}

/** Returns the files of sources with these results, by name. */
async function dumped(args: object, sources: Record<string, Said[]>): Promise<Map<string, Buffer>> {
  const found = Object.entries(sources);
  const files = new Map<string, Buffer>();
  const all = dumpedFiles(SpeechArguments.parse(args), {
    sources: found.map(([uri], index) => ({ index, uri, name: fileNameOf(uri) })),
    async *segments(index, wanted) {
      for (const { type = 'speech', text, start, end, language = 'en' } of found[index]![1]) {
        const meta = { text, language, speaker: null, confidence: 0.9, words_hidden: true, words: [] };
        if (type === wanted) yield await Promise.resolve({ timeStart: start, timeEnd: end, meta });
      }
    },
  });
  for await (const { filename, body } of all) files.set(filename, await buffer(body));
  return files;
}

const LONG = { text: 'And so, my fellow Americans, ask not what your country can do for you.', start: 0.3, end: 8 };

describe('the files of speech_recognition', () => {
  it('are absent unless requested', async () => {
    expect([...(await dumped({}, { 'storage://talk.mp4': [LONG] })).keys()]).toEqual([]);
  });

  it('are readable subtitles and documents, of speech and of its translation', async () => {
    const translation = { ...LONG, type: 'translation', text: 'Hello.' };
    const spoken = { ...LONG, language: 'de' };
    const files = await dumped({ dump_srt: true, dump_docx: true }, { '/media/My talk.mp4': [spoken, translation] });
    expect([...files.keys()]).toEqual([
      'My-talk.de.srt',
      'My-talk.de.docx',
      'My-talk.translation.en.srt',
      'My-talk.translation.en.docx',
    ]);
    const cues = String(files.get('My-talk.de.srt')).trim().split('\n\n');
    expect(cues.length).toBeGreaterThan(1);
    const milliseconds = (clock: string): number => {
      const [, h, m, s, ms] = /^(\d+):(\d+):(\d+),(\d+)$/.exec(clock)!.map(Number);
      return ((h! * 60 + m!) * 60 + s!) * 1000 + ms!;
    };
    for (const cue of cues) {
      const [, times, ...lines] = cue.split('\n');
      const [start, end] = times!.split(' --> ').map(milliseconds);
      expect(lines.length).toBeLessThanOrEqual(2);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(42);
      expect(end! - start!).toBeGreaterThanOrEqual(1_000);
      expect(end! - start!).toBeLessThanOrEqual(7_000);
      expect(lines.join(' ').length / ((end! - start!) / 1_000)).toBeLessThanOrEqual(17);
    }
    expect(cues.map((cue) => cue.split('\n').slice(2).join(' ')).join(' ')).toBe(LONG.text);
    const document = (await unzip(files.get('My-talk.de.docx')!)).get('word/document.xml');
    expect(String(document)).toContain(LONG.text);
  });

  it('underline the spoken word', async () => {
    const args = { dump_srt: true, underline_words_in_srt: true };
    const files = await dumped(args, { 'https://example.org/a/talk.mp3?token=x': [LONG] });
    expect(String(files.get('talk.en.srt'))).toContain('<u>Americans,</u>');
  });

  it('are empty where nobody speaks, and numbered with several sources', async () => {
    const files = await dumped({ dump_srt: true }, { '/a/talk.mp3': [], '/b/talk.mp3': [LONG], 'storage://..': [] });
    expect([...files].map(([name, body]) => [name, body.length > 0])).toEqual([
      ['1-talk.und.srt', false],
      ['2-talk.en.srt', true],
      ['3-source.und.srt', false],
    ]);
  });
});
