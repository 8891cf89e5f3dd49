import { isTerminal, type Job } from '@adit/contracts';
import { presentTranscriptJob, presentJob, type ShownRow } from '@adit/presentation';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { listedJob } from './listed-job.js';
import { WebhookNotice } from './webhook-notice.js';

/** `data` of a transcript's event, which includes its job. */
const TranscriptData = z.looseObject({ transcript: z.looseObject({}) });

interface EventData {
  data: Record<string, unknown>;
  /** Identities that it may show. */
  identities: string[];
}

/** Event of a workspace as stored in the outbox or a stream. */
interface KeptEvent {
  event: string;
  jobId: string | null;
  data: Record<string, unknown>;
  time: Date;
}

/** Returns the `data` of a workspace's event for clients; null when its job was deleted since. */
export async function eventData(manager: EntityManager, kept: KeptEvent, baseUrl: string): Promise<EventData | null> {
  const { event, jobId, data, time } = kept;
  if (jobId === null) return { data, identities: [] };
  if (event === 'svc.transcript.on_created') return transcriptEventData(manager, data, jobId, baseUrl);
  if (!event.startsWith('svc.job.')) return { data, identities: [] };
  const listed = await listedJob(manager, jobId);
  if (listed === null) return null;
  const job = jobAsOf(listed.job, WebhookNotice.parse(data), time, baseUrl);
  return { data: { job }, identities: listed.identities };
}

/**
 * Returns a transcript with the current state of its job; null when the job was deleted, and the transcript with it.
 */
export async function transcriptEventData(
  manager: EntityManager,
  data: Record<string, unknown>,
  jobId: string,
  baseUrl: string,
): Promise<EventData | null> {
  const listed = await listedJob(manager, jobId);
  if (listed === null) return null;
  const { transcript } = TranscriptData.parse(data);
  const job = presentTranscriptJob(listed.job, baseUrl);
  return { data: { transcript: { ...transcript, job } }, identities: listed.identities };
}

/** Returns the job as it was when the event happened: constant fields from its row, the rest from the notice. */
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
