/** What the scheduler gives out: the statement that requests chunks and sources. */
import { isLive } from '@adit/database';
import { takenTurn } from '@adit/leases';
import type { EntityManager } from 'typeorm';
import { listensOf } from './requests.js';

/** Name of the schedulers' turns. */
export const SCHEDULER = 'scheduler';
/** Advisory lock that serialises schedulers, as builds without turns do. */
const SCHEDULER_LOCK = 0x0ad17;

/** What a job is given: units of work, and how many of them may open sources. */
export interface GivenSlots {
  jobId: string;
  count: number;
  sources: number;
}

/** Dispatched work of a job. */
export interface DispatchedWork {
  jobId: string;
  chunks: { id: string; sourceStart: number }[];
  /** Indices of sources to open. */
  sources: number[];
  /** True when the job has analyses of audio. */
  listens: boolean;
}

/**
 * Dispatches at most `count` units of work of each job: chunks first, in order; the rest opens at most `sources`
 * sources. A job that has ended meanwhile gets none. All are null when another scheduler has taken a turn since `turn` was read,
 * by one statement: what was chosen may not hold any more.
 */
export async function dispatchWork(
  manager: EntityManager,
  given: GivenSlots[],
  { leaseSeconds, turn }: { leaseSeconds: number; turn: string | null },
): Promise<DispatchedWork[] | null> {
  const work: DispatchedWork[] = await manager.query(DISPATCH, [
    JSON.stringify(given),
    leaseSeconds,
    turn,
    SCHEDULER_LOCK,
  ]);
  return work.length === 0 ? null : work;
}

/** States are asked again where they are changed: an older scheduler, which takes no turns, may have been faster. */
const DISPATCH = `
  WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock($4)),
  turn AS (${takenTurn(SCHEDULER, '$3::uuid', 'locked')}),
  given AS MATERIALIZED (
    SELECT j.id AS job_id, g.count, g.sources
      FROM jsonb_to_recordset($1::jsonb) AS g ("jobId" uuid, count int, sources int)
      JOIN jobs j ON j.id = g."jobId" WHERE ${isLive('j')} AND EXISTS (SELECT FROM turn)),
  j AS (UPDATE jobs SET admitted = true WHERE id IN (SELECT job_id FROM given) AND NOT admitted),
  c AS (
    UPDATE chunks SET state = 'requested', lease_until = now() + make_interval(secs => $2), running_until = NULL
     WHERE id = ANY (ARRAY(
       SELECT n.id FROM given CROSS JOIN LATERAL (
         SELECT id FROM chunks WHERE job_id = given.job_id AND state = 'planned'
          ORDER BY source_start, position LIMIT given.count) n))
       AND state = 'planned'
    RETURNING id, job_id, source_start, position),
  s AS (
    UPDATE job_sources SET state = 'requested', lease_until = now() + make_interval(secs => $2), running_until = NULL
      FROM (SELECT given.job_id AS of_job, n.index AS at FROM given CROSS JOIN LATERAL (
              SELECT index FROM job_sources WHERE job_id = given.job_id AND state = 'waiting' ORDER BY index
               LIMIT least(given.count - (SELECT count(*) FROM c WHERE c.job_id = given.job_id), given.sources)) n) next
     WHERE job_id = of_job AND index = at AND state = 'waiting'
    RETURNING job_id, index)
  SELECT job_id AS "jobId", ${listensOf('given.job_id')} AS listens,
         coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'sourceStart', source_start)
                                    ORDER BY source_start, position) FROM c WHERE c.job_id = given.job_id), '[]') AS chunks,
         coalesce((SELECT jsonb_agg(index ORDER BY index) FROM s WHERE s.job_id = given.job_id), '[]') AS sources
    FROM given`;
