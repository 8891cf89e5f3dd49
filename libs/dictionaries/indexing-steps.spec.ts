import { describe, expect, it } from '@jest/globals';
import { indexing } from './index-entries.js';

function stepsFor(sources: string[]): number {
  const steps = indexing(sources, { mode: 'exact', threshold: 0.8 });
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}

describe('building a dictionary index', () => {
  it('takes short steps, also for characters that fold to eighteen', () => {
    const ligatures = Array.from({ length: 40 }, (_, at) => `${'\ufdfa'.repeat(950)}${at}`);
    expect(stepsFor(ligatures)).toBe(ligatures.length);
    const names = Array.from({ length: 10_000 }, (_, at) => `the name of ${at}`);
    expect(stepsFor(names)).toBeLessThan(100);
  });
});
