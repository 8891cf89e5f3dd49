import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { document, type SearchWorld } from './search-world.js';

/** Things that are together. */
export function togetherConformance(world: SearchWorld): void {
  const { archive, asked, find, newJob, numbers, write } = world;

  it('finds things together by a rare one among many, and by none that is rare', async () => {
    const workspaceId = randomUUID();
    const job = await newJob(workspaceId);
    const other = await newJob(workspaceId);
    const common = (at: number) => ({ what: 'car', at: 100 * at });
    await write(job, [
      ...Array.from({ length: 250 }, (_, at) => document(common(at), at)),
      document({ said: 'budget', at: 502 }, 250),
    ]);
    await write(
      other,
      Array.from({ length: 250 }, (_, at) => document({ said: 'good evening', at: 100 * at + 3 }, at)),
    );
    expect(await numbers(workspaceId, 'what:car said:budget', { together: 5 })).toEqual([5, 250].toSorted());
    expect(await numbers(workspaceId, 'said:budget what:car NOT evening', { together: 5 })).toEqual(
      [5, 250].toSorted(),
    );
    expect(await find(workspaceId, 'what:car said:evening', { together: 5 })).toEqual([]);
    expect(await find(workspaceId, 'car budget nothing', { together: 5, fuzzy: false })).toEqual([]);
    const more = Array.from({ length: 250 }, (_, at) => document({ said: 'evening', at: 100 * at + 4 }, 251 + at));
    await write(job, more);
    const { total } = await world.index.count(asked(workspaceId, 'what:car said:evening', { together: 5 }));
    expect(total).toBe(500);
  });

  it('finds things near each other in one source, together', async () => {
    const { workspaceId } = await archive(
      { who: 'Anna Weber', at: 10 },
      { what: 'car', at: 14 },
      { said: 'the budget', at: 16 },
      { who: 'Anna Weber', at: 60 },
      { what: 'car', at: 14, source: 1 },
      { said: 'budget', at: 61 },
    );
    const question = 'who:anna what:car said:budget';
    expect(await numbers(workspaceId, question)).toEqual([]);
    expect(await numbers(workspaceId, question, { together: 10 })).toEqual([0, 1, 2]);
    expect(await numbers(workspaceId, question, { together: 3 })).toEqual([1]);
    expect(await numbers(workspaceId, 'who:anna NOT what:car', { together: 10 })).toEqual([3]);
    expect(await numbers(workspaceId, 'who:ann what:car', { together: 10 })).toEqual([]);
    expect(await numbers(workspaceId, 'who:webe what:car', { together: 10 })).toEqual(world.isFuzzy ? [0, 1] : []);
  });

  it('finds what is beside long and short results, both ways, and nothing further away', async () => {
    const { workspaceId } = await archive(
      { what: 'car', at: 0, lasts: 7_200 },
      { said: 'budget', at: 3_000 },
      { who: 'Anna', at: 4_000, lasts: 30 },
      { said: 'budget', at: 4_035 },
      { said: 'budget', at: 9_000 },
      { what: 'truck', at: 8_000, lasts: 600 },
      { written: 'Anna', at: 8_605 },
    );
    expect(await numbers(workspaceId, 'what:car said:budget', { together: 1 })).toEqual([0, 1, 3]);
    expect(await numbers(workspaceId, 'who:anna said:budget', { together: 5 })).toEqual([2, 3]);
    expect(await numbers(workspaceId, 'who:anna said:budget', { together: 4 })).toEqual([]);
    expect(await numbers(workspaceId, 'written:anna what:truck', { together: 5 })).toEqual([5, 6]);
    expect(await numbers(workspaceId, 'written:anna what:truck', { together: 4 })).toEqual([]);
    expect(await numbers(workspaceId, 'said:budget NOT what:car', { together: 1_799 })).toEqual([4]);
    expect(await numbers(workspaceId, 'said:budget NOT what:car', { together: 1_801 })).toEqual([]);
  });
}
