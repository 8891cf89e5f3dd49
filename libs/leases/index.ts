export {
  attemptsOf,
  claimAttempt,
  leasedAnalysis,
  leasedChunk,
  leasedSource,
  leasedThumbnail,
  requeue,
  restartAttempts,
  runAttempt,
  type LeasedWork,
} from './attempts.js';
export * from './installation-lease.js';
export {
  isWanted,
  type ClaimedTask,
  type LeasedTable,
  releaseRow,
  renewLease,
  updateHeld,
  voidLeases,
  type Held,
} from './leased-rows.js';
export {
  DATASET_CLASSES,
  DATASET_ERASURES,
  DATASET_IMAGES,
  DATASET_IMPORTS,
  EXPORTS,
  JOB_ENDINGS,
  LEASED_TABLES,
  REPORTS,
  TRAININGS,
} from './leased-tables.js';
export * from './settings.js';
export { observeTasks } from './task-metrics.js';
export { TASK_LEASE_SECONDS, TaskLoop } from './task-loop.js';
