import { randomUUID } from 'node:crypto';
import {
  columns,
  inTransaction,
  JobEntity,
  JobSourceEntity,
  openDatabase,
  SegmentEntity,
  StreamEntity,
  type Database,
} from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresIndex } from '../postgres/postgres-index.js';
import { parseQuery } from '../query/parse.js';
import { indexAll } from '../testing/index-all.js';
import {
  catchUp,
  compareJobs,
  forgetJob,
  forgetPeople,
  forgetSegments,
  noteSearchable,
  rebuildSearch,
  renumberSearchable,
} from './feed.js';
import { renumberDocuments } from '../postgres/documents.js';
import { keepFaces } from '../postgres/faces.js';
import { indexStep, readAhead } from './index-job.js';

/** Segments of a module that says nothing of itself are found by their labels. */
const modules = new ModuleRegistry([]);

describe('the feed of the search', () => {
  let own: SpecDatabase;
  let database: Database;
  let index: PostgresIndex;
  let workspaceId: string;
  beforeAll(async () => {
    own = await specDatabase();
    database = await openDatabase(own.settings);
    index = new PostgresIndex(database.dataSource);
  }, 120_000);
  beforeEach(() => {
    workspaceId = randomUUID();
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
  });

  const db = () => database.dataSource;
  const work = () => indexAll(db(), modules);
  const found = async (word: string): Promise<string[]> => {
    const query = parseQuery(word, { parameter: 'q' });
    const question = { workspaceId, query, filter: {}, fuzzy: false, together: null };
    const { documents } = await index.find(question, { after: null, limit: 10_000 });
    return documents.map(({ jobId, key }) => `${jobId} ${key.seq}`).toSorted();
  };
  const newJob = async (more: Partial<JobEntity> = {}): Promise<string> => {
    const id = randomUUID();
    const usual = { tag: '', state: 'processing' as const, priority: 5, rank: 4, mediaType: 'video' as const };
    await db().manager.insert(JobEntity, columns<JobEntity>({ id, workspaceId, ...usual, ...more }));
    return id;
  };
  /** As an older build does: nobody is told. */
  const add = async (jobId: string, labels: string[], more: Partial<SegmentEntity> = {}): Promise<void> => {
    const { manager } = db();
    const { segmentCount: from } = await manager.findOneByOrFail(JobEntity, { id: jobId });
    const rows = labels.map((label, at) =>
      columns<SegmentEntity>({
        ...{ jobId, seq: from + at, moduleId: 'finder', moduleSeq: from + at, sourceIndex: 0, type: 'thing', label },
        ...{ timeStart: from + at, timeEnd: from + at + 1, confidence: 1, meta: {}, detections: [], ...more },
      }),
    );
    await manager.insert(SegmentEntity, rows);
    await manager.update(JobEntity, { id: jobId }, { segmentCount: from + labels.length });
  };
  /** As one process of all does. */
  const compareAll = async (): Promise<void> => {
    for (let after: string | null = null; ;) {
      const { last, gone } = await compareJobs(db().manager, after);
      for (const id of gone) while (await inTransaction(db(), (manager) => forgetJob(manager, id)));
      if (last === null) return;
      after = last;
    }
  };
  const state = async (id: string) => {
    const [row] = await db().query<Record<string, unknown>[]>('SELECT * FROM search_feed WHERE id = $1', [id]);
    return row;
  };

  it('takes one step for all that was folded since the last one, and says that it is over', async () => {
    const job = await newJob();
    await noteSearchable(db().manager, [job]);
    await add(job, ['alpha', 'alpha']);
    await noteSearchable(db().manager, [job]);
    await add(job, ['alpha']);
    const step = await inTransaction(db(), (manager) => indexStep(manager, { index, modules }, job));
    expect(step).toMatchObject({ over: true, written: 3 });
    expect(await found('alpha')).toHaveLength(3);
  });

  it('leaves out jobs that look for an export', async () => {
    const look = await newJob({ exportId: randomUUID() });
    await add(look, ['alpha']);
    await noteSearchable(db().manager, [look]);
    await compareAll();
    expect(await state(look)).toBeUndefined();
  });

  it('indexes what is new of a job, and only that', async () => {
    const job = await newJob();
    await add(job, ['alpha', 'beta']);
    await noteSearchable(db().manager, [job]);
    expect(await found('alpha')).toEqual([]);
    expect(await work()).toBe(2);
    await add(job, ['alpha']);
    await noteSearchable(db().manager, [job]);
    expect(await work()).toBe(1);
    expect(await found('alpha')).toEqual([`${job} 0`, `${job} 2`]);
    expect(await state(job)).toMatchObject({ state: 'done', next_seq: 3, segments: 3 });
  });

  it('indexes many in steps, of which each is whole when a process dies behind it', async () => {
    const job = await newJob();
    await add(job, Array<string>(450).fill('gamma'));
    await noteSearchable(db().manager, [job]);
    await inTransaction(db(), (manager) => indexStep(manager, { index, modules }, job));
    expect(await found('gamma')).toHaveLength(200);
    const dies = inTransaction(db(), async (manager) => {
      await indexStep(manager, { index, modules }, job);
      throw new Error('the process died');
    });
    await expect(dies).rejects.toThrow('died');
    expect(await found('gamma')).toHaveLength(200);
    await work();
    expect(await found('gamma')).toHaveLength(450);
  });

  it('never takes back what was noted while it worked', async () => {
    const job = await newJob();
    await add(job, ['delta']);
    await noteSearchable(db().manager, [job]);
    await work();
    await add(job, ['delta']);
    await noteSearchable(db().manager, [job]);
    await db().query(
      `UPDATE search_feed SET state = 'processing', lease_until = now() + interval '1 minute' WHERE id = $1`,
      [job],
    );
    await noteSearchable(db().manager, [job]);
    expect(await state(job)).toMatchObject({ state: 'processing', lease_until: expect.any(Date) });
    await work();
    expect(await found('delta')).toHaveLength(2);
  });

  it('finds nothing of segments that are changed or removed, from that transaction on', async () => {
    const job = await newJob();
    await add(job, ['epsilon', 'epsilon', 'zeta']);
    await noteSearchable(db().manager, [job]);
    await work();
    await inTransaction(db(), async (manager) => {
      await forgetSegments(manager, [{ jobId: job, seq: 0 }]);
      await manager.delete(SegmentEntity, { jobId: job, seq: 0 });
      await renumberSearchable(manager, job);
      await manager.query(
        'UPDATE segments SET seq = seq - 1, module_seq = module_seq - 1 WHERE job_id = $1 AND seq = 1',
        [job],
      );
      await manager.query(
        'UPDATE segments SET seq = seq - 1, module_seq = module_seq - 1 WHERE job_id = $1 AND seq = 2',
        [job],
      );
      await manager.update(JobEntity, { id: job }, { segmentCount: 2 });
    });
    // The numbers have moved with those of the segments.
    expect(await found('epsilon OR zeta')).toEqual([`${job} 0`, `${job} 1`]);
    expect(await found('zeta')).toEqual([`${job} 1`]);
    await work();
    expect(await found('epsilon OR zeta')).toEqual([`${job} 0`, `${job} 1`]);
  });

  it('numbers few documents at once, and finds the others when they are indexed again', async () => {
    const job = await newJob();
    await add(job, ['nu', 'nu', 'xi', 'omicron']);
    await noteSearchable(db().manager, [job]);
    await work();
    await inTransaction(db(), async (manager) => {
      await forgetSegments(manager, [{ jobId: job, seq: 0 }]);
      await manager.delete(SegmentEntity, { jobId: job, seq: 0 });
      await renumberDocuments(manager, job, 2);
      for (const seq of [1, 2, 3]) {
        await manager.update(SegmentEntity, { jobId: job, seq }, { seq: seq - 1, moduleSeq: seq - 1 });
      }
    });
    expect([await found('nu'), await found('xi')]).toEqual([[`${job} 0`], [`${job} 1`]]);
    expect(await found('omicron')).toEqual([`${job} 3`]);
    await work();
    expect(await found('nu OR xi OR omicron')).toEqual([`${job} 0`, `${job} 1`, `${job} 2`]);
    expect(await found('omicron')).toEqual([`${job} 2`]);
  });

  it('reads ahead of a step, and anew where something was noted since', async () => {
    const job = await newJob();
    await add(job, ['pi', 'rho']);
    await noteSearchable(db().manager, [job]);
    const ahead = await readAhead(db().manager, { modules }, job);
    await inTransaction(db(), async (manager) => {
      await forgetSegments(manager, [{ jobId: job, seq: 0 }]);
      await manager.update(SegmentEntity, { jobId: job, seq: 0 }, { label: 'sigma' });
    });
    await inTransaction(db(), (manager) => indexStep(manager, { index, modules }, job, ahead));
    expect([await found('pi'), await found('sigma'), await found('rho')]).toEqual([[], [`${job} 0`], [`${job} 1`]]);
    await work();
  });

  it('keeps steps short where texts are long', async () => {
    const job = await newJob();
    await add(job, Array<string>(3).fill(`tau ${'word '.repeat(30_000)}`));
    await noteSearchable(db().manager, [job]);
    const step = await inTransaction(db(), (manager) => indexStep(manager, { index, modules }, job));
    expect(step).toMatchObject({ over: false, written: 2 });
    await work();
    expect(await found('tau')).toHaveLength(3);
  });

  /** @hardening jobs: Two indexers lock words in different orders, and one of them is refused */
  it('writes new segments, and what else is left of a job, in steps of their own', async () => {
    const job = await newJob();
    await add(job, ['upsilon', 'upsilon']);
    await noteSearchable(db().manager, [job]);
    await work();
    // Behind all segments.
    await db().query('UPDATE search_documents SET seq = 4000 WHERE job_id = $1 AND seq = 1', [job]);
    await add(job, ['upsilon']);
    await noteSearchable(db().manager, [job]);
    const step = () => inTransaction(db(), (manager) => indexStep(manager, { index, modules }, job));
    const behind = () => db().query('SELECT 1 FROM search_documents WHERE job_id = $1 AND seq = 4000', [job]);
    expect(await step()).toMatchObject({ over: false, written: 1 });
    expect(await behind()).toHaveLength(1);
    expect(await step()).toMatchObject({ over: false, written: 0 });
    expect(await behind()).toHaveLength(0);
    expect(await step()).toMatchObject({ over: true, written: 0 });
    expect(await found('upsilon')).toEqual([`${job} 0`, `${job} 2`]);
  });

  it('catches up with what an older build wrote, whatever it did', async () => {
    const [fresh, grown, shrunk, again] = [await newJob(), await newJob(), await newJob(), await newJob()];
    for (const job of [grown, shrunk, again]) await add(job, ['eta', 'eta']);
    await noteSearchable(db().manager, [grown, shrunk, again]);
    await work();
    await add(fresh, ['eta']);
    await add(grown, ['eta']);
    await db().manager.delete(SegmentEntity, { jobId: shrunk, seq: 1 });
    await db().manager.update(JobEntity, { id: shrunk }, { segmentCount: 1 });
    // A retry: as many as before, and others.
    await db().manager.update(SegmentEntity, { jobId: again, seq: 1 }, { label: 'theta' });
    await db().manager.update(JobEntity, { id: again }, { state: 'completed', timeCompleted: new Date() });
    await compareAll();
    await catchUp(db().manager);
    await work();
    expect(await found('eta')).toEqual(
      [`${fresh} 0`, ...[0, 1, 2].map((n) => `${grown} ${n}`), `${shrunk} 0`, `${again} 0`].toSorted(),
    );
    expect(await found('theta')).toEqual([`${again} 1`]);
    await compareAll();
    await catchUp(db().manager);
    expect(await work()).toBe(0);
  });

  it('is rebuilt without a hole, and behind what is new', async () => {
    const job = await newJob();
    await add(job, Array<string>(300).fill('iota'));
    await noteSearchable(db().manager, [job]);
    await work();
    // As something that went wrong before.
    await db().query(`DELETE FROM search_documents WHERE job_id = $1 AND seq = 7`, [job]);
    await db().query(`UPDATE search_documents SET seq = 4000 WHERE job_id = $1 AND seq = 8`, [job]);
    expect(await rebuildSearch(db().manager, { workspaceId })).toBe(1);
    expect(await found('iota')).toHaveLength(299);
    await catchUp(db().manager);
    await inTransaction(db(), (manager) => indexStep(manager, { index, modules }, job));
    expect((await found('iota')).length).toBeGreaterThanOrEqual(299);
    await work();
    expect(await found('iota')).toEqual(Array.from({ length: 300 }, (_, n) => `${job} ${n}`).toSorted());
  });

  it('tries again what was given up, later or at the next change', async () => {
    const job = await newJob();
    await add(job, ['kappa']);
    await noteSearchable(db().manager, [job]);
    const giveUp = (until: string) =>
      db().query(
        `UPDATE search_feed SET state = 'failed', attempts = 3, lease_until = now() + $2::interval WHERE id = $1`,
        [job, until],
      );
    await giveUp('1 hour');
    await catchUp(db().manager);
    expect(await state(job)).toMatchObject({ state: 'failed' });
    await noteSearchable(db().manager, [job]);
    expect(await state(job)).toMatchObject({ state: 'waiting', attempts: 0 });
    await giveUp('-1 second');
    await catchUp(db().manager);
    await work();
    expect(await found('kappa')).toHaveLength(1);
  });

  it('forgets jobs that an older build erased', async () => {
    const job = await newJob();
    await add(job, ['lambda', 'lambda']);
    await noteSearchable(db().manager, [job]);
    await work();
    await db().manager.delete(SegmentEntity, { jobId: job });
    await db().manager.delete(JobEntity, { id: job });
    expect(await found('lambda')).toEqual([]);
    await compareAll();
    expect(await state(job)).toBeUndefined();
    expect(await db().query('SELECT 1 FROM search_documents WHERE job_id = $1', [job])).toEqual([]);
  });

  it('notes nothing of deleted jobs', async () => {
    const job = await newJob({ timeDeleted: new Date() });
    await noteSearchable(db().manager, [job, randomUUID()]);
    expect(await state(job)).toBeUndefined();
  });

  it('knows the wall clock of live streams', async () => {
    const job = await newJob({ mediaType: 'videostream' });
    await db().manager.insert(
      JobSourceEntity,
      columns<JobSourceEntity>({ jobId: job, index: 0, uri: 'rtsp://x', state: 'requested' }),
    );
    const zeroAt = new Date('2026-11-21T20:00:00Z');
    await db().manager.insert(StreamEntity, { id: randomUUID(), jobId: job, sourceIndex: 0, workspaceId, zeroAt });
    await add(job, ['my', 'my'], { timeStart: 90, timeEnd: 91 });
    await noteSearchable(db().manager, [job]);
    await work();
    const query = parseQuery('my', { parameter: 'q' });
    const at = async (from: string, to: string) => {
      const filter = { moment: { from: new Date(from), to: new Date(to) } };
      return (await index.count({ workspaceId, query, filter, fuzzy: false, together: null })).total;
    };
    expect(await at('2026-11-21T20:01:00Z', '2026-11-21T20:02:00Z')).toBe(2);
    expect(await at('2026-11-21T20:02:00Z', '2026-11-21T20:03:00Z')).toBe(0);
  });

  it('forgets the faces of segments that change, of people who are removed, and of jobs that are gone', async () => {
    const jobId = await newJob();
    await add(jobId, ['a', 'b', 'c', 'd']);
    await db().query(`UPDATE segments SET index_id = '1234567890' WHERE job_id = $1 AND seq = 2`, [jobId]);
    const faces = [0, 1, 2, 3].map((seq) => ({ seq, embedding: [1, 0] }));
    const left = async () =>
      (await db().query('SELECT seq FROM search_faces WHERE job_id = $1 ORDER BY seq', [jobId])).map(
        ({ seq }: { seq: number }) => seq,
      );
    await inTransaction(db(), (manager) => keepFaces(manager, { jobId, workspaceId, network: 'n' }, faces));
    await inTransaction(db(), (manager) => forgetSegments(manager, [{ jobId, seq: 0 }]));
    expect(await left()).toEqual([1, 2, 3]);
    await inTransaction(db(), (manager) => forgetPeople(manager, ['1234567890']));
    expect(await left()).toEqual([1, 3]);
    await db().query('DELETE FROM segments WHERE job_id = $1 AND seq IN (0, 2)', [jobId]);
    await inTransaction(db(), (manager) => renumberSearchable(manager, jobId));
    expect(await left()).toEqual([0, 1]);
    await inTransaction(db(), (manager) => forgetJob(manager, jobId));
    expect(await left()).toEqual([]);
  });
});
