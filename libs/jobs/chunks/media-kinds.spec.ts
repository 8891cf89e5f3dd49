import { describe, expect, it } from '@jest/globals';
import { inputsOf, lackOf, refusalByAll, refusalOf, takesMedia } from './media-kinds.js';

const faces = { postedAs: 'faces', media: ['image', 'video'] as const };
const speech = { postedAs: 'speech', media: ['audio', 'video'] as const };
const old = { postedAs: 'old', media: null };

describe('media kinds of a module', () => {
  it('are those that it names, with pages of documents for images, and images and films where it names none', () => {
    const takes = (module: Parameters<typeof takesMedia>[0]) =>
      (['image', 'video', 'audio', 'pdf'] as const).map((kind) => takesMedia(module, kind));
    expect(takes(faces)).toEqual([true, true, false, true]);
    expect(takes(speech)).toEqual([false, true, true, false]);
    expect(takes(old)).toEqual([true, true, false, true]);
  });

  it('are named where others are refused, by module where there are several', () => {
    expect(refusalOf(faces, 'audio')).toBe('takes images and video, not audio');
    expect(refusalOf(old, 'audio')).toBe('takes images and video, not audio');
    expect(refusalOf(speech, 'pdf')).toBe('takes audio and video, not PDF documents');
    expect(refusalByAll([faces, speech, old], 'audio')).toBe(
      'faces takes images and video, not audio; old takes images and video, not audio',
    );
    expect(refusalByAll([faces, speech], 'video')).toBe('');
  });

  it('have frames or audio that its analyses read', () => {
    const kinds = new Map([['a', 'frames'] as const, ['b', 'audio'] as const]);
    expect(inputsOf({ analyses: { one: 'a', two: 'b', three: 'unknown' } }, kinds)).toEqual(
      new Set(['frames', 'audio']),
    );
    expect(lackOf(new Set(['frames'] as const))).toBe('needs pictures, and the source has none');
    expect(lackOf(new Set(['audio'] as const))).toBe('needs sound, and the source has none');
    expect(lackOf(new Set(['audio', 'frames'] as const))).toBe('needs pictures or sound, and the source has none');
  });
});
