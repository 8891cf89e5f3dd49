import type { RetentionRule } from './rule.js';
import { artifacts } from './rules/artifacts.js';
import { changedRetention } from './rules/changed-retention.js';
import { clips } from './rules/clips.js';
import { datasetImports } from './rules/dataset-imports.js';
import { deletedBatches } from './rules/deleted-batches.js';
import { deletedIndexes } from './rules/deleted-indexes.js';
import { deletedTranscripts, deletedVariants } from './rules/deleted-transcripts.js';
import { events } from './rules/events.js';
import { expiredJobs, looks } from './rules/expired-jobs.js';
import { faces } from './rules/faces.js';
import { canaries, dictionaryVersions, modelVersions } from './rules/former-versions.js';
import { idempotencyKeys } from './rules/idempotency-keys.js';
import { jobTombstones } from './rules/job-tombstones.js';
import { media } from './rules/media.js';
import { objectRemovals } from './rules/object-removals.js';
import { observations } from './rules/observations.js';
import { onlineInferences } from './rules/online-inferences.js';
import { recordings } from './rules/recordings.js';
import { results } from './rules/results.js';
import { unfinishedErasures } from './rules/unfinished-erasures.js';
import { uploads } from './rules/uploads.js';
import { usage } from './rules/usage.js';

/** Rules in the order of a pass: rows before the objects that their removal records. */
export const RETENTION_RULES: readonly RetentionRule[] = [
  changedRetention,
  expiredJobs,
  looks,
  results,
  unfinishedErasures,
  deletedTranscripts,
  deletedVariants,
  jobTombstones,
  deletedBatches,
  artifacts,
  clips,
  recordings,
  uploads,
  observations,
  faces,
  media,
  deletedIndexes,
  datasetImports,
  dictionaryVersions,
  modelVersions,
  canaries,
  events,
  objectRemovals,
  idempotencyKeys,
  onlineInferences,
  usage,
];
