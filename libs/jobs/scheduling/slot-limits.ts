import type { JobSettings } from './settings.js';

/** What may be in work at the same time. */
export interface SlotLimits {
  /** Slots of the installation: chunks and sources in flight. */
  total: number;
  /** Slots of one job. */
  perJob: number;
  /** Jobs of a workspace that are worked on at the same time. */
  activeJobs: number;
  /** More jobs are admitted while those that are active leave slots free. */
  admitsBeyond: boolean;
}

/** Slots of an installation whose workers are few, or announce nothing: one process for everything. */
const LEAST_SLOTS = 8;
/** Units for each that workers can do at once: one is in work, and the next one is there when it ends. */
const SLOTS_PER_WORKER = 2;
/** Share of all slots that one job may take: all workers are busy, and the next job finds a free slot. */
const SHARE_OF_JOB = 3 / 4;
/** Jobs of a workspace that share its slots before another one is admitted. */
const ACTIVE_JOBS = 8;

/**
 * Limits for workers that can do `workerSlots` units at once. A setting that is given is a hard limit; the others follow
 * from what is there, so that a workspace that is alone uses all of it, and several get equal shares.
 */
export function slotLimits(settings: JobSettings, workerSlots: number): SlotLimits {
  const total = settings.maxChunksInFlight ?? Math.max(LEAST_SLOTS, SLOTS_PER_WORKER * workerSlots);
  return {
    total,
    perJob: settings.chunksPerJob ?? Math.max(1, Math.ceil(total * SHARE_OF_JOB)),
    activeJobs: settings.activeJobsPerWorkspace ?? ACTIVE_JOBS,
    admitsBeyond: settings.activeJobsPerWorkspace === undefined,
  };
}
