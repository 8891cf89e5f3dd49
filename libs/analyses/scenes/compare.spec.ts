import { expect, it } from '@jest/globals';
import { compareScenes } from './compare.js';

const said = (...frames: Record<string, number>[]) => ({
  sampled: frames.map((scores, frame) => ({
    ...{ frame, time: frame },
    scenes: Object.entries(scores).map(([label, score]) => ({ label, score })),
  })),
  views: [],
});

it('the comparison of two classifiers matches labels that one is sure of and the other names at all', () => {
  const one = said({ beach: 0.9, street: 0.06 }, { beach: 0.9 }, { street: 0.3 });
  const other = said({ beach: 0.2, street: 0.5 }, { office: 0.4 }, {});
  const { pictures, labels, differences } = compareScenes(one, other);
  expect(pictures).toBe(3);
  expect(Object.fromEntries(labels)).toEqual({
    beach: { both: 1, stable: 1, candidate: 0 },
    street: { both: 1, stable: 0, candidate: 0 },
    office: { both: 0, stable: 0, candidate: 1 },
  });
  expect(differences.map(({ frame, difference, stable, candidate }) => [frame, difference, stable, candidate])).toEqual(
    [[1, 1.3, [{ label: 'beach', score: 0.9, box: null }], [{ label: 'office', score: 0.4, box: null }]]],
  );
});
