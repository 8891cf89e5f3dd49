/** Statements that write the table `search_feed`: what is left to index of jobs. */
import { returned, rowsOfJob, rowsOfWorkspace, type RowsOfJob, type RowsOfWorkspace } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { hasAlertingSearches, SAVED_SEARCH_ROWS } from '../saved/saved-searches.js';
import { removeDocuments, removeTextDocuments, renumberDocuments } from '../postgres/documents.js';
import { FACE_ROWS, forgetFaces, removeFaces, renumberFaces, rowsOfFaces } from '../postgres/faces.js';
import { SEARCH_VERSION } from '../version.js';

/** Version of a job that is being indexed from its beginning, and of one that is to be. */
const [ROUND_BEGUN, TO_REBUILD] = [0, -1];

/** SQL: what follows of a noted change, whatever the row `f` was; `from` is the first segment that is to be indexed again. */
function noted(from: string): string {
  return `changes = f.changes + 1, next_seq = least(f.next_seq, ${from}),
    state = CASE WHEN f.state = 'processing' THEN 'processing' ELSE 'waiting' END,
    attempts = CASE WHEN f.state = 'failed' THEN 0 ELSE f.attempts END,
    lease_until = CASE WHEN f.state = 'processing' THEN f.lease_until END,
    time_created = CASE WHEN f.state IN ('waiting', 'processing') THEN f.time_created ELSE now() END`;
}

/**
 * Notes, in the transaction that changes them, that results of jobs are to be indexed: new segments and texts, or, `again`,
 * all segments. It comes before any change of documents, so that nobody waits for each other.
 */
export async function noteSearchable(
  manager: EntityManager,
  jobIds: readonly string[],
  { again = false }: { again?: boolean } = {},
): Promise<void> {
  await manager.query(
    `INSERT INTO search_feed AS f (id, workspace_id)
     SELECT j.id, j.workspace_id FROM jobs j WHERE j.id = ANY($1::uuid[]) AND j.time_deleted IS NULL AND j.export_id IS NULL ORDER BY j.id
     ON CONFLICT (id) DO UPDATE SET ${noted(again ? '0' : 'f.next_seq')}`,
    [[...new Set(jobIds)]],
  );
}

/** Notes that the names of people of index collections change, in the jobs that show them. */
export async function noteNames(manager: EntityManager, indexIds: readonly string[]): Promise<void> {
  if (indexIds.length === 0) return;
  await manager.query(
    `WITH shown AS (SELECT job_id, min(seq) AS seq FROM segments WHERE index_id = ANY($1::text[]) GROUP BY 1),
     locked AS MATERIALIZED (
       SELECT l.id, shown.seq FROM search_feed l JOIN shown ON shown.job_id = l.id ORDER BY l.id FOR UPDATE OF l)
     UPDATE search_feed f SET ${noted('locked.seq')} FROM locked WHERE f.id = locked.id`,
    [[...indexIds]],
  );
}

/** Segments whose documents go with a name at once; the others follow as they are indexed again. */
const FORGOTTEN_AT_ONCE = 10_000;

/** Makes people of index collections unfindable by their names, in the transaction that removes them. */
export async function forgetNames(manager: EntityManager, indexIds: readonly string[]): Promise<void> {
  if (indexIds.length === 0) return;
  await noteNames(manager, indexIds);
  const shown: { jobId: string; seq: number }[] = await manager.query(
    `SELECT job_id AS "jobId", seq FROM segments WHERE index_id = ANY($1::text[]) LIMIT ${FORGOTTEN_AT_ONCE}`,
    [[...indexIds]],
  );
  await removeDocuments(manager, shown);
}

/** Makes people of index collections unfindable, by their names and by photos, in the transaction that removes them. */
export async function forgetPeople(manager: EntityManager, indexIds: readonly string[]): Promise<void> {
  await forgetNames(manager, indexIds);
  await forgetFaces(manager, indexIds);
}

/**
 * Makes segments unfindable as they are, in the transaction that changes them; they are indexed again as they are then,
 * without their faces.
 */
export async function forgetSegments(
  manager: EntityManager,
  segments: readonly { jobId: string; seq: number }[],
): Promise<void> {
  if (segments.length === 0) return;
  await noteSearchable(
    manager,
    segments.map(({ jobId }) => jobId),
    { again: true },
  );
  await removeDocuments(manager, segments);
  await removeFaces(manager, segments);
}

/** Makes texts unfindable, in the transaction that deletes them. The speech that they were made of is indexed again. */
export async function forgetTexts(
  manager: EntityManager,
  texts: { jobId: string; variantIds: readonly string[] },
): Promise<void> {
  await noteSearchable(manager, [texts.jobId], { again: true });
  await removeTextDocuments(manager, texts);
}

/** To be called before the segments of a job are numbered densely, in their order. */
export async function renumberSearchable(manager: EntityManager, jobId: string): Promise<void> {
  await noteSearchable(manager, [jobId], { again: true });
  await manager.query(
    `UPDATE search_feed SET matched_seq = (
       SELECT count(*) FROM segments s WHERE s.job_id = search_feed.id AND s.seq < matched_seq) WHERE id = $1`,
    [jobId],
  );
  await renumberDocuments(manager, jobId);
  await renumberFaces(manager, jobId);
}

/** The feed's row of a job; its key is the job's id. */
const feedOfJob: RowsOfJob = async (manager, jobId, limit) => {
  if (limit === 0) return { found: 0, gone: 0 };
  const [row]: [{ gone: number }] = await manager.query(
    'WITH gone AS (DELETE FROM search_feed WHERE id = $1 RETURNING 1) SELECT count(*)::int AS gone FROM gone',
    [jobId],
  );
  return { found: row.gone, gone: row.gone };
};

/** In this order: whoever indexes the job has written its documents, or finds no row any more. */
export const SEARCH_OF_JOB: readonly RowsOfJob[] = [feedOfJob, rowsOfJob('search_documents'), rowsOfFaces];

/** Rows that go with their workspace, in this order. */
export const SEARCH_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('search_feed'),
  rowsOfWorkspace('search_documents', { kind: 'search_documents' }),
  FACE_ROWS,
  rowsOfWorkspace('search_words'),
  SAVED_SEARCH_ROWS,
];

/** How far the indexing of a job is. */
export interface FeedState {
  /** Segments below this number are indexed, */
  nextSeq: number;
  /** and below this one they were matched against saved searches. */
  matchedSeq: number;
  /** Number of noted changes. */
  changes: number;
  round: number;
  version: number;
  languages: string[];
}

const STATE = `next_seq AS "nextSeq", matched_seq AS "matchedSeq", changes, round, version, languages`;

/** Reads the row of a job; null when it is gone. */
export async function readFeed(manager: EntityManager, id: string): Promise<FeedState | null> {
  const [row]: [FeedState?] = await manager.query(`SELECT ${STATE} FROM search_feed WHERE id = $1`, [id]);
  return row ?? null;
}

/** The same of a job with segments that saved searches were not asked of; else null. */
export async function readUnmatched(manager: EntityManager, id: string): Promise<FeedState | null> {
  const [row]: [FeedState?] = await manager.query(
    `SELECT ${STATE} FROM search_feed WHERE id = $1 AND matched_seq < next_seq`,
    [id],
  );
  return row ?? null;
}

/**
 * Writes how far a job is indexed; whoever calls it holds the row. Answers whether there are segments that saved searches
 * are to be asked of.
 */
export async function moveFeed(
  manager: EntityManager,
  id: string,
  { nextSeq, languages }: Pick<FeedState, 'nextSeq' | 'languages'>,
): Promise<boolean> {
  const moved = await manager.query(
    `UPDATE search_feed f SET next_seq = $2, error_msg = NULL,
            languages = ARRAY(SELECT DISTINCT unnest(languages || $3::text[])),
            matched_seq = CASE WHEN ${hasAlertingSearches('f.workspace_id')} THEN matched_seq
                               ELSE greatest(matched_seq, $2) END
      WHERE id = $1 RETURNING matched_seq < next_seq AS unmatched`,
    [id, nextSeq, languages],
  );
  return returned<{ unmatched: boolean }>(moved)[0]?.unmatched === true;
}

/** Notes segments as matched, unless somebody else has, or their numbers have changed; answers whether it did. */
export async function moveMatched(
  manager: EntityManager,
  id: string,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const moved = await manager.query(
    'UPDATE search_feed SET matched_seq = $3 WHERE id = $1 AND matched_seq = $2 AND next_seq >= $3 RETURNING id',
    [id, from, to],
  );
  return returned(moved).length > 0;
}

/** Writes that all of a job is indexed; answers how many seconds after the oldest change. The caller holds the row. */
export async function endFeed(manager: EntityManager, id: string): Promise<number> {
  const [row] = returned<{ lag: number }>(
    await manager.query(
      `UPDATE search_feed f
        SET state = 'done', attempts = 0, lease_until = NULL, indexed = changes, error_msg = NULL,
            version = CASE WHEN f.version IN (${ROUND_BEGUN}, ${SEARCH_VERSION}) THEN ${SEARCH_VERSION} ELSE f.version END,
            segments = j.segment_count, job_end = j.time_completed, time_indexed = clock_timestamp()
       FROM jobs j WHERE f.id = $1 AND j.id = f.id
     RETURNING extract(epoch FROM clock_timestamp() - f.time_created)::float8 AS lag`,
      [id],
    ),
  );
  return row?.lag ?? 0;
}

/**
 * Has jobs indexed again as a whole, while they can be found as they were: those of a workspace, or all. Answers how many.
 * They are noted a few at a time by `catchUp`, so that what is new never waits behind them.
 */
export async function rebuildSearch(
  manager: Pick<EntityManager, 'query'>,
  { workspaceId, jobId }: { workspaceId?: string | undefined; jobId?: string | undefined } = {},
): Promise<number> {
  const [row]: [{ count: number }] = await manager.query(
    `WITH asked AS (
       UPDATE search_feed SET version = ${TO_REBUILD}
        WHERE ($1::uuid IS NULL OR workspace_id = $1) AND ($2::uuid IS NULL OR id = $2) RETURNING 1)
     SELECT count(*)::int AS count FROM asked`,
    [workspaceId ?? null, jobId ?? null],
  );
  return row.count;
}

/** Jobs that wait as one part of what is to be caught up with. */
const CAUGHT_UP_AT_ONCE = 50;

/**
 * Notes some of the jobs that are to be indexed again: what was to be rebuilt, what `compareJobs` has found, and what is of
 * an earlier form or given up. Answers whether there may be more; those wait while as many are noted already.
 */
export async function catchUp(manager: Pick<EntityManager, 'query'>): Promise<boolean> {
  const [{ open }]: [{ open: number }] = await manager.query(
    `SELECT count(*)::int AS open FROM (
       SELECT 1 FROM search_feed WHERE state IN ('waiting', 'processing') LIMIT ${CAUGHT_UP_AT_ONCE}) noted`,
  );
  if (open >= CAUGHT_UP_AT_ONCE) return true;
  const [{ count }]: [{ count: number }] = await manager.query(
    `WITH late AS (
       (SELECT id FROM search_feed WHERE state = 'done' AND version < ${SEARCH_VERSION} LIMIT ${CAUGHT_UP_AT_ONCE})
       UNION ALL
       (SELECT id FROM search_feed WHERE state = 'failed' AND lease_until <= now() LIMIT ${CAUGHT_UP_AT_ONCE})),
     noted AS (
       UPDATE search_feed f SET ${noted('0')}, round = f.round + 1, version = ${ROUND_BEGUN}
        WHERE f.id IN (SELECT l.id FROM search_feed l JOIN late USING (id) ORDER BY l.id FOR UPDATE OF l SKIP LOCKED)
       RETURNING 1)
     SELECT count(*)::int AS count FROM noted`,
  );
  return count >= CAUGHT_UP_AT_ONCE;
}

/** Jobs that are compared at once. */
const COMPARED_AT_ONCE = 1_000;
const [FIRST, LAST] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * Compares some jobs with what is indexed of them, by their ids from the first or after one on, and marks those whose results
 * were changed and nobody noted it, as an older build does; `catchUp` notes them. Answers the last id, null at the end, and
 * jobs that are gone, with something of them in the index (`forgetJob`).
 */
export async function compareJobs(
  manager: Pick<EntityManager, 'query'>,
  after: string | null,
): Promise<{ last: string | null; gone: string[] }> {
  const from = after ?? FIRST;
  const ids: { id: string }[] = await manager.query(
    `SELECT id FROM jobs WHERE id > $1 ORDER BY id LIMIT ${COMPARED_AT_ONCE}`,
    [from],
  );
  const last = ids.length < COMPARED_AT_ONCE ? null : (ids.at(-1)?.id ?? null);
  // Nobody is told of what an older build has found.
  await manager.query(
    `INSERT INTO search_feed AS f (id, workspace_id, state, version, matched_seq)
     SELECT j.id, j.workspace_id, 'done', ${TO_REBUILD},
            (SELECT coalesce(max(seq) + 1, 0) FROM segments s WHERE s.job_id = j.id)
       FROM jobs j LEFT JOIN search_feed f ON f.id = j.id
      WHERE j.id > $1 AND j.id <= $2 AND j.time_deleted IS NULL AND j.export_id IS NULL
        AND (f.id IS NULL AND j.segment_count > 0
          OR f.state = 'done' AND f.version >= 0 AND (f.segments <> j.segment_count
             OR f.job_end IS DISTINCT FROM j.time_completed
             OR EXISTS (SELECT 1 FROM transcript_variants v WHERE v.job_id = j.id AND v.time_updated > f.time_indexed)))
      ORDER BY j.id
     ON CONFLICT (id) DO UPDATE SET version = CASE WHEN f.state = 'done' THEN ${TO_REBUILD} ELSE f.version END`,
    [from, last ?? LAST],
  );
  const gone: { id: string }[] = await manager.query(
    `SELECT f.id FROM search_feed f
      WHERE f.id > $1 AND f.id <= $2
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = f.id AND j.time_deleted IS NULL)
        AND NOT EXISTS (SELECT 1 FROM job_erasures e WHERE e.job_id = f.id)`,
    [from, last ?? LAST],
  );
  return { last, gone: gone.map(({ id }) => id) };
}

/** Documents that one step of `forgetJob` removes. */
const GONE_PER_STEP = 1_000;

/** Removes some of what is left of a job that an older build erased; answers whether there may be more. */
export async function forgetJob(manager: EntityManager, id: string): Promise<boolean> {
  const rows: unknown[] = await manager.query('SELECT 1 FROM search_feed WHERE id = $1 FOR UPDATE', [id]);
  if (rows.length === 0) return false;
  for (const rowsOf of [rowsOfDocuments, rowsOfFaces]) {
    const { found } = await rowsOf(manager, id, GONE_PER_STEP);
    if (found === GONE_PER_STEP) return true;
  }
  await manager.query('DELETE FROM search_feed WHERE id = $1', [id]);
  return false;
}

const rowsOfDocuments = rowsOfJob('search_documents');
