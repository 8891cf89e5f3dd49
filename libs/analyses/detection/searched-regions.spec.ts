import { describe, expect, it } from '@jest/globals';
import type { PixelBox } from '@adit/inference';
import type { Blocks } from '../tracking/blocks.js';
import { SearchedRegions } from './searched-regions.js';

const left = { x: 0, y: 0, w: 16, h: 16 };
const right = { x: 16, y: 0, w: 16, h: 16 };

/** Blocks of a picture of 32 × 16 pixels, from the mean of its left half and that of its right one. */
const halves = (a: number, b: number): Blocks => ({
  columns: 4,
  rows: 2,
  means: Uint8Array.of(a, a, b, b, a, a, b, b),
});

interface Asked {
  people?: PixelBox[];
  kind?: 'whole' | 'tile';
  /** Halves in which something is found. */
  found?: PixelBox[];
}

/** Searches both halves of a picture; returns what was searched anew. */
async function searched(
  regions: SearchedRegions,
  blocks: Blocks,
  { people = [], kind = 'tile', found = [] }: Asked = {},
) {
  const search = regions.next(blocks, people);
  const anew: string[] = [];
  for (const [name, region] of Object.entries({ left, right })) {
    const boxes = found.includes(region) ? [{ ...region, score: 0.9 }] : [];
    const known = await search(region, kind, async () => {
      anew.push(name);
      return boxes;
    });
    expect(known).toEqual(boxes);
  }
  return anew;
}

describe('SearchedRegions', () => {
  it('searches everything once, and then what has changed', async () => {
    const regions = new SearchedRegions();
    expect(await searched(regions, halves(10, 20))).toEqual(['left', 'right']);
    expect(await searched(regions, halves(10, 20))).toEqual([]);
    expect(await searched(regions, halves(10, 90))).toEqual(['right']);
    expect(await searched(regions, halves(10, 20))).toEqual(['right']);
  });

  it('searches again where something was found, until nothing is', async () => {
    const regions = new SearchedRegions();
    expect(await searched(regions, halves(10, 20))).toEqual(['left', 'right']);
    expect(await searched(regions, halves(10, 90), { found: [right] })).toEqual(['right']);
    expect(await searched(regions, halves(10, 90), { found: [right] })).toEqual(['right']);
    expect(await searched(regions, halves(10, 90))).toEqual(['right']);
    expect(await searched(regions, halves(10, 90))).toEqual([]);
  });

  it('adds up slow changes', async () => {
    const regions = new SearchedRegions();
    const anew: string[][] = [];
    for (const mean of [10, 13, 16, 19, 22, 25]) anew.push(await searched(regions, halves(mean, 20)));
    expect(anew).toEqual([['left', 'right'], [], ['left'], [], ['left'], []]);
  });

  it('searches no tile because of people who move in it, but the whole', async () => {
    for (const [kind, anew] of [
      ['tile', []],
      ['whole', ['right']],
    ] as const) {
      const regions = new SearchedRegions();
      await searched(regions, halves(10, 20), { kind });
      expect(await searched(regions, halves(10, 90), { people: [right], kind })).toEqual(anew);
    }
  });
});
