import { filmFacts } from '@adit/testing';
import type { OpenSegment, Segment } from '@adit/module-kit';
import { describe, expect, it } from '@jest/globals';
import { ANN, EVE, TEAM } from './testing/cast.js';
import { faceFold, observe, range, unit, type Actor } from './testing/scenes.js';

const LIVE = filmFacts({ live: true, totalFrames: 0, duration: 0, variableFrameRate: true });
const CONTEXT = { sourceIndex: 3, facts: LIVE };

/** Folds a stream second by second; what was open after each, and what became final. */
function follow(actors: Actor[], samples: number): { open: OpenSegment[][]; segments: Segment[] } {
  const fold = faceFold({}, TEAM);
  let state = fold.start(CONTEXT);
  const open: OpenSegment[][] = [];
  const segments: Segment[] = [];
  for (let from = 0; from < samples; from += 2) {
    const faces = observe(actors, from, from + 1, 2);
    const step = fold.fold(state, { unit: unit(LIVE), observations: { faces } });
    // States are stored between chunks.
    state = JSON.parse(JSON.stringify(step.state)) as typeof state;
    segments.push(...step.segments);
    open.push(fold.open(state));
  }
  segments.push(...fold.close(state, CONTEXT).segments);
  return { open, segments };
}

describe('faces of a live stream', () => {
  it('are open from their first second on, under the key of their segment', () => {
    const actors = [
      { person: ANN, samples: range(2, 11) },
      { person: EVE, samples: range(6, 20), x: 0.6 },
    ];
    const { open, segments } = follow(actors, 30);
    expect(open[0]).toEqual([]);
    expect(open[1]!.map(({ label, frameStart }) => [label, frameStart])).toEqual([['Ann', 25]]);
    expect(open[3]!.map(({ label }) => label).sort()).toEqual(['Ann', 'unknown']);
    const keys = new Set(open.flat().map(({ key }) => key));
    expect(segments.map(({ label }) => label).sort()).toEqual(['Ann', 'unknown']);
    expect(new Set(segments.map(({ key }) => key))).toEqual(keys);
  });

  it('that return within the gap go on with their segment', () => {
    const actors = [{ person: ANN, samples: [...range(0, 5), ...range(8, 15)] }];
    const { open, segments } = follow(actors, 30);
    expect(segments).toHaveLength(1);
    expect(new Set(open.flat().map(({ key }) => key))).toEqual(new Set([segments[0]!.key]));
  });

  it('have no key in a film', () => {
    const fold = faceFold({}, TEAM);
    const film = { ...CONTEXT, facts: filmFacts() };
    const faces = observe([{ person: ANN, samples: range(0, 5) }], 0, 6, 2);
    const { state } = fold.fold(fold.start(film), { unit: unit(film.facts), observations: { faces } });
    expect(fold.close(state, film).segments.map((segment) => 'key' in segment)).toEqual([false]);
  });
});
