/** @needs ffmpeg */
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import {
  ArtifactEntity,
  BatchEntity,
  JobEntity,
  MediaEntity,
  ObjectRemovalEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from '@adit/database';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { In, IsNull, LessThan, Like, Not } from 'typeorm';
import { InstallationLease } from '@adit/leases';
import type { Sweeper } from './sweeper.js';
import { noteRemovals } from '@adit/object-removals';
import { JobsUnderTest } from '@adit/jobs/testing';
import { sweeperOf } from './testing/sweeper-of.js';

describe('the sweeper', () => {
  let jobs: JobsUnderTest;
  let sweeper: Sweeper;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    sweeper = sweeperOf(jobs);
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  /** @hardening privacy: A job outlives its time to live */
  it('deletes a job as soon as its ttl is over', async () => {
    const jobId = await jobs.submit();
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    const timeExpires = new Date(Date.now() + 60_000);
    await jobs.db.query('UPDATE jobs SET time_expires = $2 WHERE id = $1', [jobId, timeExpires]);
    const deleted = async () =>
      (await jobs.db.query('SELECT time_deleted FROM jobs WHERE id = $1', [jobId]))[0].time_deleted !== null;
    await sweeper.expireJobs(new Date(timeExpires.getTime() - 1));
    expect(await deleted()).toBe(false);
    await sweeper.expireJobs(timeExpires);
    expect(await deleted()).toBe(true);
  });

  /** @hardening scale: Jobs that an export needed are left when it fails or goes */
  it.each([
    ['completed', 1],
    ['failed', 1],
    ['gone', 1],
    ['waiting', 0],
    ['processing', 0],
  ])('deletes the jobs that look for an export which is %s: %i', async (state, deleted) => {
    const exportId = randomUUID();
    const jobId = (await jobs.commands.submit({ ...jobs.order(), exportId })).job.id;
    const client = await jobs.submit();
    await jobs.db.query(
      `INSERT INTO exports (id, workspace_id, strategy, config, state) SELECT $1, $2, 'segments_export', '{}', $3
        WHERE $3 <> 'gone'`,
      [exportId, jobs.workspaceId, state],
    );
    await sweeper.expireJobs();
    const where = { id: In([jobId, client]), timeDeleted: Not(IsNull()) };
    expect((await jobs.db.manager.findBy(JobEntity, where)).map(({ id }) => id)).toEqual(deleted === 1 ? [jobId] : []);
    await jobs.db.query('DELETE FROM exports');
  });

  it('removes requests a day after they were answered, or done without an answer', async () => {
    const now = new Date();
    const ago = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
    const rows: [key: string, status: number | null, done: Date | null, expires: Date][] = [
      ['answered', 200, ago(23), ago(-1)],
      ['long answered', 200, ago(25), ago(1)],
      ['begun', null, null, ago(1)],
      ['done', null, ago(23), ago(23)],
      ['long done', null, ago(25), ago(25)],
    ];
    for (const row of rows) {
      await jobs.db.query(
        `INSERT INTO idempotency_keys (workspace_id, key, request_digest, status, time_done, time_expires)
         VALUES ($1, $2, 'a', $3, $4, $5)`,
        [jobs.workspaceId, ...row],
      );
    }
    await sweeper.run(now);
    expect(await jobs.db.query('SELECT key FROM idempotency_keys ORDER BY key')).toEqual([
      { key: 'answered' },
      { key: 'done' },
    ]);
  });

  it('removes signs of life of killed processes after a day, and no other leases', async () => {
    const rows: [name: string, slots: number | null, hours: number][] = [
      ['due spec/gone', null, 25],
      ['due spec/just', null, 23],
      ['process/spec/gone', null, 25],
      ['process/spec/just', null, 23],
      ['spec turn', null, 25],
      ['worker/spec-gone', 2, 25],
      ['worker/spec-just', 2, 23],
    ];
    for (const row of rows) {
      await jobs.db.query(
        `INSERT INTO leases (name, slots, holder, lease_until)
         VALUES ($1, $2, gen_random_uuid(), now() - make_interval(hours => $3))`,
        row,
      );
    }
    await sweeper.run();
    expect(await jobs.db.query(`SELECT name FROM leases WHERE name LIKE '%spec%' ORDER BY name`)).toEqual([
      { name: 'due spec/just' },
      { name: 'process/spec/just' },
      { name: 'spec turn' },
      { name: 'worker/spec-just' },
    ]);
    await jobs.db.query(`DELETE FROM leases WHERE name LIKE '%spec%'`);
  });

  it('removes the recording of a live stream a week after its job has ended', async () => {
    const jobId = await jobs.submit();
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    await jobs.db.query('UPDATE jobs SET recorded = true WHERE id = $1', [jobId]);
    const objectKey = `jobs/${jobId}/recording/a.m4s`;
    await jobs.objects.put(objectKey, Buffer.from('a'));
    await jobs.db.query(
      `INSERT INTO recording_segments (job_id, seq, workspace_id, from_us, duration_us, time_start, bytes, discontinuity,
                                       breaks, header, object_key)
       VALUES ($1, 0, $2, 0, 4000000, now(), 1, false, 0, 'a', $3)`,
      [jobId, jobs.workspaceId, objectKey],
    );
    await jobs.db.query(`INSERT INTO recording_headers (job_id, digest, bytes) VALUES ($1, 'a', '')`, [jobId]);
    const left = async () =>
      (await jobs.db.query('SELECT 1 FROM recording_segments WHERE job_id = $1', [jobId])).length;
    const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
    await sweeper.run(inDays(6.9));
    expect([await left(), await jobs.objects.stat(objectKey)]).toEqual([1, expect.anything()]);
    await sweeper.run(inDays(7.1));
    expect([await left(), await jobs.objects.stat(objectKey)]).toEqual([0, null]);
  });

  it('deletes a job whose ttl is over within seconds, though nobody tells it', async () => {
    const jobId = await jobs.submit();
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    await jobs.db.query('UPDATE jobs SET time_expires = now() WHERE id = $1', [jobId]);
    const sweeper = sweeperOf(jobs);
    const began = performance.now();
    const isDeleted = async () =>
      (await jobs.db.query('SELECT 1 FROM jobs WHERE id = $1 AND time_deleted IS NULL', [jobId])).length === 0;
    try {
      sweeper.onApplicationBootstrap();
      while (!(await isDeleted())) await sleep(50);
    } finally {
      await sweeper.onApplicationShutdown();
    }
    // Its passes over all rules are a minute apart.
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  /** @hardening jobs: A job that is retried is deleted while it runs */
  it('skips a job that an older build retried, which runs past the expiry of its former life', async () => {
    const jobId = await jobs.submit();
    await jobs.db.query('UPDATE jobs SET time_expires = now() WHERE id = $1', [jobId]);
    const { commands } = jobs;
    const expire = commands.expire.bind(commands);
    const asked: string[] = [];
    commands.expire = (id, now) => {
      asked.push(id);
      return expire(id, now);
    };
    try {
      await sweeper.run(new Date(Date.now() + 60_000));
      await sweeper.expireJobs(new Date(Date.now() + 60_000));
    } finally {
      commands.expire = expire;
    }
    expect(asked).not.toContain(jobId);
  });

  describe('removing objects', () => {
    const MANY = 100;
    beforeEach(() => jobs.db.manager.clear(ObjectRemovalEntity));
    const noted = () =>
      noteRemovals(
        jobs.db.manager,
        Array.from({ length: MANY }, (_, at) => `artifacts/${at}`),
      );
    const left = () => jobs.db.manager.count(ObjectRemovalEntity);
    const later = () => new Date(Date.now() + 60_000);
    /** Sweeps while the object store deletes as `answer` says; returns the keys of its requests. */
    const sweptBy = async (sweeper: Sweeper, onDelete: (key: string) => Promise<void>): Promise<string[]> => {
      const remove = jobs.objects.delete.bind(jobs.objects);
      const asked: string[] = [];
      jobs.objects.delete = async (key) => {
        asked.push(key);
        await onDelete(key);
        return remove(key);
      };
      try {
        await sweeper.run(later());
      } finally {
        jobs.objects.delete = remove;
      }
      return asked;
    };

    it('ends soon when its process does, and leaves the rest to the next one', async () => {
      await noted();
      const ending = sweeperOf(jobs);
      const asked = await sweptBy(ending, async () => {
        // The sweeper ends with its run.
        void ending.onApplicationShutdown();
      });
      expect(asked.length).toBeLessThan(MANY / 2);
      expect(await left()).toBe(MANY - asked.length);
      await sweeper.run(later());
      expect(await left()).toBe(0);
    });

    it('ends with the first error of an unavailable object store', async () => {
      await noted();
      const away = () => Promise.reject(new AditError('UNAVAILABLE', 'The object store does not answer.'));
      expect((await sweptBy(sweeper, away)).length).toBeLessThan(MANY / 2);
      expect(await left()).toBe(MANY);
      await sweeper.run(new Date(Date.now() + 3_600_000));
      expect(await left()).toBe(0);
    });
  });

  it('leaves deleted batches to the next process when its own ends', async () => {
    const id = randomUUID();
    const { workspaceId } = jobs;
    await jobs.db.manager.insert(BatchEntity, { id, workspaceId, name: 'gone', timeDeleted: new Date(0) });
    const ended = sweeperOf(jobs);
    await ended.onApplicationShutdown();
    await ended.run();
    expect(await jobs.db.manager.countBy(BatchEntity, { id })).toBe(1);
    await sweeper.run();
    expect(await jobs.db.manager.countBy(BatchEntity, { id })).toBe(0);
  });

  it('removes deleted variants of transcripts, or leaves them to the next process when its own ends', async () => {
    const { manager } = jobs.db;
    const [id, transcriptId, jobId] = [randomUUID(), randomUUID(), randomUUID()];
    const variant = { transcriptId, jobId, name: 'de', latestVersion: 1, lastNumber: 1 };
    const kept = randomUUID();
    await manager.insert(TranscriptVariantEntity, [
      { ...variant, id, timeDeleted: new Date(0) },
      { ...variant, id: kept },
    ]);
    const version = { version: 1, jobId, paragraphs: 0, author: 'spec' };
    await manager.insert(
      TranscriptVersionEntity,
      [id, kept].map((variantId) => ({ ...version, variantId, id: randomUUID() })),
    );
    const left = async () => [
      await manager.countBy(TranscriptVariantEntity, { transcriptId }),
      await manager.countBy(TranscriptVersionEntity, { jobId }),
    ];
    const ended = sweeperOf(jobs);
    await ended.onApplicationShutdown();
    await ended.run();
    expect(await left()).toEqual([2, 2]);
    await sweeper.run();
    expect(await left()).toEqual([1, 1]);
    expect(await manager.countBy(TranscriptVariantEntity, { id: kept })).toBe(1);
  });

  /** @hardening jobs: A frame index or observations expire under running jobs */
  it('keeps the media of a film for as long as a job runs on it', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    const digest = 'a'.repeat(64);
    await jobs.openFilm(jobId, digest);
    const indexKey = `media/${jobs.workspaceId}/${digest}/frame-index`;
    await jobs.objects.put(indexKey, Buffer.from('an index'));
    const { workspaceId } = jobs;
    const expired = { workspaceId, digest, facts: filmFacts(), grid: [], indexKey, timeExpires: new Date(0) };
    await jobs.db.manager.insert(MediaEntity, expired);
    const left = async () => [
      await jobs.db.manager.countBy(MediaEntity, { workspaceId }),
      (await jobs.objects.stat(indexKey)) !== null,
    ];
    await sweeper.run();
    expect(await left()).toEqual([1, true]);
    await jobs.commands.stop(workspaceId, jobId);
    await sweeper.run();
    expect(await left()).toEqual([0, false]);
  });

  describe('removing artifacts', () => {
    const artifact = (objectKey: string) => ({
      ...{ id: randomUUID(), jobId: null, exportId: null, filename: 'a', mimeType: null, objectKey, size: '1' },
      timeExpiration: new Date(0),
    });
    const left = () => jobs.db.manager.countBy(ArtifactEntity, { timeExpiration: LessThan(new Date()) });

    it('continues while there are any, and after those that cannot be removed', async () => {
      const many = Array.from({ length: 1_203 }, (_, at) => artifact(at % 400 === 1 ? '../out' : `artifacts/${at}`));
      for (let at = 0; at < many.length; at += 500) {
        await jobs.db.manager.insert(ArtifactEntity, many.slice(at, at + 500));
      }
      await sweeper.run();
      expect(await left()).toBe(0);
      // Their removals are recorded for as long as they exist.
      expect(await jobs.db.manager.countBy(ObjectRemovalEntity, { prefix: '../out' })).toBe(4);
      expect(await jobs.db.manager.countBy(ObjectRemovalEntity, { prefix: Like('artifacts/%') })).toBe(0);
      await jobs.db.manager.delete(ObjectRemovalEntity, { prefix: '../out' });
    });

    it('continues after those that another process has removed', async () => {
      const ids = Array.from({ length: 1_203 }, () => randomUUID());
      await jobs.db.query(
        `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, time_deleted)
         SELECT id, $1, '', 'stopped', 5, 4, 'video', now() - interval '3 days' FROM unnest($2::uuid[]) AS id`,
        [jobs.workspaceId, ids],
      );
      const deletePrefix = jobs.objects.deletePrefix.bind(jobs.objects);
      let asked = 0;
      jobs.objects.deletePrefix = (prefix) =>
        ++asked % 100 === 1
          ? Promise.reject(new AditError('NOT_FOUND', 'Somebody else has removed it.'))
          : deletePrefix(prefix);
      try {
        await sweeper.run();
      } finally {
        jobs.objects.deletePrefix = deletePrefix;
      }
      // One run removes all of them, except for those that return in its last round: it never loops.
      const tombstones = await jobs.db.query('SELECT count(*)::int FROM jobs WHERE workspace_id = $1', [
        jobs.workspaceId,
      ]);
      expect(tombstones[0].count).toBeLessThan(20);
      await sweeper.run();
      expect(await jobs.db.query('SELECT id FROM jobs WHERE workspace_id = $1', [jobs.workspaceId])).toEqual([]);
    });

    it('is done by one process at a time, and by another when that has died', async () => {
      await jobs.db.manager.insert(ArtifactEntity, artifact('artifacts/x'));
      const other = new InstallationLease(jobs.db, 'sweeper', 300);
      expect(await other.take()).toBe(true);
      await sweeper.run();
      expect(await left()).toBe(1);
      await jobs.db.query('UPDATE leases SET lease_until = now()');
      await sweeper.run();
      expect(await left()).toBe(0);
    });
  });

  /** @hardening scale: The sweeper stops, or runs twice */
  it('finds the users of a file by an index', async () => {
    const plan = await jobs.db.transaction(async (manager) => {
      await manager.query('SET LOCAL enable_seqscan = off');
      const rows: Record<string, string>[] = await manager.query(
        `EXPLAIN SELECT job_id FROM job_sources WHERE media_digest = 'a'`,
      );
      return rows.map((row) => Object.values(row)[0]).join('\n');
    });
    expect(plan).toMatch(/Index.*IDX_6daf061587063c1c985caef141/);
  });
});
