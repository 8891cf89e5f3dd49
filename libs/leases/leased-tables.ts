import type { DatasetType } from '@adit/contracts';
import { isLive, noneIsDeleted } from '@adit/database';
import type { LeasedTable } from './leased-rows.js';

const OF_LIVE_JOB = `EXISTS (SELECT 1 FROM jobs j WHERE j.id = job_id AND ${isLive('j')})`;

const OF_JOB_THAT_IS_THERE = 'EXISTS (SELECT 1 FROM jobs j WHERE j.id = job_id AND j.time_deleted IS NULL)';

/** Work that a message requests. `lease_until` is also that of the message, which may wait in a queue. */
const REQUESTED: Omit<LeasedTable, 'name'> = {
  attempts: 'attempts',
  leaseUntil: 'lease_until',
  // A retry of the job restarts `attempts`.
  token: 'fencing_token',
  runningUntil: 'running_until',
  open: `state = 'requested'`,
  live: OF_LIVE_JOB,
  // A running attempt sets both to the same time; a different lease is that of a dispatch since, by whatever build.
  free: '(running_until IS NULL OR running_until <= now() OR running_until IS DISTINCT FROM lease_until)',
  begun: null,
};
export const SOURCES: LeasedTable = { name: 'job_sources', ...REQUESTED };
export const CHUNKS: LeasedTable = { name: 'chunks', ...REQUESTED };
export const ANALYSES: LeasedTable = { name: 'chunk_analyses', ...REQUESTED, begun: 'progress = 0' };

/** Tasks in rows without messages: a free process claims one, in the order of `FairTaskQueue`. */
const TASK: Omit<LeasedTable, 'name'> = {
  attempts: 'attempts',
  leaseUntil: 'lease_until',
  token: null,
  runningUntil: null,
  open: `state IN ('waiting', 'processing')`,
  live: 'true',
  free: `(state = 'waiting' OR lease_until <= now())`,
  begun: `state = 'processing'`,
};
export const REPORTS: LeasedTable = { name: 'reports', ...TASK };
export const JOB_ENDINGS: LeasedTable = { name: 'job_endings', ...TASK };
export const EXPORTS: LeasedTable = {
  name: 'exports',
  ...TASK,
  // The erasure of a person from a job's results restarts a report that is being written.
  token: 'fencing_token',
  // Rows of a deleted job, text or dataset are removed with it, in steps.
  live: `NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = exports.job_id AND j.time_deleted IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM datasets d WHERE d.id = exports.dataset_id AND d.time_deleted IS NOT NULL)
    AND ${noneIsDeleted('exports.found_in')}`,
};

export const DATASET_ERASURES: LeasedTable = { name: 'dataset_erasures', ...TASK };

export const DATASET_IMPORTS: LeasedTable = {
  name: 'dataset_imports',
  ...TASK,
  // Progress restarts `attempts`.
  token: 'fencing_token',
  live: 'NOT EXISTS (SELECT 1 FROM datasets d WHERE d.id = dataset_imports.dataset_id AND d.time_deleted IS NOT NULL)',
  begun: `state = 'processing', time_started = coalesce(time_started, now())`,
};

/** Clips: a free decoder cuts one. */
export const CLIPS: LeasedTable = {
  name: 'clips',
  ...TASK,
  live: OF_JOB_THAT_IS_THERE,
};

/** An evaluation restarts `attempts` whenever its subject changes. */
const EVALUATED: Omit<LeasedTable, 'name'> = { ...TASK, token: 'fencing_token' };
/** Pictures of datasets, by type of dataset: a different service analyses each. */
export const DATASET_IMAGES = { face: imagesOf('face'), landmark: imagesOf('landmark') };
export const DATASET_CLASSES: LeasedTable = {
  name: 'dataset_classes',
  ...EVALUATED,
  // A comparison pauses afterwards for each of the images: those that come meanwhile are compared together.
  free: `${TASK.free} AND (time_evaluated IS NULL OR time_evaluated <= now() - make_interval(secs => images / 1000.0))`,
  // Images are compared with each other when all of them are analysed.
  live: `time_deleted IS NULL AND NOT EXISTS (
    SELECT 1 FROM dataset_images i WHERE i.class_id = dataset_classes.id AND i.state IN ('waiting', 'processing'))`,
};

function imagesOf(type: DatasetType): LeasedTable {
  const live = `EXISTS (SELECT 1 FROM datasets d WHERE d.id = dataset_id AND d.type = '${type}')`;
  return { name: 'dataset_images', ...EVALUATED, live };
}

export const TRAININGS: LeasedTable = {
  name: 'trainings',
  ...TASK,
  // All images of the training are analysed.
  free: `${TASK.free} AND NOT EXISTS (
    SELECT 1 FROM dataset_images i
     WHERE i.dataset_id = trainings.dataset_id AND i.state IN ('waiting', 'processing')
       AND i.time_created <= trainings.time_created)`,
  begun: `state = 'processing', time_started = coalesce(time_started, now())`,
};

/** Live streams: a free recorder claims one, and holds it for as long as it lasts. */
export const STREAMS: LeasedTable = {
  name: 'streams',
  ...TASK,
  // A recorder that got further than the one before restarts `attempts`.
  token: 'fencing_token',
  live: OF_LIVE_JOB,
  begun: `${TASK.begun}, handing_over = false, successor_until = NULL`,
};

/**
 * Thumbnails of stored files. A client that waits for one asks again when the lease has run out, which begins an
 * attempt.
 */
export const THUMBNAILS: LeasedTable = {
  name: 'storage_entries',
  attempts: 'thumbnail_attempts',
  leaseUntil: 'thumbnail_lease_until',
  token: null,
  runningUntil: null,
  open: `thumbnail = 'requested'`,
  live: 'uploaded',
  free: 'true',
  begun: null,
};

/** Jobs whose results are indexed for the search; the key is the job's id. */
export const SEARCH_FEED: LeasedTable = {
  name: 'search_feed',
  ...TASK,
  // A change that is noted after it was given up restarts `attempts`.
  token: 'fencing_token',
  live: 'EXISTS (SELECT 1 FROM jobs j WHERE j.id = search_feed.id AND j.time_deleted IS NULL)',
};

/** Tables whose rows are claimed by the rules of `leased-rows.ts`. */
export const LEASED_TABLES = [
  SOURCES,
  CHUNKS,
  ANALYSES,
  EXPORTS,
  CLIPS,
  REPORTS,
  JOB_ENDINGS,
  THUMBNAILS,
  DATASET_ERASURES,
  DATASET_IMPORTS,
  ...Object.values(DATASET_IMAGES),
  DATASET_CLASSES,
  TRAININGS,
  STREAMS,
  SEARCH_FEED,
];
