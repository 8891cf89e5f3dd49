import { describe, expect, it } from '@jest/globals';
import type { MediaFacts } from '@adit/contracts';
import { filmFacts } from '@adit/testing';
import fc from 'fast-check';
import type { FoldInput } from './module.js';
import { NO_PORTRAIT } from './portrait.js';
import { appearance } from './intervals.js';
import type { Interval } from './intervals.js';
import { segmentOfInterval, IntervalFold } from './interval-fold.js';
import type { SampledDetections, IntervalSource, IntervalState } from './interval-fold.js';

/** Words of each sample, two a second at 24 frames per second, each with a mark. */
class WordFold extends IntervalFold<number> {
  protected detect({ observations }: FoldInput): SampledDetections<number, IntervalState<number>> {
    const samples = observations['words'] as { frame: number; time: number; words: string[] }[];
    const of = new Map(samples.map(({ frame, words }) => [frame, words]));
    return {
      sampled: samples,
      detectionsAt: (at, frame) => of.get(frame)!.map((word) => appearance(word, at, [[at.frame, 1]], 1)),
    };
  }
  protected merge(earlier: number, later: number, sameSample: boolean): number {
    return sameSample ? earlier : earlier + later;
  }
  protected segmentOf(interval: Interval<number>, source: IntervalSource) {
    if (interval.key === 'secret') return null;
    return segmentOfInterval(interval, source, {
      ...{ type: 'word', label: interval.key, confidence: 1, portrait: NO_PORTRAIT },
      meta: { samples: interval.extra, image: source.image },
      detections: interval.marks.kept.map(([frame]) => ({ frame_index: frame, type: 'word', data: {} })),
    });
  }
}

const fold = new WordFold();
const CONTEXT = { sourceIndex: 2, facts: filmFacts() };
const inputOf = (facts: MediaFacts, words: string[][], from = 0, sourceIndex = 2): FoldInput => ({
  unit: { sourceIndex, mediaDigest: '', facts, kind: 'image' },
  observations: { words: words.map((said, i) => ({ frame: (from + i) * 12, time: (from + i) / 2, words: said })) },
});

function folded(words: string[][], size: number) {
  let state = fold.start(CONTEXT);
  const segments = [];
  for (let from = 0; from < words.length; from += size) {
    const before = JSON.stringify(state);
    const step = fold.fold(state, inputOf(CONTEXT.facts, words.slice(from, from + size), from));
    expect(JSON.stringify(state)).toBe(before);
    segments.push(...step.segments);
    state = JSON.parse(JSON.stringify(step.state)) as typeof state;
  }
  return [...segments, ...fold.close(state).segments];
}

describe('a fold of intervals', () => {
  it('gives start and end of each thing, once per sample however often it occurs, without omitted ones', () => {
    const words = Array.from({ length: 20 }, (_, i) => [
      ...(i >= 2 && i <= 5 ? ['dog', 'dog'] : []),
      ...(i === 5 || i === 15 ? ['cat'] : []),
      'secret',
    ]);
    const brief = folded(words, 20).map(({ label, sourceIndex, timeStart, timeEnd, frameEnd, meta, detections }) => [
      ...[label, sourceIndex, timeStart, timeEnd, frameEnd],
      ...[meta['samples'], detections.length],
    ]);
    expect(brief).toEqual([
      ['dog', 2, 1, 2.5, 60, 4, 8],
      ['cat', 2, 2.5, 2.5, 60, 1, 1],
      ['cat', 2, 7.5, 7.5, 180, 1, 1],
    ]);
  });

  it('splits a thing at a hole in the clock, within a unit and between two', () => {
    for (const size of [3, 6]) {
      let state = fold.start(CONTEXT);
      const segments = [];
      for (let from = 0; from < 6; from += size) {
        const input = inputOf(CONTEXT.facts, Array<string[]>(size).fill(['dog']), from);
        const words = input.observations['words'] as { frame: number; time: number }[];
        for (const sample of words) sample.time += sample.frame >= 36 ? 20 : 0;
        const step = fold.fold(state, input);
        segments.push(...step.segments);
        state = step.state;
      }
      segments.push(...fold.close(state).segments);
      expect(segments.map(({ timeStart, timeEnd, frameEnd }) => [timeStart, timeEnd, frameEnd])).toEqual([
        [0, 1, 24],
        [21.5, 22.5, 60],
      ]);
    }
  });

  it('gives each picture by itself, under its index in the job', () => {
    const facts: MediaFacts = { kind: 'image', format: 'jpeg', width: 10, height: 10 };
    const state = fold.start({ sourceIndex: null, facts });
    const step = fold.fold(state, inputOf(facts, [['dog', 'cat', 'dog']], 0, 7));
    expect(step.state).toEqual(state);
    expect(
      step.segments.map(({ label, frameStart, meta, detections }) => [label, frameStart, meta, detections]),
    ).toEqual(
      ['cat', 'dog'].map((label) => [
        label,
        7,
        { samples: 1, image: true },
        Array.from({ length: label === 'dog' ? 2 : 1 }, () => ({ frame_index: 7, type: 'word', data: {} })),
      ]),
    );
  });

  it('gives the same wherever the film is cut', () => {
    const words = fc.array(fc.uniqueArray(fc.constantFrom('dog', 'cat', 'cow')), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 9 }), (all, size) => {
        expect(folded(all, size)).toEqual(folded(all, all.length));
      }),
    );
  });
});
