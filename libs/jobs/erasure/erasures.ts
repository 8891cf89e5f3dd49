import { JobErasureEntity, returned, rowsOfJob, type JobEntity, type RowsOfJob } from '@adit/database';
import { ARTIFACTS_OF_JOB, CLIPS_OF_JOB, deleteExports, exportPrefix } from '@adit/artifacts';
import type { EntityManager } from 'typeorm';
import { isInMediaFolder, mediaPrefix } from '../keys.js';
import { deleteSomeCanaryPictures } from '@adit/model-store';
import { folderOf, noteRemovals, type Removal } from '@adit/object-removals';
import { SEARCH_OF_JOB } from '@adit/search';
import { STREAMS_OF_JOB } from '@adit/streams';
import { TRANSCRIPTS_OF_JOB } from '@adit/transcript-store';
import { EVENTS_OF_JOB } from '@adit/webhooks';
import { mediaInUse, REMEMBERED } from '../chunks/observation-cache.js';

/** Maximum number of rows that one step deletes. */
export const ROWS_OF_STEP = 1_000;
/** Sources whose media is checked together. */
const SOURCES_PER_STEP = 100;
/** Time for which the process that took a step removes its objects, before others may. */
export const REMOVED_HERE_SECONDS = 60;

/** Rows of a job by its id. */
const RESULTS = [
  ...['identities', 'segments', 'summaries'].map(rowsOfJob),
  ARTIFACTS_OF_JOB,
  CLIPS_OF_JOB,
  rowsOfJob('job_events'),
  EVENTS_OF_JOB,
  ...STREAMS_OF_JOB,
];
const CHUNKS = rowsOfJob('chunks');
const PLANS = ['folds', 'chunk_analyses', 'job_modules', 'job_analyses'].map(rowsOfJob);

interface ErasureStep {
  /** Nothing is left. */
  over: boolean;
  /** Objects whose removal its transaction recorded. */
  removals: Removal[];
}

/**
 * Records, in the transaction that deletes a job, that its remains have to be erased. That is one row, however large
 * the job is. `eraseStep` does the work, when nobody finds the job any more.
 */
export async function noteErasure(manager: EntityManager, { id, workspaceId }: JobEntity): Promise<void> {
  await manager.insert(JobErasureEntity, { jobId: id, workspaceId });
}

/**
 * Erases some of a deleted job's remains in the caller's transaction: its rows, and cached media that no job uses.
 * Several processes may call it; a lock makes them run one after the other. After a crash the next step continues.
 */
export async function eraseStep(manager: EntityManager, jobId: string, rows = ROWS_OF_STEP): Promise<ErasureStep> {
  const [erasure]: { workspace_id: string }[] = await manager.query(
    'SELECT workspace_id FROM job_erasures WHERE job_id = $1 FOR UPDATE',
    [jobId],
  );
  if (erasure === undefined) return { over: true, removals: [] };
  let left = rows;
  let passed = 0;
  const take = async (rowsOf: RowsOfJob): Promise<void> => {
    const { found, gone } = await rowsOf(manager, jobId, left);
    left -= found;
    passed += found - gone;
  };
  // Work in flight that finds no chunk ends without a word.
  await take(CHUNKS);
  // Each with the row of its file and a note on its folder.
  const room = Math.ceil(left / 3);
  const exports = await deleteExports(manager, { job_id: jobId }, room);
  left = exports.length < room ? left - 3 * exports.length : 0;
  const prefixes = exports.map(exportPrefix);
  for (const rowsOf of [...SEARCH_OF_JOB, ...TRANSCRIPTS_OF_JOB, ...RESULTS]) await take(rowsOf);
  // They lie with the media, which another job may use.
  const canaries = await deleteSomeCanaryPictures(manager, jobId, left);
  left -= canaries.length;
  prefixes.push(...canaries);
  while (left > 0) {
    const part = await forgetSources(manager, { id: jobId, workspaceId: erasure.workspace_id }, left);
    if (part === null) break;
    left -= part.rows;
    prefixes.push(...part.prefixes);
  }
  for (const rowsOf of PLANS) await take(rowsOf);
  const over = left > 0 && passed === 0;
  if (over) await manager.delete(JobErasureEntity, { jobId });
  const removals = await noteRemovals(manager, prefixes, { inSeconds: REMOVED_HERE_SECONDS, again: true });
  return { over, removals };
}

/** Takes some of the job's sources, with what is known of their media where nobody else uses it; null when none is left. */
async function forgetSources(
  manager: EntityManager,
  job: { id: string; workspaceId: string },
  limit: number,
): Promise<{ rows: number; prefixes: string[] } | null> {
  const sources: { index: number; media_digest: string | null }[] = await manager.query(
    'SELECT index, media_digest FROM job_sources WHERE job_id = $1 ORDER BY index LIMIT $2',
    [job.id, Math.min(limit, SOURCES_PER_STEP)],
  );
  if (sources.length === 0) return null;
  const digests = [...new Set(sources.flatMap(({ media_digest: digest }) => digest ?? []))];
  const unused = await unusedMedia(manager, job.workspaceId, digests, USED);
  const rest = limit - sources.length;
  const { rows, prefixes } = await forgetMedia(manager, job.workspaceId, unused, rest);
  // More may be left: the sources stay for the next step.
  if (unused.length > 0 && rows >= rest) return { rows: limit, prefixes };
  // A source that was opened meanwhile is checked once more.
  await manager.query(
    `DELETE FROM job_sources s USING unnest($2::int[], $3::text[]) AS v (index, digest)
      WHERE s.job_id = $1 AND s.index = v.index AND s.media_digest IS NOT DISTINCT FROM v.digest`,
    [job.id, sources.map(({ index }) => index), sources.map(({ media_digest: digest }) => digest)],
  );
  return { rows: rows + sources.length, prefixes };
}

/**
 * Erases some cached media of whichever jobs, except media of running jobs; none begins before the transaction ends.
 * Returns the number of rows, and the objects to remove.
 */
export async function forgetIdleMedia(
  manager: EntityManager,
  workspaceId: string,
  digests: string[],
  limit = ROWS_OF_STEP,
): Promise<{ media: number; observations: number; prefixes: string[] }> {
  const idle = await unusedMedia(manager, workspaceId, digests, mediaInUse('$1', 'digest'));
  const { media, rows, prefixes } = await forgetMedia(manager, workspaceId, idle, limit);
  return { media, observations: rows, prefixes };
}

/** SQL: the media `digest` of workspace `$1` belongs to an existing job, running or ended. */
const USED = `EXISTS (
  SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id
   WHERE s.media_digest = digest AND j.workspace_id = $1 AND j.time_deleted IS NULL)`;

/** Locks media that is not `used`, in SQL. No new use appears before the transaction ends. */
async function unusedMedia(
  manager: EntityManager,
  workspaceId: string,
  digests: string[],
  used: string,
): Promise<string[]> {
  if (digests.length === 0) return [];
  // A process that plans with cached media holds its row until that shows (`holdMedia`); a later statement sees it.
  await manager.query(
    'SELECT 1 FROM media WHERE workspace_id = $1 AND digest = ANY($2::text[]) ORDER BY digest FOR UPDATE',
    [workspaceId, digests],
  );
  const rows: { digest: string }[] = await manager.query(
    `SELECT digest FROM unnest($2::text[]) AS digest WHERE NOT ${used}`,
    [workspaceId, digests],
  );
  return rows.map(({ digest }) => digest);
}

/** Erases media and some of its observations; none of them is found any more from the first step on. */
async function forgetMedia(
  manager: EntityManager,
  workspaceId: string,
  digests: string[],
  limit: number,
): Promise<{ media: number; rows: number; prefixes: string[] }> {
  if (digests.length === 0) return { media: 0, rows: 0, prefixes: [] };
  const media = returned<{ digest: string; generation: string | null; index_key: string | null }>(
    await manager.query(
      'DELETE FROM media WHERE workspace_id = $1 AND digest = ANY($2::text[]) RETURNING digest, generation, index_key',
      [workspaceId, digests],
    ),
  );
  // The key is compared too: observations that were made anew in another folder stay.
  const observations = returned<{ object_key: string }>(
    await manager.query(
      `DELETE FROM observations o USING (
         SELECT o.media_digest, o.interval, o.analysis_digest, o.object_key FROM observations o
          WHERE o.workspace_id = $1 AND o.media_digest = ANY($2::text[]) AND NOT ${REMEMBERED} LIMIT $3) g
        WHERE o.workspace_id = $1 AND o.media_digest = g.media_digest AND o.interval = g.interval
          AND o.analysis_digest = g.analysis_digest AND o.object_key = g.object_key
       RETURNING o.object_key`,
      [workspaceId, digests, limit],
    ),
  );
  const folders = media.flatMap(({ digest, generation }) =>
    generation === null ? [] : [mediaPrefix(workspaceId, digest, generation)],
  );
  // Media of earlier builds has no folder of its own.
  const alone = [
    ...media.flatMap(({ index_key: key }) => key ?? []),
    ...observations.flatMap(({ object_key: key }) => (isInMediaFolder(key) ? [] : [folderOf(key)])),
  ];
  const prefixes = [...folders, ...alone.filter((key) => !folders.some((folder) => key.startsWith(folder)))];
  return { media: media.length, rows: observations.length, prefixes };
}
