import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editDistance, editsWithin, similarityOf } from './edit-distance.js';
import { atOnce, inTimeSlices } from '@adit/runtime';
import type { Comparison } from './dictionary.js';
import { indexing } from './index-entries.js';
import { foldText } from './fold-text.js';
import { SimilarIndex } from './similar-index.js';

const indexEntries = (sources: readonly string[], how: Comparison) => atOnce(indexing(sources, how));

/** Reference: Levenshtein's definition, cell by cell. */
function distance(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i || j));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      table[i]![j] = Math.min(table[i - 1]![j - 1]! + cost, table[i - 1]![j]! + 1, table[i]![j - 1]! + 1);
    }
  }
  return table[a.length]![b.length]!;
}

/** Few letters, so that texts are often similar; one of them outside the basic plane. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '𝄞'), maxLength: 14 });
const threshold = fc.constantFrom(0, 0.2, 0.5, 0.6, 0.75, 0.8, 0.9, 1);

describe('folded text', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'STRASSE'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ﬁlm', 'Film'],
    ['Cafe\u0301', 'café'],
    ['  new\u00a0\tYork ', 'New York'],
  ])('of %j is %j', (a, b) => {
    expect(foldText(a)).toBe(foldText(b));
  });

  it('keeps different texts apart', () => {
    expect(foldText('Muller')).not.toBe(foldText('Müller'));
  });

  it('does not change when folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (any) => {
        expect(foldText(foldText(any))).toBe(foldText(any));
      }),
    );
  });
});

describe('the edit distance', () => {
  it('counts code points', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(editDistance(one, other)).toBe(distance(Array.from(one), Array.from(other)));
      }),
    );
    expect(editDistance('𝄞', 'a')).toBe(1);
  });

  it('permits as many edits as the similarity does', () => {
    fc.assert(
      fc.property(threshold, fc.nat(40), fc.nat(40), (least, a, b) => {
        const edits = editsWithin(least, a, b);
        expect(similarityOf(edits, a, b)).toBeGreaterThanOrEqual(least - 1e-6);
        if (a + b > 0) expect(similarityOf(edits + 1, a, b)).toBeLessThan(least);
      }),
    );
  });
});

describe('an index', () => {
  it('with fuzzy mode finds what a comparison with every entry finds', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), text, threshold, (entries, label, least) => {
        const folded = foldText(label);
        const points = Array.from(folded);
        let best: { place: number; similarity: number } | null = null;
        for (const [place, entry] of entries.map(foldText).entries()) {
          if (entry === '') continue;
          const other = Array.from(entry);
          const similarity = similarityOf(distance(points, other), points.length, other.length);
          if (similarity >= least - 1e-9 && (best === null || similarity > best.similarity))
            best = { place, similarity };
        }
        expect(indexEntries(entries, { mode: 'fuzzy', threshold: least }).find(folded)).toBe(best?.place ?? null);
      }),
      { numRuns: 500 },
    );
  });

  it('with fuzzy mode finds the same when its entries are too many to be cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), text, threshold, fc.nat(20), (entries, label, least, most) => {
        const places = new Map<string, number>();
        for (const [place, entry] of entries.map(foldText).entries()) {
          if (entry !== '' && !places.has(entry)) places.set(entry, place);
        }
        const found = (pieces?: number) => atOnce(SimilarIndex.over(places, least, 0, pieces)).find(foldText(label));
        expect(found(most)).toBe(found());
      }),
    );
  });

  it('with contains mode finds the longest entry within the label', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), text, (entries, label) => {
        const folded = foldText(label);
        const within = entries
          .map((entry, place) => ({ entry: foldText(entry), place }))
          .filter(({ entry }) => entry !== '' && folded.includes(entry))
          .sort((a, b) => b.entry.length - a.entry.length || a.place - b.place);
        const found = indexEntries(entries, { mode: 'contains', threshold: 0.8 }).find(folded);
        expect(found).toBe(within[0]?.place ?? null);
      }),
    );
  });

  it('with exact mode finds the entry in any case', () => {
    const index = indexEntries(['Straße', 'Weg'], { mode: 'exact', threshold: 0.8 });
    expect(index.find(foldText('STRASSE'))).toBe(0);
    expect(index.find(foldText('Strasen'))).toBeNull();
  });

  it('compares a misread name with few of 100,000 names, and is built in time slices', async () => {
    const syllables = [
      'an',
      'ber',
      'chi',
      'dor',
      'el',
      'fan',
      'gut',
      'hal',
      'in',
      'jor',
      'kal',
      'lu',
      'mer',
      'nov',
      'os',
    ];
    const { floor } = Math;
    const name = (n: number) =>
      [7, 11, 13, 17, 19].map((prime, at) => syllables[(n * prime + floor(n / 15 ** at)) % 15]).join('');
    const names = new Set<string>();
    for (let n = 0; names.size < 100_000; n += 1) names.add(`${name(n)} ${name(floor(n / 3) + 7)}${n % 10}`);
    const list = [...names];
    let tasks = 0;
    let over = false;
    const count = (): void => {
      tasks += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const index = (await inTimeSlices(indexing(list, { mode: 'fuzzy', threshold: 0.8 }))) as SimilarIndex;
    over = true;
    expect(tasks).toBeGreaterThanOrEqual(5);
    const before = index.compared;
    const wanted = list[4_321]!;
    const misread = `${wanted.slice(0, 3)}x${wanted.slice(4)}`;
    const place = index.find(misread);
    expect(editDistance(misread, list[place!]!)).toBe(1);
    expect(index.compared - before).toBeLessThan(list.length / 20);
  });
});
