import { AditError } from '@adit/contracts';
import { ChunkAnalysisEntity, JobErasureEntity, ObservationEntity } from '@adit/database';
import { filmFacts } from '@adit/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import {
  eraseStep,
  knownObservations,
  mediaGenerations,
  observationPrefix,
  rememberedObservations,
  type JobCommands,
} from '@adit/jobs';
import { removeObjects } from '@adit/object-removals';
import { faces, type grid, JobsUnderTest } from '@adit/jobs/testing';
import type { Sweeper } from '../sweeper.js';
import { sweeperOf } from './sweeper-of.js';

export const film = 'a'.repeat(64);

export const later = () => new Date(Date.now() + 120_000);

export const muchLater = () => new Date(Date.now() + 2 * 3_600_000);

export let jobs: JobsUnderTest;
export let sweeper: Sweeper;

export const unitOf = (interval: (typeof grid)[number], mediaDigest = film) => ({
  ...{ sourceIndex: 0, mediaDigest, facts: filmFacts(), kind: 'video' as const, interval },
});

/** Submits a job that has planned a film. */
export const planned = async (digest = film): Promise<string> => {
  const jobId = await jobs.submit();
  await jobs.openFilm(jobId, digest);
  return jobId;
};

/** Analyses a job's chunks as a worker that began when the film had these object folders. */
export const analyse = async (jobId: string, digest = film, folders?: Map<string, string>): Promise<void> => {
  const { workspaceId } = jobs;
  folders ??= await mediaGenerations(jobs.db.manager, workspaceId, [digest]);
  const waiting: { id: string; interval: (typeof grid)[number] }[] = await jobs.db.query(
    `SELECT c.id, c.interval FROM chunks c JOIN chunk_analyses a ON a.chunk_id = c.id AND a.state = 'waiting'
       JOIN jobs j ON j.id = c.job_id AND j.time_deleted IS NULL WHERE c.job_id = $1`,
    [jobId],
  );
  for (const { id: chunkId, interval } of waiting) {
    const unit = unitOf(interval, digest);
    const folder = observationPrefix({ id: jobId, workspaceId }, unit, faces.digest, folders.get(digest) ?? null);
    const units = [{ sourceIndex: 0, observations: `${folder}observations.json`, error: null }];
    await jobs.objects.put(units[0]!.observations, Buffer.from('{}'));
    await jobs.outbox.statement(
      ...rememberedObservations(workspaceId, faces.digest, { units: [unit], outcomes: units }),
    );
    await jobs.db.manager.update(ChunkAnalysisEntity, { chunkId, digest: faces.digest }, { state: 'done', units });
  }
};

export const analysedJob = async (generation: string): Promise<string> => {
  await jobs.knowFilm(film, generation);
  const jobId = await planned();
  await analyse(jobId);
  return jobId;
};

export const remembered = () => jobs.db.manager.countBy(ObservationEntity, { workspaceId: jobs.workspaceId });

export const known = async () =>
  (await knownObservations(jobs.db.manager, jobs.workspaceId, [film], [faces.digest])).size;

export const erasures = () => jobs.db.manager.countBy(JobErasureEntity, { workspaceId: jobs.workspaceId });

export const step = async (jobId: string, rows?: number): Promise<boolean> => {
  const { over, removals } = await jobs.outbox.transaction((manager) => eraseStep(manager, jobId, rows));
  await removeObjects(jobs.objects, removals);
  return over;
};

/** Deletes jobs without erasing: the process dies of it, or cannot. */
const dying = (): JobCommands =>
  Object.assign(Object.create(jobs.commands) as JobCommands, {
    eraseSome: () => Promise.reject(new AditError('UNAVAILABLE', 'It died.')),
  });

export const deleteJob = (jobId: string) => dying().delete(jobs.workspaceId, jobId);

export const objectsUnder = async (prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of jobs.objects.list(prefix)) keys.push(key);
  return keys;
};

export const rowsOf = async (jobId: string): Promise<number> => {
  const tables = [
    'exports',
    'chunks',
    'chunk_analyses',
    'job_sources',
    'job_modules',
    'job_analyses',
    'folds',
    'segments',
  ];
  const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table} WHERE job_id = $1)`);
  return (await jobs.db.query(`SELECT ${counts.join(' + ')} AS rows`, [jobId]))[0].rows;
};

export const media = () => `media/${jobs.workspaceId}/`;

/** Registers the hooks that start and end the shared parts of a spec. */
export function useErasedJobs(): void {
  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    sweeper = sweeperOf(jobs);
  });
  beforeEach(() => jobs.reset());
  afterEach(() => sweeper.run(muchLater()));
  afterAll(() => jobs.close());
}
