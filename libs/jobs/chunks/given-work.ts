/** What the scheduler gives out: the statement that requests chunks and sources. */
import { AUDIO_MESSAGE_VERSION } from '@adit/contracts';
import { isLive } from '@adit/database';
import { takenTurn } from '@adit/leases';
import { envelopeText, writtenMessages, type OutboxRelay } from '@adit/outbox';
import { listensOf, sourceRequest } from './requests.js';

/** Name of the schedulers' turns. */
export const SCHEDULER = 'scheduler';
/** Advisory lock that serialises schedulers, as builds without turns do. */
const SCHEDULER_LOCK = 0x0ad17;

/** What a job is given: units of work, and how many of them may open sources. */
export interface GivenSlots {
  jobId: string;
  traceparent: string | null;
  count: number;
  sources: number;
}

/**
 * Dispatches at most `count` units of work of each job, with the messages that request them: chunks first, in order; the rest
 * opens at most `sources` sources. A job that has ended meanwhile gets none. Answers false when another scheduler has taken a
 * turn since `turn` was read: what was chosen may not hold any more.
 */
export async function dispatchWork(
  outbox: OutboxRelay,
  given: readonly GivenSlots[],
  { leaseSeconds, turn }: { leaseSeconds: number; turn: string | null },
): Promise<boolean> {
  const parts = given.map((slots) => ({ ...slots, envelope: JSON.parse(envelopeText(sourceRequest(slots, 0))) }));
  const parameters = [JSON.stringify(parts), leaseSeconds, turn, SCHEDULER_LOCK];
  const [row] = await outbox.statement<{ jobs: number }>(DISPATCH, parameters);
  return row !== undefined && row.jobs > 0;
}

/**
 * States are asked again where they are changed: an older scheduler, which takes no turns, may have been faster. Messages are those
 * of `chunkRequest` and `sourceRequest`, made of one of them.
 */
const DISPATCH = `
  WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock($4)),
  turn AS (${takenTurn(SCHEDULER, '$3::uuid', 'locked')}),
  given AS MATERIALIZED (
    SELECT j.id AS job_id, j.workspace_id, g.count, g.sources,
           CASE WHEN ${listensOf('j.id')} THEN g.envelope || '{"version": ${AUDIO_MESSAGE_VERSION}}' ELSE g.envelope END AS envelope
      FROM jsonb_to_recordset($1::jsonb) AS g ("jobId" uuid, count int, sources int, envelope jsonb)
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
    RETURNING job_id, index),
  requested AS (
    SELECT 'chunks.requested' AS topic, job_id, source_start AS source, position, jsonb_build_object('chunkId', id) AS payload FROM c
    UNION ALL
    SELECT 'sources.requested', job_id, index, 0, jsonb_build_object('sourceIndex', index) FROM s),
  o AS (${writtenMessages(`
    SELECT r.topic, r.job_id || '/' || r.source, g.envelope || jsonb_build_object('id', gen_random_uuid(), 'payload', r.payload),
           g.workspace_id::text
      FROM requested r JOIN given g USING (job_id) ORDER BY r.job_id, r.topic, r.source, r.position`)})
  SELECT count(*)::int AS jobs FROM given`;
