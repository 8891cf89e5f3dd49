import { randomUUID } from 'node:crypto';
import { InProcessBus } from '@adit/bus';
import { AditError } from '@adit/contracts';
import { openDatabase, type Database } from '@adit/database';
import { OutboxRelay } from '@adit/outbox';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  attemptsOf,
  claimAttempt,
  claimWaitingAnalysis,
  leasedAnalysis,
  leasedChunk,
  leasedSource,
  leasedThumbnail,
  requeue,
  restartAttempts,
  runAttempt,
  type LeasedWork,
} from './attempts.js';
import { updateHeld } from './leased-rows.js';

const LEASE_SECONDS = 60;
const settings = { leaseSeconds: LEASE_SECONDS, maxAttempts: 3 };
const away = () => Promise.reject(new AditError('UNAVAILABLE', 'It is away.'));
const limit = () => Promise.reject(new AditError('LIMIT_EXCEEDED', 'It took too long.'));
const never = () => Promise.reject(new Error('It was given up.'));

describe('work requested by a message', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
  });
  afterAll(() => database?.close());

  const sql = (text: string, parameters: unknown[] = []) => database.dataSource.query(text, parameters);
  const workspace = randomUUID();

  async function job(): Promise<string> {
    const id = randomUUID();
    await sql(
      `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type)
       VALUES ($1, $2, 't', 'processing', 5, 4, 'video')`,
      [id, workspace],
    );
    return id;
  }

  async function chunk(): Promise<LeasedWork> {
    const id = randomUUID();
    await sql(
      `INSERT INTO chunks (id, job_id, position, source_start, source_end, state) VALUES ($1, $2, 0, 0, 1, 'requested')`,
      [id, await job()],
    );
    return leasedChunk(id);
  }

  async function analysis(): Promise<{ chunkId: string; work: LeasedWork }> {
    const chunkId = randomUUID();
    await sql(`INSERT INTO chunk_analyses (chunk_id, digest, job_id, state) VALUES ($1, 'd', $2, 'requested')`, [
      chunkId,
      await job(),
    ]);
    return { chunkId, work: leasedAnalysis(chunkId, 'd') };
  }

  const kinds: Record<LeasedWork['kind'], { ended: string; add: () => Promise<LeasedWork> }> = {
    source: {
      ended: `state = 'planned'`,
      add: async () => {
        const id = await job();
        await sql(`INSERT INTO job_sources (job_id, index, uri, state) VALUES ($1, 2, 'u', 'requested')`, [id]);
        return leasedSource(id, 2);
      },
    },
    chunk: { ended: `state = 'done'`, add: chunk },
    analysis: { ended: `state = 'done'`, add: async () => (await analysis()).work },
    thumbnail: {
      ended: `thumbnail = 'made'`,
      add: async () => {
        await sql(
          `INSERT INTO storage_entries (workspace_id, folder, name, is_folder, uploaded, thumbnail)
           VALUES ($1, '/', 'a', false, true, 'requested')`,
          [workspace],
        );
        const [{ id }] = await sql(`SELECT id FROM storage_entries WHERE workspace_id = $1`, [workspace]);
        return leasedThumbnail(id);
      },
    },
  };

  it.each(Object.entries(kinds))(
    '%s: is found by its key, counts its attempts, and is nobody’s when it has ended',
    async (kind, { ended, add }) => {
      const work = await add();
      expect(work.kind).toBe(kind);
      expect(await attemptsOf(database.dataSource, work)).toBe(0);
      const claim = await claimAttempt(database.dataSource, work, LEASE_SECONDS);
      expect(claim).toMatchObject({ attempt: 1 });
      // Nobody needs the number while an attempt is alive; that of a thumbnail knows no other's.
      expect(await attemptsOf(database.dataSource, work)).toBe(kind === 'thumbnail' ? 1 : null);
      const tried = { db: database.dataSource, settings, work, attempt: 1, token: 0, ...claim };
      const failing = runAttempt({ ...tried, signal: new AbortController().signal }, limit, never);
      await expect(failing).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
      expect(await updateHeld(database.dataSource, { ...work, attempt: 1, token: 0, ...claim }, ended)).toBe(true);
      expect(await claimAttempt(database.dataSource, work, LEASE_SECONDS)).toBeNull();
      expect(await attemptsOf(database.dataSource, work)).toBeNull();
    },
  );

  it('is named in the reason when it is given up', async () => {
    const reasons: string[] = [];
    for (const { add } of Object.values(kinds).slice(0, 3)) {
      const work = await add();
      const tried = {
        db: database.dataSource,
        settings,
        work,
        attempt: 4,
        token: 0,
        signal: new AbortController().signal,
      };
      await runAttempt(tried, never, async ({ message }) => void reasons.push(message)).catch(() => undefined);
    }
    expect(reasons.map((reason) => reason.split(' was given up')[0])).toEqual([
      'opening it',
      'decoding',
      'the analysis',
    ]);
  });

  it('is requeued behind all that waits, unless a process is at it or has begun another attempt', async () => {
    const bus = new InProcessBus();
    const published = jest.spyOn(bus, 'publish');
    const outbox = new OutboxRelay(database.dataSource, bus);
    const work = await chunk();
    const id = String(work.key['id']);
    const message = { topic: 'chunks.requested', key: 'k', jobId: randomUUID(), payload: { chunkId: id } } as const;
    const ask = async (begun: number) => {
      await requeue(outbox, work, begun, { message, settings });
      await outbox.idle();
      return published.mock.calls.splice(0).flatMap(([messages]) => messages.map(({ envelope }) => envelope.attempt));
    };
    await claimAttempt(database.dataSource, work, LEASE_SECONDS);
    expect(await ask(1)).toEqual([]);
    await sql(`UPDATE chunks SET running_until = now() WHERE id = $1`, [id]);
    expect(await ask(0)).toEqual([]);
    expect(await ask(1)).toEqual([2]);
    // Work in a queue does not count as lost before it can have been delivered.
    const [{ seconds }] = await sql(
      `SELECT extract(epoch FROM lease_until - now())::int AS seconds FROM chunks WHERE id = $1`,
      [id],
    );
    expect(seconds).toBeGreaterThan(LEASE_SECONDS * 9);
    await sql(`UPDATE chunks SET state = 'done' WHERE id = $1`, [id]);
    expect(await ask(1)).toEqual([]);
    await bus.close();
  });

  it('counts anew when it is restarted, and a process that still runs it has lost it', async () => {
    const work = await chunk();
    const claim = await claimAttempt(database.dataSource, work, LEASE_SECONDS);
    await sql(`UPDATE chunks SET ${restartAttempts('chunks')}, running_until = NULL WHERE id = $1`, [work.key['id']]);
    expect(await attemptsOf(database.dataSource, work)).toBe(0);
    const next = await claimAttempt(database.dataSource, work, LEASE_SECONDS);
    expect([claim, next]).toEqual([
      { attempt: 1, token: 1 },
      { attempt: 1, token: 3 },
    ]);
  });

  describe('while the database itself is unavailable', () => {
    /** Fails a statement for as long as `isAway` returns an error. */
    async function attempt(isAway: (statements: number) => Error | null) {
      const work = await chunk();
      const claim = await claimAttempt(database.dataSource, work, LEASE_SECONDS);
      let statements = 0;
      const query = (text: string, parameters: unknown[]) => {
        const error = isAway(++statements);
        return error === null ? sql(text, parameters) : Promise.reject(error);
      };
      const db = { query } as unknown as typeof database.dataSource;
      const closing = new AbortController();
      const tried = { db, settings, work, attempt: 1, token: 1, ...claim, signal: closing.signal };
      const left = async () => {
        const [row] = await sql(
          `SELECT attempts, extract(epoch FROM lease_until - now())::int AS seconds FROM chunks WHERE id = $1`,
          [work.key['id']],
        );
        return { attempts: row.attempts, isSoon: row.seconds < 30 };
      };
      return { tried, closing, left };
    }

    it('is released when the database answers again, and the message is left to the bus', async () => {
      const { tried, left } = await attempt((statements) =>
        statements === 1 ? new AditError('UNAVAILABLE', 'gone') : null,
      );
      await expect(runAttempt(tried, away, never)).rejects.toMatchObject({ message: 'It is away.' });
      expect(await left()).toEqual({ attempts: 0, isSoon: false });
    });

    it('is not waited for when the process ends', async () => {
      const { tried, closing, left } = await attempt((statements) => {
        if (statements === 2) closing.abort();
        return new AditError('UNAVAILABLE', 'gone');
      });
      await expect(runAttempt(tried, away, never)).rejects.toMatchObject({ message: 'It is away.' });
      expect(await left()).toEqual({ attempts: 1, isSoon: false });
    });

    it('throws transient errors on, but not a fault of the statement', async () => {
      const gone = await attempt(() => new AditError('UNAVAILABLE', 'gone'));
      await expect(runAttempt(gone.tried, limit, never)).rejects.toMatchObject({ message: 'It took too long.' });
      const broken = await attempt(() => new TypeError('a wrong statement'));
      await expect(runAttempt(broken.tried, limit, never)).rejects.toThrow('a wrong statement');
      await expect(runAttempt(broken.tried, away, never)).rejects.toThrow('a wrong statement');
    });
  });

  describe('analyses that wait', () => {
    const waiting = async (seconds: number, name = 'faces', also = ''): Promise<string> => {
      const { chunkId } = await analysis();
      await sql(
        `INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, models)
         SELECT job_id, digest, $2, 'face', '{}', '[]', '[]' FROM chunk_analyses WHERE chunk_id = $1`,
        [chunkId, name],
      );
      await sql(
        `UPDATE chunk_analyses SET lease_until = now() + make_interval(secs => $2) ${also} WHERE chunk_id = $1`,
        [chunkId, seconds],
      );
      return chunkId;
    };
    const claim = (analysis = 'faces', foreign: string[] = []) =>
      claimWaitingAnalysis(database.dataSource, { analysis, foreign }, LEASE_SECONDS);

    it('are claimed once each, those that have waited the longest first', async () => {
      const later = await waiting(20);
      const first = await waiting(10);
      expect(await claim()).toEqual({ chunkId: first, digest: 'd', attempt: 1, token: 1 });
      expect(await claimAttempt(database.dataSource, leasedAnalysis(first, 'd'), LEASE_SECONDS)).toBeNull();
      expect(await claim()).toMatchObject({ chunkId: later });
      expect(await claim()).toBeNull();
    });

    it.each([
      ['of another name', 'text', ''],
      ['after a failure', 'faces', ', attempts = 1'],
      ['begun and put off', 'faces', ', fencing_token = 1'],
      ['that run', 'faces', `, running_until = now() + interval '1 minute'`],
      ['that are done', 'faces', `, state = 'done'`],
    ])('but those %s are left to their messages', async (_which, name, also) => {
      await waiting(10, name, also);
      expect(await claim()).toBeNull();
    });

    it('but those of another build are left to it', async () => {
      await waiting(10);
      expect(await claim('faces', ['d'])).toBeNull();
      expect(await claim()).not.toBeNull();
    });

    it('but those of a job that is over are left', async () => {
      const chunkId = await waiting(10);
      await sql(
        `UPDATE jobs SET state = 'stopped' WHERE id = (SELECT job_id FROM chunk_analyses WHERE chunk_id = $1)`,
        [chunkId],
      );
      expect(await claim()).toBeNull();
    });
  });
});
