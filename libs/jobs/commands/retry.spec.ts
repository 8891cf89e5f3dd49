/** @needs ffmpeg */
import {
  ChunkAnalysisEntity,
  ChunkEntity,
  FoldEntity,
  JobEntity,
  JobSourceEntity,
  ObservationEntity,
} from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockedJob } from '../state/locked-job.js';
import { failSource } from '../chunks/source-plan.js';
import { cacheExpiry, faces, JobsUnderTest, things } from '../testing/jobs-under-test.js';

const MODULES = { face_recognition: faces, object_scene_recognition: things };

describe('a retry', () => {
  let jobs: JobsUnderTest;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  const submit = async (films: number): Promise<string> => {
    const sources = Array.from({ length: films }, (_, index) => `storage://film-${index}`);
    const jobId = (await jobs.commands.submit(jobs.order(sources, null, MODULES))).job.id;
    await jobs.settled();
    return jobId;
  };
  /** Marks every chunk as analysed and folded. */
  const foldAll = async (jobId: string, module: keyof typeof MODULES): Promise<void> => {
    const { digest } = MODULES[module];
    await jobs.db.manager.update(ChunkAnalysisEntity, { jobId, digest }, { state: 'done' });
    await jobs.db.query('UPDATE folds SET next_chunk = 4, closed = true WHERE job_id = $1 AND module_id = $2', [
      jobId,
      module,
    ]);
  };
  const end = (jobId: string, modules: string[]): Promise<void> =>
    jobs.locked(jobId, async (job) => {
      for (const module of modules) await job.apply({ kind: 'module-completed', module });
      await job.apply({ kind: 'finished' });
    });
  const stateOf = async (jobId: string) => {
    const [row] = await jobs.db.query(
      `SELECT j.state, (SELECT jsonb_object_agg(module_id, state) FROM job_modules WHERE job_id = j.id) AS modules,
              (SELECT jsonb_agg(state ORDER BY index) FROM job_sources WHERE job_id = j.id) AS sources,
              (SELECT jsonb_agg(concat_ws(' ', module_id, source_index, next_chunk, closed) ORDER BY module_id, source_index)
                 FROM folds WHERE job_id = j.id) AS folds
         FROM jobs j WHERE id = $1`,
      [jobId],
    );
    return row;
  };

  it('is scheduled like a new job', async () => {
    const jobId = await submit(1);
    await jobs.openFilm(jobId, 'a'.repeat(64));
    const isAdmitted = async () => (await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).admitted;
    expect(await isAdmitted()).toBe(true);
    await jobs.commands.stop(jobs.workspaceId, jobId);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    expect(await isAdmitted()).toBe(false);
    await jobs.settled();
    expect(await isAdmitted()).toBe(true);
  });

  /** @hardening jobs: A retry completes films that were never analysed */
  it('opens a film again for a module that had failed when the film was planned', async () => {
    const jobId = await submit(2);
    await jobs.openFilm(jobId, 'a'.repeat(64));
    await jobs.locked(jobId, (job) => job.failModule('object_scene_recognition', 'no weights'));
    await jobs.settled();
    await jobs.openFilm(jobId, 'b'.repeat(64), 1);
    await foldAll(jobId, 'face_recognition');
    await end(jobId, ['face_recognition']);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    expect(await stateOf(jobId)).toEqual({
      state: 'waiting',
      modules: { face_recognition: 'completed', object_scene_recognition: 'waiting' },
      sources: ['planned', 'waiting'],
      folds: ['face_recognition 0 4 t', 'face_recognition 1 4 t', 'object_scene_recognition 0 0 f'],
    });
    await jobs.settled();
    await jobs.openFilm(jobId, 'b'.repeat(64), 1);
    expect(await stateOf(jobId)).toMatchObject({
      sources: ['planned', 'planned'],
      folds: [
        ...['face_recognition 0 4 t', 'face_recognition 1 4 t'],
        ...['object_scene_recognition 0 0 f', 'object_scene_recognition 1 0 f'],
      ],
    });
    const added = await jobs.db.manager.countBy(ChunkEntity, { jobId, sourceStart: 1 });
    expect(added).toBe(8);
  });

  it('opens a film again that was refused, for modules that have completed without it', async () => {
    const jobId = await submit(2);
    await jobs.openFilm(jobId, 'c'.repeat(64));
    await jobs.outbox.transaction(async (manager) =>
      failSource(manager, (await LockedJob.take(manager, jobId))!, 1, 'its server is asleep'),
    );
    for (const module of ['face_recognition', 'object_scene_recognition'] as const) await foldAll(jobId, module);
    await end(jobId, ['face_recognition', 'object_scene_recognition']);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    expect(await stateOf(jobId)).toMatchObject({
      state: 'waiting',
      modules: { face_recognition: 'waiting', object_scene_recognition: 'waiting' },
      sources: ['planned', 'waiting'],
      folds: ['face_recognition 0 4 t', 'object_scene_recognition 0 4 t'],
    });
    expect(await jobs.db.manager.findOneByOrFail(JobSourceEntity, { jobId, index: 1 })).toMatchObject({ attempts: 0 });
  });

  it('analyses a lost chunk again, and takes back the results of the fold without it', async () => {
    const jobId = await submit(2);
    await jobs.openFilm(jobId, 'd'.repeat(64));
    await jobs.settled();
    await jobs.openFilm(jobId, 'e'.repeat(64), 1);
    for (const module of ['face_recognition', 'object_scene_recognition'] as const) await foldAll(jobId, module);
    const { id: chunkId } = await jobs.db.manager.findOneByOrFail(ChunkEntity, { jobId, sourceStart: 0, position: 2 });
    const lost = { chunkId, digest: faces.digest };
    await jobs.db.manager.update(ChunkAnalysisEntity, lost, { state: 'failed', error: 'it broke', attempts: 3 });
    const emitted = ['faces 0', 'things 0', 'faces 1', 'things 1', 'faces 0'].map((text) => text.split(' '));
    for (const [seq, [what, source]] of emitted.entries()) {
      const module = what === 'faces' ? 'face_recognition' : 'object_scene_recognition';
      await jobs.db.query(
        `INSERT INTO segments (job_id, seq, module_id, module_seq, source_index, time_start, time_end, type, label,
                               confidence, meta, detections)
         SELECT $1, $2, $3, count(*), $4, 0, 1, 'x', 'x', 1, '{}', '[]'
           FROM segments WHERE job_id = $1 AND module_id = $3`,
        [jobId, seq, module, source],
      );
    }
    await jobs.locked(jobId, (job) =>
      job.recount(new Map(Object.entries({ face_recognition: 3, object_scene_recognition: 2 }))),
    );
    await end(jobId, ['face_recognition', 'object_scene_recognition']);

    await jobs.commands.retry(jobs.workspaceId, jobId);
    expect(await stateOf(jobId)).toMatchObject({
      modules: { face_recognition: 'waiting', object_scene_recognition: 'completed' },
      sources: ['planned', 'planned'],
      folds: [
        ...['face_recognition 0 0 f', 'face_recognition 1 4 t'],
        ...['object_scene_recognition 0 4 t', 'object_scene_recognition 1 4 t'],
      ],
    });
    expect(await jobs.db.manager.findOneByOrFail(ChunkAnalysisEntity, lost)).toMatchObject({
      ...{ state: 'waiting', attempts: 0, error: null },
    });
    expect((await jobs.db.manager.findOneByOrFail(ChunkEntity, { id: chunkId })).state).toBe('planned');
    const left = await jobs.db.query(
      `SELECT concat_ws(' ', seq, module_id, module_seq, source_index) AS row FROM segments WHERE job_id = $1 ORDER BY seq`,
      [jobId],
    );
    expect(left.map(({ row }: { row: string }) => row)).toEqual([
      '0 object_scene_recognition 0 0',
      '1 face_recognition 0 1',
      '2 object_scene_recognition 1 1',
    ]);
    expect((await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).segmentCount).toBe(3);
  });

  it('takes back the results of many folds at once', async () => {
    const films = 6;
    const jobId = await submit(films);
    for (let film = 0; film < films; film += 1) {
      await jobs.openFilm(jobId, String(film).repeat(64), film);
      await jobs.settled();
    }
    for (const module of ['face_recognition', 'object_scene_recognition'] as const) await foldAll(jobId, module);
    for (const { digest } of [faces, things]) {
      await jobs.db.query(
        `UPDATE chunk_analyses a SET state = 'failed', error = 'it broke' FROM chunks c
          WHERE a.job_id = $1 AND a.digest = $2 AND c.id = a.chunk_id AND c.source_start > 0`,
        [jobId, digest],
      );
    }
    await end(jobId, ['face_recognition', 'object_scene_recognition']);

    const { logger } = jobs.db;
    const removals: string[] = [];
    Object.assign(jobs.db, {
      logger: {
        ...{ logQueryError: () => undefined, logQuerySlow: () => undefined, log: () => undefined },
        logQuery: (sql: string) => void (/^\s*DELETE FROM (segments|summaries)/.test(sql) && removals.push(sql)),
      },
    });
    try {
      await jobs.commands.retry(jobs.workspaceId, jobId);
    } finally {
      Object.assign(jobs.db, { logger });
    }
    expect(removals).toHaveLength(2);
    const { folds } = await stateOf(jobId);
    const anew = folds.filter((fold: string) => fold.endsWith(' 0 f'));
    expect(anew).toHaveLength(2 * (films - 1));
  });

  it('analyses again the refused pictures of a job', async () => {
    const jobId = await submit(2);
    await jobs.openImages(jobId, 2);
    await jobs.db.query('UPDATE folds SET next_chunk = 1, closed = true WHERE job_id = $1', [jobId]);
    await jobs.db.manager.update(ChunkAnalysisEntity, { jobId }, { state: 'done' });
    await jobs.db.manager.update(ChunkEntity, { jobId }, { state: 'done' });
    await jobs.db.manager.update(
      JobSourceEntity,
      { jobId, index: 1 },
      { state: 'failed', error: 'its server is asleep' },
    );
    await end(jobId, Object.keys(MODULES));
    await jobs.commands.retry(jobs.workspaceId, jobId);
    expect(await stateOf(jobId)).toMatchObject({
      sources: ['planned', 'planned'],
      folds: ['face_recognition -1 0 f', 'object_scene_recognition -1 0 f'],
    });
    expect(await jobs.db.manager.findOneByOrFail(ChunkEntity, { jobId })).toMatchObject({ state: 'planned' });
  });

  /** @hardening jobs: A frame index or observations expire under running jobs */
  it('analyses again what a fold has not read yet and whose observations have expired', async () => {
    const jobId = await submit(1);
    const mediaDigest = '2'.repeat(64);
    await jobs.openFilm(jobId, mediaDigest);
    await foldAll(jobId, 'object_scene_recognition');
    await jobs.db.query(`UPDATE folds SET next_chunk = 1 WHERE job_id = $1 AND NOT closed`, [jobId]);
    const chunks = await jobs.db.manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' } });
    for (const { id: chunkId, position } of chunks) {
      const units = [{ sourceIndex: 0, observations: `media/x/${position}/observations.json`, error: null }];
      await jobs.db.manager.update(ChunkAnalysisEntity, { chunkId, digest: faces.digest }, { state: 'done', units });
      await jobs.db.manager.update(ChunkEntity, { id: chunkId }, { state: 'done' });
    }
    // Only the third of the four observations still exists; the first was read before.
    await jobs.knowFilm(mediaDigest, null);
    await jobs.db.manager.insert(ObservationEntity, {
      ...{ workspaceId: jobs.workspaceId, mediaDigest, interval: '500-750', analysisDigest: faces.digest },
      ...{ objectKey: 'media/x/2/observations.json', timeExpires: cacheExpiry() },
    });
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    await jobs.commands.retry(jobs.workspaceId, jobId);
    const states = await jobs.db.query(
      `SELECT concat_ws(' ', c.state, a.state) AS state FROM chunks c JOIN chunk_analyses a ON a.chunk_id = c.id
        WHERE c.job_id = $1 AND a.digest = $2 ORDER BY position`,
      [jobId, faces.digest],
    );
    expect(states.map(({ state }: { state: string }) => state)).toEqual([
      ...['done done', 'planned waiting', 'done done', 'planned waiting'],
    ]);
  });

  it('is refused where nothing is missing', async () => {
    const jobId = await submit(1);
    await jobs.openFilm(jobId, 'f'.repeat(64));
    for (const module of ['face_recognition', 'object_scene_recognition'] as const) await foldAll(jobId, module);
    await end(jobId, Object.keys(MODULES));
    await expect(jobs.commands.retry(jobs.workspaceId, jobId)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await jobs.db.manager.countBy(FoldEntity, { jobId, closed: true })).toBe(2);
  });

  /** @hardening jobs: A job that is retried is deleted while it runs */
  it('gives a job its whole ttl again', async () => {
    const jobId = await submit(1);
    await jobs.db.manager.update(JobEntity, { id: jobId }, { ttl: 1 });
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    const ended = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(ended.timeExpires!.getTime() - ended.timeCompleted!.getTime()).toBe(1000);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    const later = new Date(Date.now() + 60_000);
    await jobs.commands.expire(jobId, later);
    expect(await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).toMatchObject({
      ...{ state: 'waiting', timeExpires: null, timeDeleted: null },
    });
    // A build before this one left the row like this.
    await jobs.db.manager.update(JobEntity, { id: jobId }, { timeExpires: new Date() });
    await jobs.commands.expire(jobId, later);
    expect((await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).timeDeleted).toBeNull();
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    await jobs.commands.expire(jobId, later);
    await jobs.commands.expire(jobId, later);
    expect((await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).timeDeleted).not.toBeNull();
  });
});
