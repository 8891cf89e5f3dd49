/** @needs ffmpeg */
import type { IdentityClaim } from '@adit/module-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IdentityCache } from './identities.js';
import { JobsUnderTest } from '../testing/jobs-under-test.js';

const DIMENSIONS = 512;
const SAME = 1;

/** Pseudo-random numbers, the same in every run. */
function randomness(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
}

function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Leader clustering by its definition, one claim after the other. */
function clustered(embeddings: number[][]): number[] {
  const groups: { mean: number[]; members: number }[] = [];
  return embeddings.map((embedding) => {
    const distances = groups.map(({ mean }) => Math.hypot(...mean.map((value, at) => value - embedding[at]!)));
    const nearest = distances.indexOf(Math.min(...distances));
    if (nearest < 0 || distances[nearest]! > SAME) return groups.push({ mean: embedding, members: 1 });
    const group = groups[nearest]!;
    group.mean = unit(group.mean.map((value, at) => value * group.members + embedding[at]!));
    group.members += 1;
    return nearest + 1;
  });
}

describe('the groups of a job', () => {
  let jobs: JobsUnderTest;
  const claim = (embedding: number[]): IdentityClaim => ({ collection: 'unknowns', embedding, maxDistance: SAME });

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  async function assign(cache: IdentityCache, jobId: string, claims: IdentityClaim[]) {
    const statements: string[] = [];
    const [numbers, identities] = await jobs.outbox.transaction(async (manager) => {
      const query = manager.query.bind(manager);
      manager.query = ((sql: string, parameters: unknown[]) => {
        statements.push(sql);
        return query(sql, parameters);
      }) as typeof manager.query;
      const own = cache.of(manager, jobId);
      const given: number[] = [];
      for (const each of claims) given.push(await own.assign(each));
      await own.flush();
      return [given, own] as const;
    });
    identities.keep();
    return { numbers, statements };
  }

  it('are numbered from one in each collection; nearby claims share one', async () => {
    const { numbers } = await assign(new IdentityCache(), await jobs.submit(), [
      claim([1, 0]),
      claim([0, 1]),
      claim([0.98, 0.2]),
      { ...claim([0, 1]), collection: 'other' },
    ]);
    expect(numbers).toEqual([1, 2, 1, 1]);
  });

  it('equal those of one claim at a time, whichever processes assign them, also after a failure', async () => {
    const next = randomness(7);
    const people = Array.from({ length: 30 }, () => unit(Array.from({ length: DIMENSIONS }, next)));
    const embeddings = Array.from({ length: 200 }, (_, at) =>
      unit(people[(at * 7) % people.length]!.map((value) => value + next() * 0.05)),
    );
    const jobId = await jobs.submit();
    const caches = [new IdentityCache(), new IdentityCache()];
    const numbers: number[] = [];
    for (let at = 0; at < embeddings.length; at += 20) {
      const cache = caches[at % 60 === 0 ? 1 : 0]!;
      const part = embeddings.slice(at, at + 20).map(claim);
      const failed = jobs.outbox.transaction(async (manager) => {
        const own = cache.of(manager, jobId);
        await own.assign(claim(unit(Array.from({ length: DIMENSIONS }, next))));
        await own.flush();
        throw new Error('rolled back');
      });
      await expect(failed).rejects.toThrow('rolled back');
      numbers.push(...(await assign(cache, jobId, part)).numbers);
    }
    expect(numbers).toEqual(clustered(embeddings));
  });

  it('are different for two people in one picture; the nearer one gets the group', async () => {
    const jobId = await jobs.submit();
    const cache = new IdentityCache();
    await assign(cache, jobId, [claim([1, 0, 0])]);
    const near = unit([1, 0.1, 0]);
    const [numbers, identities] = await jobs.outbox.transaction(async (manager) => {
      const own = cache.of(manager, jobId);
      const given = await own.assignApart([claim(unit([1, 0.6, 0])), claim(near), claim(near)]);
      await own.flush();
      return [given, own] as const;
    });
    identities.keep();
    // The third is as near as the second, and comes behind it; the first and the third are not joined either.
    expect(numbers).toEqual([2, 1, 3]);
    expect((await assign(cache, jobId, [claim([1, 0, 0])])).numbers).toEqual([1]);
  });

  it('are not those shown beside the claim, but the next nearest', async () => {
    const jobId = await jobs.submit();
    const [given, identities] = await jobs.outbox.transaction(async (manager) => {
      const own = new IdentityCache().of(manager, jobId);
      const numbers = [await own.assign(claim([1, 0, 0])), await own.assign(claim(unit([0, 1, 0])))];
      const between = claim(unit([1, 0.9, 0]));
      numbers.push(await own.assign(between, new Set([1])), await own.assign(between, new Set([1, 2])));
      await own.flush();
      return [numbers, own] as const;
    });
    identities.keep();
    expect(given).toEqual([1, 2, 2, 3]);
  });

  /** @hardening scale: Telling people apart reads everybody again */
  it('take two statements a transaction, however many claims and identities, and are read once', async () => {
    const next = randomness(11);
    const jobId = await jobs.submit();
    const unknownFaces = Array.from({ length: 1_500 }, () => claim(unit(Array.from({ length: DIMENSIONS }, next))));
    const cache = new IdentityCache();
    expect((await assign(cache, jobId, unknownFaces)).numbers.at(-1)).toBe(1_500);
    const { numbers, statements } = await assign(cache, jobId, unknownFaces.slice(0, 40));
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(statements).toHaveLength(2);
    const { manager } = jobs.db;
    const table = cache.take(jobId, 'unknowns')!;
    const read: unknown[] = await manager.query(
      `WITH v AS (SELECT concat_ws('/', count(*), sum(members), max(xmin::text::bigint)) AS version
                    FROM identities WHERE job_id = $1) SELECT version FROM v`,
      [jobId],
    );
    expect(read).toEqual([{ version: table.version }]);
  });
});
