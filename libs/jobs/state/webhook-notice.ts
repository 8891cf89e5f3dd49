import { isoTimeOrNull, IsoTime, JobState } from '@adit/contracts';
import type { JobEntity, JobModuleEntity } from '@adit/database';
import { z } from 'zod';
import { lastThatFit, withErrors } from './job-errors.js';

/**
 * Variable fields of a job at the time of an event; a delivery shows this state, however late it is sent. It travels
 * as `webhook` in the data of `events.raised`, only where somebody subscribes to the event.
 */
export const WebhookNotice = z.object({
  state: JobState,
  errors: z.array(z.string()),
  progress: z.number(),
  time_started: IsoTime.nullable(),
  time_completed: IsoTime.nullable(),
  /** Modules by the id as posted. */
  modules: z.record(z.string(), z.object({ state: JobState, progress: z.number() })),
});
export type WebhookNotice = z.infer<typeof WebhookNotice>;

/** Returns the notice; null unless the job's webhook subscribes to this event. */
export function webhookNotice(job: JobEntity, modules: JobModuleEntity[], event: string): WebhookNotice | null {
  return job.webhook?.events.includes(event) === true ? noticeOf(job, modules) : null;
}

/** Returns the notice of the job's current state. */
export function noticeOf(job: JobEntity, modules: JobModuleEntity[]): WebhookNotice {
  return {
    state: job.state,
    // Errors of a job that an older build worked on may be longer than a message.
    errors: job.mediaType === 'videostream' ? lastThatFit(job.errors) : (withErrors([], job.errors) ?? []),
    progress: job.progress,
    time_started: isoTimeOrNull(job.timeStarted),
    time_completed: isoTimeOrNull(job.timeCompleted),
    modules: Object.fromEntries(modules.map(({ postedAs, state, progress }) => [postedAs, { state, progress }])),
  };
}
