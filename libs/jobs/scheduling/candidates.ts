import { isLive } from '@adit/database';
import { turnOf } from '@adit/leases';
import { isStreamed } from '@adit/streams';
import type { DataSource } from 'typeorm';
import { SCHEDULER } from '../chunks/given-work.js';
import type { SlotLimits } from './slot-limits.js';

/** Slots that one round gives at the most, so that it holds up neither its process nor other schedulers. */
export const SLOTS_PER_ROUND = 200;

/** A job that could take a slot, and its workspace. */
export interface CandidateRow {
  id: string;
  workspace_id: string;
  weight: number;
  /** In flight, and active jobs, of the workspace. */
  workspace_in_flight: number;
  active_jobs: number;
  rank: number;
  time_created: Date;
  traceparent: string | null;
  admitted: boolean;
  in_flight: number;
  opening: number;
  /** Counted as far as the slots of a round go. */
  planned: number;
  /** Counted as far as sources are opened ahead. */
  waiting_sources: number;
  sources_ahead: number;
  /** A source was opened, so the kind of the job's media is known. */
  known: boolean;
}

export interface Candidates {
  /** Slots that are taken. */
  taken: number;
  /** Last turn of a scheduler. */
  turn: string | null;
  rows: CandidateRow[];
}

/** Reads who could get the next slots. It takes no lock, and costs by what is in flight and given, not by what waits. */
export async function findCandidates(
  db: Pick<DataSource, 'query'>,
  { total, perJob, activeJobs, admitsBeyond }: SlotLimits,
  sourcesAhead: number,
): Promise<Candidates> {
  const rows: ({ taken: number; turn: string | null } & (CandidateRow | { id: null }))[] = await db.query(CANDIDATES, [
    total,
    perJob,
    sourcesAhead,
    admitsBeyond ? null : activeJobs,
  ]);
  const [head] = rows;
  return {
    taken: head?.taken ?? 0,
    turn: head?.turn ?? null,
    rows: rows.filter((row): row is typeof row & CandidateRow => row.id !== null),
  };
}

/** SQL: something under the alias' job is there. Not EXISTS, which the planner may answer by reading a whole table. */
function has(table: 'chunks' | 'job_sources', state: string, job: string): string {
  return `(SELECT true FROM ${table} x WHERE x.job_id = ${job}.id AND x.state = '${state}' LIMIT 1) IS NOT NULL`;
}

/** SQL: recorders read the source of the job; it takes no slots. */
const IS_LIVE_STREAM = `(j.media_type = 'videostream' AND ${isStreamed('j')})`;
const WAITS = `j.state = 'waiting' AND NOT j.admitted AND j.time_deleted IS NULL AND NOT ${IS_LIVE_STREAM}`;

/** SQL: a round of the scheduler may find something to give. */
export const MAY_GIVE = `
  (SELECT true FROM jobs j WHERE j.admitted AND ${isLive('j')} LIMIT 1) IS NOT NULL
  OR (SELECT true FROM jobs j WHERE ${WAITS} LIMIT 1) IS NOT NULL`;

/** The order in which shareSlots comes to a job: what its workspace has by then, for its weight. */
const FIRST = `ORDER BY (workspace_in_flight + turn - 1)::float8 / weight, workspace_id LIMIT (SELECT most FROM room)`;

const COLUMNS = 'id, workspace_id, weight, workspace_in_flight, active_jobs, admitted, in_flight, opening';

/**
 * Admitted jobs that want a slot, and the first waiting ones of each workspace, as many as a round may come to. Each
 * of its parts reads an index that has only what it looks for.
 */
const CANDIDATES = `
  WITH RECURSIVE busy AS MATERIALIZED (
    SELECT job_id, count(*)::int AS in_flight, sum(opening)::int AS opening
      FROM (SELECT job_id, 0 AS opening FROM chunks WHERE state IN ('requested', 'decoded')
            UNION ALL SELECT job_id, 1 FROM job_sources WHERE state = 'requested') work
     GROUP BY job_id),
  admitted AS MATERIALIZED (
    SELECT j.id, j.workspace_id, coalesce(b.in_flight, 0) AS in_flight, coalesce(b.opening, 0) AS opening
      FROM jobs j LEFT JOIN busy b ON b.job_id = j.id
     WHERE j.admitted AND ${isLive('j')} AND NOT ${IS_LIVE_STREAM}
     ORDER BY j.workspace_id, j.rank, coalesce(b.in_flight, 0), j.time_created, j.id),
  shares AS MATERIALIZED (
    SELECT a.*, w.weight
      FROM (SELECT workspace_id, sum(in_flight)::int AS workspace_in_flight, count(*)::int AS active_jobs,
                   array_agg(id) AS ids, array_agg(in_flight) AS in_flights, array_agg(opening) AS openings
              FROM admitted GROUP BY workspace_id) a
      JOIN workspaces w ON w.id = a.workspace_id),
  room AS MATERIALIZED (
    SELECT taken, least($1::int - taken, ${SLOTS_PER_ROUND}) + 1 AS most
      FROM (SELECT coalesce(sum(workspace_in_flight), 0)::int AS taken FROM shares) t),
  going AS (
    SELECT n.*, s.workspace_id, s.weight, s.workspace_in_flight, s.active_jobs, true AS admitted
      FROM shares s CROSS JOIN LATERAL (
        SELECT a.id, a.in_flight, a.opening, row_number() OVER () AS turn
          FROM unnest(s.ids, s.in_flights, s.openings) AS a (id, in_flight, opening)
         WHERE a.in_flight < $2::int
           AND (${has('chunks', 'planned', 'a')}
             OR a.opening < $3::int AND ${has('job_sources', 'waiting', 'a')}
                AND (a.opening = 0 OR ${has('job_sources', 'planned', 'a')}))
         LIMIT (SELECT 1 + 2 * most / (SELECT count(*) FROM shares) FROM room)) n
     WHERE (SELECT most FROM room) > 0),
  queued AS (
    (SELECT j.workspace_id FROM jobs j WHERE ${WAITS} ORDER BY j.workspace_id LIMIT 1)
    UNION ALL
    SELECT (SELECT j.workspace_id FROM jobs j WHERE ${WAITS} AND j.workspace_id > q.workspace_id
             ORDER BY j.workspace_id LIMIT 1)
      FROM queued q WHERE q.workspace_id IS NOT NULL),
  coming AS (
    SELECT n.*, w.weight, coalesce(s.workspace_in_flight, 0) AS workspace_in_flight,
           coalesce(s.active_jobs, 0) AS active_jobs, false AS admitted, 0 AS in_flight, 0 AS opening
      FROM queued q
      JOIN workspaces w ON w.id = q.workspace_id
      LEFT JOIN shares s ON s.workspace_id = q.workspace_id
     CROSS JOIN LATERAL (
       SELECT *, row_number() OVER () AS turn FROM (
         SELECT j.id, j.workspace_id FROM jobs j
          WHERE j.workspace_id = q.workspace_id AND ${WAITS}
            AND (${has('job_sources', 'waiting', 'j')} OR ${has('chunks', 'planned', 'j')})
          ORDER BY j.rank, j.time_created
          LIMIT (SELECT 1 + 2 * most / (SELECT count(*) FROM queued) FROM room)) j) n
     WHERE (SELECT most FROM room) > 0 AND coalesce(s.active_jobs < $4::int, true))
  SELECT room.taken, ${turnOf(SCHEDULER)} AS turn, c.*
    FROM room LEFT JOIN (
      SELECT p.*, j.rank, j.time_created, j.traceparent, d.* FROM (
        (SELECT ${COLUMNS} FROM going ${FIRST}) UNION ALL (SELECT ${COLUMNS} FROM coming ${FIRST})) p
        JOIN jobs j ON j.id = p.id
       CROSS JOIN LATERAL (
         SELECT (SELECT count(*)::int FROM (
                   SELECT 1 FROM chunks x WHERE x.job_id = p.id AND x.state = 'planned'
                    LIMIT (SELECT most FROM room)) n) AS planned,
                (SELECT count(*)::int FROM (
                   SELECT 1 FROM job_sources x WHERE x.job_id = p.id AND x.state = 'waiting' LIMIT $3::int) n) AS waiting_sources,
                ${has('job_sources', 'planned', 'p')} AS known,
                (WITH RECURSIVE ahead AS (
                   (SELECT source_start, 1 AS n FROM chunks WHERE job_id = p.id AND state = 'planned'
                     ORDER BY source_start LIMIT 1)
                   UNION ALL
                   SELECT (SELECT x.source_start FROM chunks x WHERE x.job_id = p.id AND x.state = 'planned'
                            AND x.source_start > ahead.source_start ORDER BY x.source_start LIMIT 1), n + 1
                     FROM ahead WHERE source_start IS NOT NULL AND n < $3::int)
                 SELECT count(source_start)::int FROM ahead) AS sources_ahead) d) c ON true`;
