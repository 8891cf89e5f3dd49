import type { MediaFacts } from '@adit/contracts';
import { FoldEntity, returned } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { reasonOf, sourceError } from '../state/job-errors.js';
import type { LockedJob } from '../state/locked-job.js';
import { enqueue } from '@adit/outbox';

/** Source index of the one fold that covers all images of a job. */
export const ALL_IMAGES = -1;

/** A source that cannot be mined: its reason stays with it and with the job, the other sources go on. */
export async function failSource(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  reason: string,
): Promise<void> {
  const failed = returned<{ uri: string }>(
    await manager.query(
      `UPDATE job_sources SET state = 'failed', error = $3, lease_until = NULL WHERE job_id = $1 AND index = $2
       RETURNING uri`,
      [locked.job.id, sourceIndex, reasonOf(reason)],
    ),
  );
  await locked.addErrors(failed.map(({ uri }) => sourceError(uri, reason)));
  await announceSource(manager, locked, sourceIndex);
}

export async function setSourcePlanned(
  manager: EntityManager,
  jobId: string,
  index: number,
  { digest, facts }: { digest: string; facts: MediaFacts },
): Promise<void> {
  // As `holdMedia` does, also where this statement is a transaction of its own.
  await manager.query(
    `WITH held AS (
       SELECT 1 FROM media m JOIN jobs j ON j.workspace_id = m.workspace_id
        WHERE j.id = $1 AND m.digest = $3 FOR KEY SHARE OF m)
     UPDATE job_sources SET state = 'planned', media_digest = $3, facts = $4::jsonb, lease_until = NULL, error = NULL
      WHERE job_id = $1 AND index = $2 AND (SELECT count(*) FROM held) >= 0`,
    [jobId, index, digest, JSON.stringify(facts)],
  );
}

/**
 * The images of a job are planned, all of them: what the others are than the one that was opened shows when their chunk is
 * decoded. One that is `unwanted` by every module is no unit of its chunk.
 */
export async function setImagesPlanned(
  manager: EntityManager,
  jobId: string,
  { index, digest, facts, unwanted }: { index: number; digest: string; facts: MediaFacts; unwanted: boolean },
): Promise<void> {
  await manager.query(
    `UPDATE job_sources SET state = 'planned', lease_until = NULL,
            media_digest = CASE WHEN index = $2::int THEN $3 ELSE media_digest END,
            facts = CASE WHEN index = $2::int THEN $4::jsonb ELSE facts END
      WHERE job_id = $1 AND (state <> 'failed' OR index = $5)`,
    [jobId, unwanted ? null : index, digest, JSON.stringify(facts), index],
  );
}

/** The modules that have a fold of the source, as when it is opened again for those that have none. */
export async function foldedModules(manager: EntityManager, jobId: string, sourceIndex: number): Promise<Set<string>> {
  const rows = await manager.find(FoldEntity, { where: { jobId, sourceIndex }, select: { moduleId: true } });
  return new Set(rows.map(({ moduleId }) => moduleId));
}

export async function insertFold(
  manager: EntityManager,
  jobId: string,
  moduleId: string,
  sourceIndex: number,
  chunkIds: string[],
): Promise<void> {
  const fold = { jobId, moduleId, sourceIndex, chunkIds };
  await manager.insert(FoldEntity, fold);
}

/** Tells the scheduler and the aggregator that a source was opened or refused. */
export async function announceSource(manager: EntityManager, locked: LockedJob, sourceIndex: number): Promise<void> {
  const { id: jobId, traceparent } = locked.job;
  const payload = { sourceIndex };
  await enqueue(manager, [{ topic: 'sources.planned', key: jobId, jobId, traceparent, payload }]);
}
