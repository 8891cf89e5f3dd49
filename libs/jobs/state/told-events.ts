import { isTerminal, type Job } from '@adit/contracts';
import { presentHeardJob, presentJob, type ShownRow } from '@adit/presentation';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { listedJob } from './listed-job.js';
import { WebhookNotice } from './webhook-notice.js';

/** `data` of an event whose transcript is shown with its job. */
const OfTranscript = z.looseObject({ transcript: z.looseObject({}) });

interface Told {
  data: Record<string, unknown>;
  /** Whom it may show. */
  identities: string[];
}

/** An event of a workspace as the outbox or a stream keeps it. */
interface KeptEvent {
  event: string;
  jobId: string | null;
  data: Record<string, unknown>;
  time: Date;
}

/** `data` of an event of a workspace as clients are told it; null when its job was deleted since. */
export async function toldEvent(manager: EntityManager, kept: KeptEvent, baseUrl: string): Promise<Told | null> {
  const { event, jobId, data, time } = kept;
  if (jobId === null) return { data, identities: [] };
  if (event === 'svc.transcript.on_created') return heardTranscript(manager, data, jobId, baseUrl);
  if (!event.startsWith('svc.job.')) return { data, identities: [] };
  const listed = await listedJob(manager, jobId);
  if (listed === null) return null;
  const job = jobAsOf(listed.job, WebhookNotice.parse(data), time, baseUrl);
  return { data: { job }, identities: listed.identities };
}

/** A transcript with its job, as that is now; null when that was deleted: so was the transcript. */
export async function heardTranscript(
  manager: EntityManager,
  data: Record<string, unknown>,
  jobId: string,
  baseUrl: string,
): Promise<Told | null> {
  const listed = await listedJob(manager, jobId);
  if (listed === null) return null;
  const { transcript } = OfTranscript.parse(data);
  const job = presentHeardJob(listed.job, baseUrl);
  return { data: { transcript: { ...transcript, job } }, identities: listed.identities };
}

/** The job as it was when the event happened: what never changes from its row, the rest from the notice. */
export function jobAsOf(job: ShownRow, notice: WebhookNotice, occurred: Date, baseUrl: string): Job {
  const date = (time: string | null): Date | null => (time === null ? null : new Date(time));
  const then: ShownRow = {
    ...job,
    state: notice.state,
    errors: notice.errors,
    progress: notice.progress,
    timeStarted: date(notice.time_started),
    timeCompleted: date(notice.time_completed),
  };
  const modulesThen = job.modules.map((module) => ({ ...module, ahead: 0, ...notice.modules[module.postedAs] }));
  const shown = presentJob(then, modulesThen, baseUrl);
  if (isTerminal(notice.state) || then.timeStarted === null) return shown;
  return { ...shown, duration: Math.max(0, (occurred.getTime() - then.timeStarted.getTime()) / 1000) };
}
