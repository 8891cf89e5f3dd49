import { beforeAll, describe, expect, it } from '@jest/globals';
import { frameSpecName, type FrameInterval, type FrameSpec, type VideoFacts } from '@adit/contracts';
import { playedNumbers, readNumber, rgbLuminance } from '@adit/testing';
import {
  decodeInterval,
  openFramePackBuffer,
  planGrid,
  planRange,
  probeMedia,
  sampleFrames,
  type FrameIndex,
} from '../index.js';

/** A film of `numberedFilm`, longer than one chunk. */
export interface ExactFilm {
  make: () => Promise<string>;
  facts: Partial<VideoFacts>;
  turned?: 0 | 90 | 180 | 270;
}

/** Compares the frames of each film, chunk by chunk, with what a plain decode of the whole film shows. */
export function expectExactFilms(films: Record<string, ExactFilm>): void {
  describe.each(Object.entries(films))('%s', (_name, row) => {
    let path: string;
    let facts: VideoFacts;
    let index: FrameIndex;
    let truth: number[];
    let grid: FrameInterval[];

    beforeAll(async () => {
      path = await row.make();
      const probed = await probeMedia(path);
      facts = probed.facts as VideoFacts;
      index = probed.index as FrameIndex;
      truth = await playedNumbers(path, facts.stream, row.turned);
      grid = planGrid(index);
    }, 600_000);

    /** Frame numbers that the packs claim, and those that their pictures show. */
    async function decoded(interval: FrameInterval, specs: FrameSpec[]): Promise<[number[], number[]]> {
      const packs = await decodeInterval({ path, facts, index, interval, specs });
      const claimed: number[] = [];
      const shown: number[] = [];
      for (const spec of specs) {
        const pack = await openFramePackBuffer(packs.get(frameSpecName(spec)) as Buffer);
        for (const [i, frame] of pack.frames.entries()) {
          const picture = await pack.picture(i);
          expect([picture.width, picture.height]).toEqual([frame.width, frame.height]);
          claimed.push(truth[frame.frame] as number);
          shown.push(readNumber(rgbLuminance(picture), row.turned));
        }
        expect(pack.frames.map((frame) => frame.frame)).toEqual(
          sampleFrames(index, interval, spec.rate).map((sample) => sample.frame),
        );
      }
      return [claimed, shown];
    }

    it('is probed with its true facts', () => {
      expect(facts).toMatchObject(row.facts);
      expect(facts.totalFrames).toBe(truth.length);
      expect(truth.slice(1).every((number, i) => number > (truth[i] as number))).toBe(true);
    });

    it('yields the frames it claims, chunk by chunk', async () => {
      expect(grid.length).toBeGreaterThan(1);
      for (const interval of grid) {
        const [claimed, shown] = await decoded(interval, [
          { rate: 1, shorterSide: 64 },
          { rate: 2, shorterSide: 'native' },
        ]);
        expect(shown).toEqual(claimed);
      }
    });

    it('yields every frame around the borders of chunks', async () => {
      const border = (grid[1] as FrameInterval).frameStart;
      for (const [frame_start, frame_end] of [
        [border - 4, border + 4],
        [border + 7, border + 9],
      ] as const) {
        for (const interval of planRange(grid, index, { frame_start, frame_end })) {
          const [claimed, shown] = await decoded(interval, [{ rate: 1000, shorterSide: 'native' }]);
          expect(shown).toEqual(claimed);
          expect(shown).toHaveLength(interval.frameEnd - interval.frameStart);
        }
      }
    });
  });
}
