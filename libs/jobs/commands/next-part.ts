/** Jobs that follow each other on one live stream, so that none grows without end. */
import { randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import {
  columnNames,
  columnsOf,
  JobAnalysisEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  returned,
} from '@adit/database';
import { moveToPart, type ClaimedStream } from '@adit/streams';
import type { EntityManager } from 'typeorm';
import { endLiveSource } from '../chunks/live-chunks.js';
import type { LockedJob } from '../state/locked-job.js';

/** Columns of the next part that are those of the job before, and of its parts. */
const JOB = columnNames(
  columnsOf(JobEntity, [
    ...(['workspaceId', 'tag', 'priority', 'rank', 'mediaType', 'webhook', 'ttl'] as const),
    ...(['traceparent', 'recorded', 'rotateSeconds', 'keyId'] as const),
  ]),
);
const MODULE = columnNames(
  columnsOf(JobModuleEntity, [
    ...(['moduleId', 'position', 'postedAs', 'args', 'range', 'models'] as const),
    ...(['media', 'dictionaries', 'analyses'] as const),
  ]),
);
const ANALYSIS = columnNames(columnsOf(JobAnalysisEntity).filter(({ property }) => property !== 'jobId'));
const SOURCE = columnNames(columnsOf(JobSourceEntity, ['index', 'uri', 'name']));

/**
 * SQL: makes the job `$2` as the job `$1` was posted, and links them. No job has two next parts. Nothing is written into a
 * workspace that was erased.
 */
const INSERT_PART = `
  WITH former AS (
    SELECT j.* FROM jobs j
     WHERE j.id = $1 AND j.next_part IS NULL AND (SELECT w.time_deleted IS NULL FROM workspaces w WHERE w.id = j.workspace_id)
  ), part AS (
    -- The timecode of a master is that of the first part.
    INSERT INTO jobs (id, ${JOB}, conform, state, sources, previous_part, batch_id)
    SELECT $2, ${JOB}, nullif(conform - 'start_timecode' - 'timecode_rate', '{}'), 'waiting', sources, id,
           (SELECT b.id FROM batches b WHERE b.id = former.batch_id AND b.time_deleted IS NULL)
      FROM former
    RETURNING id
  ), source AS (
    INSERT INTO job_sources (job_id, ${SOURCE}, state)
    SELECT $2, ${SOURCE}, 'waiting' FROM job_sources WHERE job_id = (SELECT id FROM former)
  ), module AS (
    INSERT INTO job_modules (job_id, ${MODULE}, state)
    SELECT $2, ${MODULE}, 'waiting' FROM job_modules WHERE job_id = (SELECT id FROM former)
  ), analysis AS (
    INSERT INTO job_analyses (job_id, ${ANALYSIS})
    SELECT $2, ${ANALYSIS} FROM job_analyses WHERE job_id = (SELECT id FROM former)
  )
  UPDATE jobs SET next_part = part.id FROM part WHERE jobs.id = $1 RETURNING jobs.next_part AS id`;

/** Where a part ends. */
export interface PartEnd {
  /** Stream time in microseconds at which the next one begins. */
  borderUs: number;
  /** What was stored of this one. */
  extent: { totalFrames: number; duration: number };
}

/**
 * Ends the stream for the job that has it, which completes once its last chunks are folded, and gives it to a new job of
 * the same order. The caller has locked the job and then the stream (`lockPart`). No quota is asked: the stream would end.
 * False when the stream has ended, or its job: nothing was changed.
 */
export async function beginNextPart(
  manager: EntityManager,
  locked: LockedJob,
  stream: ClaimedStream,
  { borderUs, extent }: PartEnd,
): Promise<boolean> {
  const { id: jobId, state } = locked.job;
  const { sourceIndex: index } = stream;
  const source = await manager.findOneByOrFail(JobSourceEntity, { jobId, index });
  // A client has stopped it where the source is planned.
  if (state !== 'processing' || source.state !== 'requested') return false;
  const [part] = returned<{ id: string }>(await manager.query(INSERT_PART, [jobId, randomUUID()]));
  if (part === undefined) return false;
  await endLiveSource(manager, locked, index, extent);
  await moveToPart(manager, stream, part.id, borderUs);
  return true;
}

/**
 * Throws CONFLICT when the stream of a job goes on in a later part: whoever stops this one means the stream, which it has
 * no more.
 */
export async function refuseFormerPart(manager: EntityManager, jobId: string): Promise<void> {
  const [running]: { id: string }[] = await manager.query(
    `WITH RECURSIVE parts AS (
       SELECT next_part AS id FROM jobs WHERE id = $1
       UNION SELECT j.next_part FROM parts p JOIN jobs j ON j.id = p.id)
     SELECT j.id FROM parts p JOIN jobs j ON j.id = p.id
      WHERE j.next_part IS NULL AND j.time_deleted IS NULL AND j.state IN ('waiting', 'processing')`,
    [jobId],
  );
  if (running === undefined) return;
  throw new AditError(
    'CONFLICT',
    `This part of the stream is over, and the job ${running.id} goes on with it (see \`next_part\`): stop that one.`,
  );
}
