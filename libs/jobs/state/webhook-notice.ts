import { isoTimeOrNull, IsoTime, JobState } from '@adit/contracts';
import type { JobEntity, JobModuleEntity } from '@adit/database';
import { z } from 'zod';
import { withErrors } from './job-errors.js';

/**
 * What changes about a job, as it was when an event happened; a delivery shows this state of it, however late it goes out.
 * It travels as `webhook` in the data of `events.raised`, only where somebody asks for the event.
 */
export const WebhookNotice = z.object({
  state: JobState,
  errors: z.array(z.string()),
  progress: z.number(),
  time_started: IsoTime.nullable(),
  time_completed: IsoTime.nullable(),
  /** By the id as posted. */
  modules: z.record(z.string(), z.object({ state: JobState, progress: z.number() })),
});
export type WebhookNotice = z.infer<typeof WebhookNotice>;

/** Null unless the job's webhook asks for this event. */
export function webhookNotice(job: JobEntity, modules: JobModuleEntity[], event: string): WebhookNotice | null {
  return job.webhook?.events.includes(event) === true ? noticeOf(job, modules) : null;
}

/** The job as it is now. */
export function noticeOf(job: JobEntity, modules: JobModuleEntity[]): WebhookNotice {
  return {
    state: job.state,
    // Those of a job that an older build worked on may be longer than a message.
    errors: withErrors([], job.errors) ?? [],
    progress: job.progress,
    time_started: isoTimeOrNull(job.timeStarted),
    time_completed: isoTimeOrNull(job.timeCompleted),
    modules: Object.fromEntries(modules.map(({ postedAs, state, progress }) => [postedAs, { state, progress }])),
  };
}
