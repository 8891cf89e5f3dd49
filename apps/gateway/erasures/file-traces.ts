import { DatasetImageEntity, isActive, isLive } from '@adit/database';
import { eraseImage } from '@adit/datasets';
import {
  eraseFindings,
  forgetIdleMedia,
  hidePictures,
  jobPrefix,
  LockedJob,
  NOT_ERASED,
  packsPrefix,
} from '@adit/jobs';
import { deleteReportsOver, removeExported } from '@adit/artifacts';
import { noteRemovals } from '@adit/object-removals';
import { removeRecorded } from '@adit/streams';
import { eraseTranscriptStep, hideTranscripts } from '@adit/transcript-store';
import { deleteMessagesOfTranscripts } from '@adit/webhooks';
import { deleteCanaryPictures } from '@adit/model-store';
import type { EntityManager } from 'typeorm';
import { removeMessages } from './pending-messages.js';
import { removeFiles, type Step } from './traces.js';

/** Images of datasets that one step erases. */
const IMAGES = 100;
/** Segments of a recording that one step erases. */
const SEGMENTS = 1_000;

/** Counts of a receipt, zeros included. */
export const FILE_COUNTS = {
  ...{ segments: 0, sums: 0, pictures: 0, embeddings: 0, transcripts: 0, observations: 0, media: 0 },
  ...{ artifacts: 0, exports: 0, reports: 0, webhook_deliveries: 0, dataset_images: 0, recordings: 0 },
};
type FileCounts = Partial<Record<keyof typeof FILE_COUNTS, number>>;

interface FileStep extends Step {
  /** True when the rest has to wait for a job that mines the file, or for another erasure. */
  waits: boolean;
}

/** A file in a job that has ended. */
interface FoundSource {
  jobId: string;
  index: number;
  /** Address as the job has it. */
  uri: string;
  digest: string | null;
}

/** A stored file by its key, or a live stream by its address as shown. */
export interface ErasedFile {
  kind: 'stored' | 'live';
  key: string;
}

const STORAGE = 'storage://';

/** The file that a receipt names. */
export function erasedFile(uri: string): ErasedFile {
  return uri.startsWith(STORAGE) ? { kind: 'stored', key: uri.slice(STORAGE.length) } : { kind: 'live', key: uri };
}

/** SQL: the source `s` is the file `$2` of the workspace `$1`; each found by an index. */
export const OF_FILE: Readonly<Record<ErasedFile['kind'], string>> = {
  stored: `s.uri ILIKE 'storage://%' AND substr(s.uri, 11) = $2`,
  live: `s.uri = $2 AND s.job_id IN (SELECT t.job_id FROM streams t WHERE t.workspace_id = $1)`,
};

/** SQL: digests of the file `$2` of the workspace `$1`, from its jobs and its upload, with those of its programmes. */
export const DIGESTS_OF_FILE: Readonly<Record<ErasedFile['kind'], string>> = {
  stored: digestsOf('stored'),
  live: digestsOf('live'),
};

function digestsOf(kind: ErasedFile['kind']): string {
  return `
    SELECT s.media_digest AS digest FROM job_sources s JOIN jobs j ON j.id = s.job_id
     WHERE ${OF_FILE[kind]} AND j.workspace_id = $1
    UNION
    SELECT e.digest FROM storage_entries e WHERE e.workspace_id = $1 AND e.key = $2
    UNION
    SELECT p.digest FROM media p JOIN storage_entries e ON e.digest = p.part_of
     WHERE p.workspace_id = $1 AND e.workspace_id = $1 AND e.key = $2`;
}

/**
 * Erases, in the caller's transaction, some of what is known of a file: of every job that mined it the results, transcripts,
 * recordings and files, what is cached of its bytes, whichever address they have, and the images of datasets that are the file. Jobs that run are
 * waited for. It is over when a look finds nothing of all that, and none that waits.
 */
export async function eraseFile(manager: EntityManager, workspaceId: string, file: ErasedFile): Promise<FileStep> {
  const source = await nextSource(manager, workspaceId, file);
  if (source !== null) return eraseSource(manager, workspaceId, source);
  const digests = await knownDigests(manager, workspaceId, file);
  const { media, observations, prefixes } = await forgetIdleMedia(manager, workspaceId, digests);
  if (media + observations > 0) return step(manager, { media, observations }, { again: prefixes });
  const images = await eraseDatasetImages(manager, workspaceId, file.key);
  if (images !== null) return images;
  const waits = digests.length > 0 || (await isMined(manager, workspaceId, file));
  return { counts: {}, removals: [], over: !waits, waits };
}

/** Whether a job of the workspace has a live stream at this address, as it is shown. */
export async function isLiveFile(manager: EntityManager, workspaceId: string, shown: string): Promise<boolean> {
  const rows: unknown[] = await manager.query(`SELECT 1 FROM job_sources s WHERE ${OF_FILE.live} LIMIT 1`, [
    workspaceId,
    shown,
  ]);
  return rows.length > 0;
}

/** The first of them that was not erased since its job ended. */
async function nextSource(
  manager: EntityManager,
  workspaceId: string,
  { kind, key }: ErasedFile,
): Promise<FoundSource | null> {
  const rows: FoundSource[] = await manager.query(
    `SELECT s.job_id AS "jobId", s.index, s.uri, s.media_digest AS digest FROM job_sources s JOIN jobs j ON j.id = s.job_id
      WHERE ${OF_FILE[kind]} AND j.workspace_id = $1 AND j.time_deleted IS NULL AND NOT (${isActive('j')})
        AND (${NOT_ERASED} OR EXISTS (SELECT 1 FROM transcripts t WHERE t.job_id = s.job_id AND t.source = s.uri))
      ORDER BY s.job_id, s.index LIMIT 1`,
    [workspaceId, key],
  );
  return rows[0] ?? null;
}

/** Transcripts first: whoever makes one of the results afterwards finds none. */
async function eraseSource(manager: EntityManager, workspaceId: string, source: FoundSource): Promise<FileStep> {
  const { jobId, index, uri, digest } = source;
  const locked = await LockedJob.take(manager, jobId);
  // It was deleted meanwhile, or runs again.
  if (locked === null || locked.isActive) return { counts: {}, removals: [], over: false, waits: true };
  const transcripts = await eraseTranscripts(manager, workspaceId, source);
  if (transcripts !== null) return transcripts;
  const recorded = await removeRecorded(manager, jobId, SEGMENTS);
  if (recorded.length > 0) return step(manager, { recordings: recorded.length }, { once: recorded });
  const { segments, summaries: sums, embeddings, pictures, over } = await eraseFindings(locked, { index, uri });
  await hidePictures(manager, [jobId], pictures);
  const found = { segments, sums, embeddings, pictures: pictures.length };
  if (!over) return step(manager, found, { once: pictures });
  const canaries = await deleteCanaryPictures(manager, [jobId]);
  const files = await removeFiles(manager, [jobId]);
  const counts = {
    ...found,
    pictures: pictures.length + canaries.length,
    artifacts: files.length,
    reports: await deleteReportsOver(manager, workspaceId, jobId),
    webhook_deliveries: await removeMessages(manager, workspaceId, [jobId], { uri }),
  };
  // Where the workspace keeps no cache, what was observed lies with the job.
  const observed = digest === null ? [] : [`${jobPrefix(jobId)}media/${digest}/`];
  return step(manager, counts, { once: [...pictures, ...canaries, ...files, ...observed, packsPrefix(jobId)] });
}

/** Null when there is none. */
async function eraseTranscripts(
  manager: EntityManager,
  workspaceId: string,
  { jobId, uri }: FoundSource,
): Promise<FileStep | null> {
  // The next step erases transcripts that are written meanwhile.
  const hidden = await hideTranscripts(manager, jobId, uri);
  if (hidden.length > 0) {
    const messages = await deleteMessagesOfTranscripts(manager, workspaceId, hidden);
    return step(manager, { transcripts: hidden.length, webhook_deliveries: messages });
  }
  const [left]: { id: string }[] = await manager.query(
    'SELECT id FROM transcripts WHERE job_id = $1 AND source = $2 LIMIT 1',
    [jobId, uri],
  );
  if (left === undefined) return null;
  const { exports, removals } = await eraseTranscriptStep(manager, left.id);
  // Some messages may have been written while the transcript was being hidden.
  const messages = await deleteMessagesOfTranscripts(manager, workspaceId, [left.id]);
  const counts = { exports, webhook_deliveries: messages };
  return { counts, removals: removals.map(({ id }) => id), over: false, waits: false };
}

/** Digests of the file for which the cache holds something. */
async function knownDigests(manager: EntityManager, workspaceId: string, { kind, key }: ErasedFile): Promise<string[]> {
  const rows: { digest: string }[] = await manager.query(
    `SELECT digest FROM (${DIGESTS_OF_FILE[kind]}) file
      WHERE EXISTS (SELECT 1 FROM media m WHERE m.workspace_id = $1 AND m.digest = file.digest)
         OR EXISTS (SELECT 1 FROM observations o WHERE o.workspace_id = $1 AND o.media_digest = file.digest)`,
    [workspaceId, key],
  );
  return rows.map(({ digest }) => digest);
}

/** Images that datasets took from results are their own. Null when there is none. */
async function eraseDatasetImages(manager: EntityManager, workspaceId: string, key: string): Promise<FileStep | null> {
  const images = await manager.find(DatasetImageEntity, {
    where: { workspaceId, storageKey: key },
    order: { classId: 'ASC', id: 'ASC' },
    take: IMAGES,
  });
  if (images.length === 0) return null;
  let erased = 0;
  for (const image of images) erased += Number(await eraseImage(manager, image));
  const files = await removeExported(manager, 'dataset_id', [...new Set(images.map(({ datasetId }) => datasetId))]);
  return step(manager, { dataset_images: erased, artifacts: files.length }, { once: files });
}

/** Tells whether a job mines the file, or left something of it when it was deleted. */
async function isMined(manager: EntityManager, workspaceId: string, { kind, key }: ErasedFile): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id
      WHERE ${OF_FILE[kind]} AND j.workspace_id = $1 AND (${isLive('j')} OR j.time_deleted IS NOT NULL) LIMIT 1`,
    [workspaceId, key],
  );
  return rows.length > 0;
}

/** One that has erased something. What lies under prefixes that are noted `again` goes once more after a while. */
async function step(
  manager: EntityManager,
  counts: FileCounts,
  { once = [], again = [] }: { once?: readonly string[]; again?: readonly string[] } = {},
): Promise<FileStep> {
  const removals = [
    ...(await noteRemovals(manager, [...new Set(once)])),
    ...(await noteRemovals(manager, again, { again: true })),
  ];
  return { counts, removals: removals.map(({ id }) => id), over: false, waits: false };
}
