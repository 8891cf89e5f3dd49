/** @needs ffmpeg */
import { AditError, type ErrorCode } from '@adit/contracts';
import { ChunkAnalysisEntity, ChunkEntity } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { faces, JobsUnderTest } from './testing/jobs-under-test.js';
import { claimAttempt, requeue, runAttempt, leasedAnalysis, leasedChunk } from '@adit/leases';

describe('an attempt', () => {
  let jobs: JobsUnderTest;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  /** Inserts a chunk that waits to be decoded, and reads its row. */
  const requested = async (digest: string) => {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, digest.repeat(64));
    await jobs.settled();
    const [chunk] = await jobs.db.manager.findBy(ChunkEntity, { jobId, state: 'requested' });
    const row = () => jobs.db.manager.findOneByOrFail(ChunkEntity, { id: chunk!.id });
    const begin = async (leaseSeconds = 60, signal = new AbortController().signal) => {
      const work = leasedChunk(chunk!.id);
      const claim = (await claimAttempt(jobs.db, work, leaseSeconds))!;
      return { db: jobs.db, settings: { leaseSeconds, maxAttempts: 3 }, work, ...claim, signal };
    };
    return { jobId, row, begin };
  };
  /** Expires the lease of the attempt. */
  const diedUnseen = (jobId: string) =>
    jobs.db.query(`UPDATE chunks SET running_until = now() - interval '1 s' WHERE job_id = $1`, [jobId]);
  const fails = (code: ErrorCode) => () => Promise.reject(new AditError(code, 'it did not work'));
  const given: string[] = [];
  const giveUp = async (problem: AditError) => void given.push(problem.message);
  beforeEach(() => void given.splice(0));

  it('is not counted as failed when a dependency is unavailable, and is dispatched again a little later', async () => {
    const { row, begin } = await requested('1');
    let before = 0;
    for (let round = 0; round < 5; round++) {
      before = Date.now();
      await runAttempt(await begin(), fails('UNAVAILABLE'), giveUp);
    }
    const { attempts, leaseUntil, state } = await row();
    expect({ attempts, state, given }).toEqual({ attempts: 0, state: 'requested', given: [] });
    expect(leaseUntil!.getTime() - before).toBeGreaterThan(1_000);
    expect(leaseUntil!.getTime() - Date.now()).toBeLessThan(10_000);
  });

  it('throws a transient error until the attempts are used up, then gives up with the reason', async () => {
    const { jobId, row, begin } = await requested('2');
    await expect(runAttempt(await begin(), fails('LIMIT_EXCEEDED'), giveUp)).rejects.toThrow('it did not work');
    await expect(runAttempt(await begin(), fails('LIMIT_EXCEEDED'), giveUp)).rejects.toThrow('it did not work');
    expect(given).toEqual([]);
    // Poison ends as a dead letter: an error that the bus does not retry.
    await expect(runAttempt(await begin(), fails('LIMIT_EXCEEDED'), giveUp)).rejects.toMatchObject({
      retryable: false,
      message: 'decoding was given up after 3 attempts: it did not work',
    });
    expect(given).toEqual(['it did not work']);
    let ran = false;
    await diedUnseen(jobId);
    const tooMany = runAttempt(await begin(), async () => void (ran = true), giveUp);
    await expect(tooMany).rejects.toMatchObject({
      retryable: false,
      message: 'decoding was given up after 3 attempts',
    });
    expect({ ran, last: given.at(-1), attempts: (await row()).attempts }).toEqual({
      ran: false,
      last: 'decoding was given up after 3 attempts',
      attempts: 4,
    });
  });

  it('gives up at once on a permanent error', async () => {
    const { begin } = await requested('3');
    await runAttempt(await begin(), fails('MEDIA_INVALID'), giveUp);
    expect(given).toEqual(['it did not work']);
  });

  it('is handed back by an orderly shutdown', async () => {
    const { row, begin } = await requested('4');
    const shutdown = new AbortController();
    const ending = runAttempt(
      await begin(60, shutdown.signal),
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      giveUp,
    );
    shutdown.abort(new Error('closing'));
    await expect(ending).rejects.toThrow('closing');
    const { attempts, leaseUntil } = await row();
    expect(attempts).toBe(0);
    expect(leaseUntil!.getTime()).toBeLessThanOrEqual(Date.now() + 100);
    expect(given).toEqual([]);
  });

  it('keeps its lease alive for as long as it runs', async () => {
    const { row, begin } = await requested('5');
    const until = new Set<number>();
    const began = performance.now();
    await runAttempt(
      await begin(0.6),
      async () => {
        // The attempt runs longer than one lease, until the lease is renewed.
        while (until.size < 4 || performance.now() - began < 2_000) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          until.add((await row()).leaseUntil!.getTime());
          await jobs.reconciler.run();
        }
      },
      giveUp,
    );
    expect((await row()).attempts).toBe(1);
  });

  it.each([
    { why: 'another process begins the next one', digest: '6', stopsJob: false, attempts: 2 },
    { why: 'its job is stopped', digest: '7', stopsJob: true, attempts: 1 },
  ])('stops when $why, and neither fails nor hands back anything', async ({ digest, stopsJob, attempts }) => {
    const { jobId, row, begin } = await requested(digest);
    const first = await begin(0.3);
    const ending = runAttempt(
      first,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      giveUp,
    );
    if (stopsJob) await jobs.commands.stop(jobs.workspaceId, jobId);
    else {
      // Its heartbeat may come just before the next attempt would begin.
      do await diedUnseen(jobId);
      while ((await claimAttempt(jobs.db, first.work, 60)) === null);
    }
    await ending;
    expect(given).toEqual([]);
    expect((await row()).attempts).toBe(attempts);
  });

  it('writes the progress of an analysis while it runs, and begins anew with the next attempt; a short one writes nothing', async () => {
    const { jobId, row } = await requested('9');
    const asked = { chunkId: (await row()).id, digest: faces.digest };
    await jobs.db.manager.update(ChunkAnalysisEntity, asked, { state: 'requested' });
    const work = leasedAnalysis(asked.chunkId, asked.digest);
    const progress = async () => (await jobs.db.manager.findOneByOrFail(ChunkAnalysisEntity, asked)).progress;
    const claim = (await claimAttempt(jobs.db, work, 60))!;
    const statements: string[] = [];
    const query = (sql: string, parameters: unknown[]) => {
      statements.push(sql);
      return jobs.db.query(sql, parameters);
    };
    const db = { query } as unknown as typeof jobs.db;
    const signal = new AbortController().signal;
    let done = 0.25;
    const running = {
      db,
      settings: { leaseSeconds: 60, maxAttempts: 3 },
      work,
      ...claim,
      signal,
      progress: () => done,
    };
    await runAttempt(running, async () => undefined, giveUp);
    expect({ statements, progress: await progress() }).toEqual({ statements: [], progress: 0 });
    const until = async (wanted: number) => {
      while ((await progress()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await runAttempt(
      running,
      async () => {
        await until(0.25);
        done = 0.75;
        await until(0.75);
      },
      giveUp,
    );
    expect(statements).toHaveLength(2);
    await jobs.db.query(`UPDATE chunk_analyses SET running_until = NULL WHERE job_id = $1`, [jobId]);
    expect(await claimAttempt(jobs.db, work, 60)).toEqual({ attempt: claim.attempt + 1, token: claim.token + 1 });
    expect(await progress()).toBe(0);
    await jobs.db.manager.update(ChunkAnalysisEntity, asked, { state: 'done' });
  });

  /** @hardening jobs: Two attempts work on one thing */
  it('does not begin beside a live one: a duplicate message is dropped', async () => {
    const { jobId, row, begin } = await requested('8');
    const { work } = await begin();
    expect(await claimAttempt(jobs.db, work, 60)).toBeNull();
    const message = { topic: 'chunks.requested', key: 'k', jobId, payload: { chunkId: (await row()).id } } as const;
    const asked = jobs.bus.of('chunks.requested', jobId).length;
    await requeue(jobs.outbox, work, 1, { message, settings: { leaseSeconds: 60 } });
    await jobs.settled();
    expect(jobs.bus.of('chunks.requested', jobId)).toHaveLength(asked);
    await diedUnseen(jobId);
    expect(await claimAttempt(jobs.db, work, 60)).toMatchObject({ attempt: 2 });
    // The chunk is dispatched again: it may have to be decoded once more.
    await jobs.db.manager.update(ChunkEntity, { jobId, state: 'requested' }, { state: 'planned' });
    await jobs.settled();
    expect(await claimAttempt(jobs.db, work, 60)).toMatchObject({ attempt: 3 });
  });

  it('gives up nothing that another attempt has begun meanwhile', async () => {
    const { jobId, begin } = await requested('b');
    const mine: boolean[] = [];
    const ask = async (_problem: AditError, isOurs: (manager: EntityManager) => Promise<boolean>) =>
      void mine.push(await jobs.outbox.transaction(isOurs));
    await runAttempt(await begin(), fails('MEDIA_INVALID'), ask);
    await diedUnseen(jobId);
    const slow = await begin();
    await diedUnseen(jobId);
    await begin();
    await runAttempt(slow, fails('MEDIA_INVALID'), ask);
    expect(mine).toEqual([true, false]);
    // No dead letter is written when the last attempt is overtaken.
    await diedUnseen(jobId);
    const last = await begin();
    await diedUnseen(jobId);
    await begin();
    await runAttempt(last, fails('LIMIT_EXCEEDED'), ask);
    expect(mine).toEqual([true, false, false]);
  });

  describe('that ends while the next one runs', () => {
    const endsWithSignal = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    /** Claim of an older build, which knows no tokens. */
    const claimedByOlder = (jobId: string) =>
      jobs.db.query(
        `UPDATE chunks SET attempts = attempts + 1, lease_until = now() + interval '60 s', running_until = now() + interval '60 s'
          WHERE job_id = $1 AND state = 'requested'`,
        [jobId],
      );
    const retried = async (jobId: string) => {
      await jobs.commands.stop(jobs.workspaceId, jobId);
      await jobs.commands.retry(jobs.workspaceId, jobId);
      await jobs.settled();
    };

    it('has a fencing token of its own, although a retry counts anew', async () => {
      const { jobId, row, begin } = await requested('c');
      const stopped = await begin(0.3);
      await retried(jobId);
      const next = await begin();
      expect([stopped.attempt, next.attempt]).toEqual([1, 1]);
      expect(next.token).toBeGreaterThan(stopped.token);
      const mine: boolean[] = [];
      const ask = async (_problem: AditError, isOurs: (manager: EntityManager) => Promise<boolean>) =>
        void mine.push(await jobs.outbox.transaction(isOurs));
      await runAttempt(stopped, fails('MEDIA_INVALID'), ask);
      // It does not hand back, release or renew the other's lease.
      await runAttempt(stopped, fails('UNAVAILABLE'), giveUp);
      await expect(runAttempt(stopped, fails('LIMIT_EXCEEDED'), giveUp)).rejects.toThrow('it did not work');
      await runAttempt(stopped, endsWithSignal, giveUp);
      expect({ mine, given }).toEqual({ mine: [false], given: [] });
      const { attempts, runningUntil } = await row();
      expect(attempts).toBe(1);
      expect(runningUntil!.getTime()).toBeGreaterThan(Date.now() + 30_000);
      await runAttempt(next, fails('MEDIA_INVALID'), ask);
      expect(mine).toEqual([false, true]);
    });

    it('has it also after it was released without blame', async () => {
      const { begin } = await requested('d');
      const tokens: number[] = [];
      for (let round = 0; round < 3; round++) {
        const claimed = await begin();
        expect(claimed.attempt).toBe(1);
        tokens.push(claimed.token);
        await runAttempt(claimed, fails('UNAVAILABLE'), giveUp);
      }
      expect(new Set(tokens).size).toBe(3);
    });

    it.each([
      { when: 'its lease ran out', digest: 'e', retry: false },
      { when: 'the job was retried', digest: 'f', retry: true },
    ])('loses to an older build that began the next one when $when', async ({ digest, retry }) => {
      const { jobId, begin } = await requested(digest);
      const slow = await begin(0.3);
      if (retry) await retried(jobId);
      await claimedByOlder(jobId);
      await runAttempt(slow, endsWithSignal, giveUp);
      await runAttempt(slow, fails('MEDIA_INVALID'), async (_problem, isOurs) => {
        expect(await jobs.outbox.transaction(isOurs)).toBe(false);
      });
      expect(given).toEqual([]);
    });
  });

  it('is counted before the work, and never begins for a job that has ended', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, 'd'.repeat(64));
    await jobs.settled();
    const [chunk] = await jobs.db.manager.findBy(ChunkEntity, { jobId, state: 'requested' });
    expect(await claimAttempt(jobs.db, leasedChunk(chunk!.id), 60)).toMatchObject({ attempt: 1 });
    expect(await claimAttempt(jobs.db, leasedAnalysis(chunk!.id, faces.digest), 60)).toBeNull();
    await jobs.commands.stop(jobs.workspaceId, jobId);
    expect(await claimAttempt(jobs.db, leasedChunk(chunk!.id), 60)).toBeNull();
    await expect(jobs.commands.stop(jobs.workspaceId, jobId)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('of work decoded beside an analysis is not blamed when the process died', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, '9'.repeat(64));
    await jobs.settled();
    const [analysed, decoding] = await jobs.db.manager.findBy(ChunkEntity, { jobId, state: 'requested' });
    await claimAttempt(jobs.db, leasedChunk(decoding!.id), 60);
    const suspect = { chunkId: analysed!.id, digest: faces.digest };
    await jobs.db.manager.update(ChunkAnalysisEntity, suspect, { state: 'requested' });
    await claimAttempt(jobs.db, leasedAnalysis(analysed!.id, faces.digest), 60);
    await jobs.reconciler.recover();
    expect((await jobs.db.manager.findOneByOrFail(ChunkEntity, { id: decoding!.id })).attempts).toBe(0);
    expect((await jobs.db.manager.findOneByOrFail(ChunkAnalysisEntity, suspect)).attempts).toBe(1);
    await jobs.db.manager.update(ChunkAnalysisEntity, suspect, { state: 'done' });
    await claimAttempt(jobs.db, leasedChunk(decoding!.id), 60);
    await jobs.reconciler.recover();
    expect((await jobs.db.manager.findOneByOrFail(ChunkEntity, { id: decoding!.id })).attempts).toBe(1);
  });
});
