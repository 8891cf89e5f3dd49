import { filmFacts } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planMedia, type PlannableMedia } from './media-plan.js';

const AUDIO = [
  { startMs: 0, endMs: 24_000 },
  { startMs: 24_000, endMs: 30_000 },
];

function images(sources: number, imagesPerChunk: number): PlannableMedia {
  const facts = { kind: 'image' as const, format: 'jpeg' as const, width: 8, height: 8 };
  return { facts, film: null, audioGrid: null, sourceIndex: 0, sources, imagesPerChunk };
}

const placesOf = (media: PlannableMedia, range: Parameters<typeof planMedia>[2] = null) =>
  planMedia(media, 'frames', range).map(({ sourceStart, sourceEnd }) => [sourceStart, sourceEnd]);

describe('the plan of images', () => {
  it('has chunks by their count, over all sources of the job', () => {
    expect(placesOf(images(5, 2))).toEqual([
      [0, 2],
      [2, 4],
      [4, 5],
    ]);
  });

  it('has the chunks that the range touches, each whole, so that modules with other ranges share them', () => {
    expect(placesOf(images(10, 4), { frame_start: 5, frame_end: 5 })).toEqual([[4, 8]]);
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: 1, max: 9 }), fc.nat(250), fc.nat(250), (more, each, one, other) => {
        const media = images(more + 1, each);
        const [from, to] = [Math.min(one, other, more), Math.max(one, other)];
        const touched = placesOf(media).filter(([start = 0, end = 0]) => from < end && to >= start);
        expect(placesOf(media, { frame_start: from, frame_end: to })).toEqual(touched);
      }),
    );
  });

  it.each([{ frame_start: 3 }, { time_start: 0 }])('refuses a range without images: %o', (range) => {
    expect(() => placesOf(images(3, 2), range)).toThrow('does not lie within the images of the job');
  });

  it('has no chunks for analyses of sound', () => {
    expect(planMedia(images(3, 2), 'audio', null)).toEqual([]);
  });
});

describe('the plan of a source with sound alone', () => {
  const media = { ...images(9, 2), facts: filmFacts(), sourceIndex: 7, audioGrid: AUDIO };

  it('has the chunks of its sound, under its own index, and none of pictures', () => {
    expect(planMedia(media, 'audio', null)).toEqual(
      AUDIO.map((interval) => ({ sourceStart: 7, sourceEnd: 8, extent: { kind: 'audio', interval } })),
    );
    expect(planMedia(media, 'frames', null)).toEqual([]);
  });
});
