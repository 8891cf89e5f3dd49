export {
  attemptsOf,
  claimAttempt,
  claimWaitingAnalysis,
  leasedAnalysis,
  leasedChunk,
  leasedSource,
  leasedThumbnail,
  requeue,
  restartAttempts,
  runAttempt,
  type LeasedWork,
} from './attempts.js';
export { DueWork } from './due-work.js';
export * from './installation-lease.js';
export { keepingLease, Lease } from './lease.js';
export {
  isHeld,
  isWanted,
  type Claim,
  type ClaimedTask,
  type LeasedTable,
  releaseRow,
  renewLease,
  updateHeld,
  voidLeases,
  type Held,
} from './leased-rows.js';
export {
  CLIPS,
  DATASET_CLASSES,
  DATASET_ERASURES,
  DATASET_IMAGES,
  DATASET_IMPORTS,
  EXPORTS,
  JOB_ENDINGS,
  LEASED_TABLES,
  REPORTS,
  SEARCH_FEED,
  STREAMS,
  TRAININGS,
} from './leased-tables.js';
export { FairTaskQueue } from './fair-task-queue.js';
export { LiveProcess, liveServices, type LiveService } from './live-processes.js';
export * from './settings.js';
export { removeLostSigns } from './signs-of-life.js';
export { observeTasks, taskCounts, type TaskCount } from './task-metrics.js';
export { TASK_LEASE_SECONDS, TaskLoop } from './task-loop.js';
export { WorkerSlots, workerSlots } from './worker-slots.js';
export { takenTurn, turnOf } from './turns.js';
