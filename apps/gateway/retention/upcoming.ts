import { isoTime, RETENTION_KINDS, type RetentionKind, type RetentionUpcoming } from '@adit/contracts';
import { isActive, isHeld, retentionSeconds } from '@adit/database';
import type { DataSource } from 'typeorm';

/** Rows of a kind that are looked at: their number bounds the time of each statement. */
const MAX_ROWS = 10_000;
const SHOWN = 10;

interface Row {
  /** Null in the only row of a kind of which nothing goes. */
  id: string | null;
  name: string | null;
  time: Date;
  count: number;
  looked: number;
}

/** SQL: time after which what was made at `column` is over; null: never. */
const over = (kind: RetentionKind, column: string): string =>
  `${column} + make_interval(secs => ${retentionSeconds(kind, '$1::uuid')})`;

/** SQL: `column` of a row that is over before `$2`. An index finds such rows, since the rest does not depend on them. */
const isOver = (kind: RetentionKind, column: string): string =>
  `${column} < $2::timestamptz - make_interval(secs => ${retentionSeconds(kind, '$1::uuid')})`;

/** Files that a job under a legal hold has mined. */
const HELD_FILE = `EXISTS (SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id
  WHERE j.workspace_id = $1 AND j.time_deleted IS NULL AND ${isHeld('j')}
    AND s.uri ILIKE 'storage://%' AND substr(s.uri, 11) = e.key)`;

/**
 * SQL by kind: at most MAX_ROWS rows `id, name, time, kept` of the workspace `$1` that are over before `$2`, the next ones
 * first. Rows without a workspace of their own are looked at in the order of their expiry, whosever they are.
 */
const ROWS: Record<RetentionKind, string> = {
  observations: `
    SELECT o.media_digest AS id, NULL AS name, o.time_expires AS time,
           o.workspace_id <> $1 OR EXISTS (SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id
             WHERE s.media_digest = o.media_digest AND j.workspace_id = $1 AND j.time_deleted IS NULL
               AND (${isActive('j')} OR ${isHeld('j')})) AS kept
      FROM (SELECT * FROM observations WHERE time_expires < $2 ORDER BY time_expires LIMIT ${MAX_ROWS}) o`,
  results: `
    SELECT id, name, time, kept FROM (
      (SELECT j.id::text AS id, j.tag AS name, least(${over('results', 'j.time_completed')}, j.time_expires) AS time, ${isHeld('j')} AS kept
         FROM jobs j
        WHERE j.workspace_id = $1 AND j.time_deleted IS NULL AND j.time_completed IS NOT NULL AND j.export_id IS NULL
          AND ${isOver('results', 'j.time_completed')} ORDER BY j.time_completed LIMIT ${MAX_ROWS / 2})
      UNION
      (SELECT j.id::text, j.tag, least(${over('results', 'j.time_completed')}, j.time_expires), j.workspace_id <> $1 OR ${isHeld('j')}
         FROM (SELECT * FROM jobs WHERE time_expires < $2 ORDER BY time_expires LIMIT ${MAX_ROWS / 2}) j
        WHERE j.time_deleted IS NULL AND j.time_completed IS NOT NULL AND j.export_id IS NULL)) found`,
  artifacts: `
    SELECT a.id::text AS id, a.filename AS name, a.time_expiration AS time,
           coalesce(j.workspace_id, e.workspace_id) IS DISTINCT FROM $1 OR EXISTS (SELECT 1 FROM jobs h
             WHERE h.id = ANY(array_append(e.found_in, coalesce(a.job_id, e.job_id))) AND ${isHeld('h')}) AS kept
      FROM (SELECT * FROM artifacts WHERE time_expiration < $2 ORDER BY time_expiration LIMIT ${MAX_ROWS}) a
      LEFT JOIN exports e ON e.id = a.export_id LEFT JOIN jobs j ON j.id = a.job_id`,
  uploads: `
    SELECT e.id::text AS id, e.name, ${over('uploads', 'e.time_uploaded')} AS time, ${HELD_FILE} AS kept
      FROM storage_entries e WHERE e.workspace_id = $1 AND e.uploaded AND NOT e.is_folder AND ${isOver('uploads', 'e.time_uploaded')}
     ORDER BY e.time_uploaded LIMIT ${MAX_ROWS}`,
  recordings: `
    SELECT DISTINCT j.id::text AS id, j.tag AS name, ${over('recordings', 'j.time_completed')} AS time, ${isHeld('j')} AS kept
      FROM streams t JOIN jobs j ON j.id = t.job_id
     WHERE t.workspace_id = $1 AND t.record_seconds IS NOT NULL AND j.time_deleted IS NULL
       AND j.time_completed IS NOT NULL AND ${isOver('recordings', 'j.time_completed')}
       AND EXISTS (SELECT 1 FROM recording_headers h WHERE h.job_id = j.id)
     LIMIT ${MAX_ROWS}`,
  audit_lines: `
    SELECT l.id::text AS id, l.resource AS name, l.time + make_interval(secs => k.seconds) AS time, l.time >= $2::timestamptz - make_interval(secs => k.seconds) AS kept
      FROM (SELECT * FROM audit_entries WHERE workspace_id = $1 ORDER BY id LIMIT ${MAX_ROWS}) l,
           (SELECT greatest((SELECT (w.retention ->> 'audit_lines')::bigint FROM workspaces w WHERE w.id = $1), $3::bigint) AS seconds) k`,
  receipts: `
    SELECT e.id::text AS id, NULL AS name, ${over('receipts', 'e.time_completed')} AS time, NOT (${isOver('receipts', 'e.time_completed')}) AS kept
      FROM (SELECT * FROM erasures WHERE workspace_id = $1 ORDER BY time_created LIMIT ${MAX_ROWS}) e
     WHERE e.time_completed IS NOT NULL AND ${isOver('receipts', 'e.time_completed')}`,
  faces: `
    SELECT f.job_id::text AS id, j.tag AS name, ${over('faces', 'f.time_created')} AS time, ${isHeld('j')} AS kept
      FROM (SELECT * FROM search_faces WHERE workspace_id = $1 AND ${isOver('faces', 'time_created')}
             ORDER BY time_created LIMIT ${MAX_ROWS}) f
      JOIN jobs j ON j.id = f.job_id`,
};

/** Returns what goes within some hours, as things are now. */
export async function upcoming(
  db: DataSource,
  workspaceId: string,
  hours: number,
  auditLines: number | null,
): Promise<RetentionUpcoming> {
  const [clock]: { until: Date }[] = await db.query('SELECT now() + make_interval(hours => $1) AS until', [hours]);
  const until = clock?.until ?? new Date();
  const kinds = [];
  for (const kind of RETENTION_KINDS) {
    const parameters = [workspaceId, until, ...(kind === 'audit_lines' ? [auditLines] : [])];
    kinds.push(await upcomingOf(db, kind, parameters));
  }
  return { until: isoTime(until), kinds };
}

async function upcomingOf(
  db: DataSource,
  kind: RetentionKind,
  parameters: unknown[],
): Promise<RetentionUpcoming['kinds'][number]> {
  const rows: Row[] = await db.query(
    `WITH found AS MATERIALIZED (${ROWS[kind]}), due AS (SELECT id, name, time FROM found WHERE NOT kept)
     SELECT d.id, d.name, d.time, c.count, c.looked
       FROM (SELECT (SELECT count(*)::int FROM due) AS count, (SELECT count(*)::int FROM found) AS looked) c
       LEFT JOIN (SELECT * FROM due ORDER BY time, id LIMIT ${SHOWN}) d ON true ORDER BY d.time, d.id`,
    parameters,
  );
  const [{ count, looked } = { count: 0, looked: 0 }] = rows;
  return {
    kind,
    count,
    is_partial: looked >= (kind === 'results' ? MAX_ROWS / 2 : MAX_ROWS),
    first: rows.flatMap(({ id, name, time }) => (id === null ? [] : [{ id, name, time: isoTime(time) }])),
  };
}
