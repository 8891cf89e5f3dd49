import { describe, expect, it } from '@jest/globals';
import { foldOf } from './fold.mjs';

const FACTS = { kind: 'video', fps: { num: 25, den: 1 }, timeBase: { num: 1, den: 25 }, startPts: 0 };
const looked = (frameStart: number, frameEnd: number) => ({
  ...{ facts: FACTS, observations: { sampled: [], tracks: [] } },
  extent: { kind: 'video', interval: { frameStart, frameEnd, ptsStart: frameStart, ptsEnd: frameEnd } },
});

describe('units that are evaluated', () => {
  it('are those that a job folds, with where they end: their last sample stands until then', () => {
    const seen: object[] = [];
    const recorder = {
      start: () => null,
      fold: (_: null, { unit, observations }: { unit: object; observations: object }) => {
        seen.push({ unit, observations });
        return { state: null, segments: [seen.length] };
      },
      close: () => ({ segments: ['end'], summaries: [] }),
    };
    const units = [looked(0, 125), { ...looked(125, 250), beside: { objects: { sampled: [] } } }];
    expect(foldOf(recorder, 'faces', units)).toEqual({ segments: [1, 2, 'end'], summaries: [] });
    expect(seen).toMatchObject([
      { unit: { kind: 'video', facts: FACTS, interval: { frameStart: 0, ptsEnd: 125 } } },
      { unit: { kind: 'video', interval: { ptsEnd: 250 } }, observations: { faces: {}, objects: {} } },
    ]);
  });
});
