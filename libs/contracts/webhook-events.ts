import { z } from 'zod';
import { Export } from './batch.js';
import { DatasetImport } from './dataset-import.js';
import { Job } from './job.js';
import { Artifact, DetailedResult } from './results.js';
import { EndedTraining } from './training.js';
import { Transcript, TranscriptParagraph, TranscriptVariant, TranscriptVersion } from './transcript.js';
import { TEST_EVENT, Webhook, type ResourceEventName } from './webhook.js';

const place = { transcript_id: z.uuid(), variant_id: z.uuid() };
const OfJob = z.strictObject({ job: Job }).meta({ id: 'JobEventData' });
const OfExport = z.strictObject({ export: Export }).meta({ id: 'ExportEventData' });
const OfTraining = z.strictObject({ training: EndedTraining }).meta({ id: 'TrainingEventData' });

/** `data` of what is sent to the webhooks of a workspace, by the event. */
export const RESOURCE_EVENT_DATA = {
  'svc.transcript.on_created': z.strictObject({ transcript: Transcript }),
  'svc.transcript.variant.version.on_created': z.strictObject({
    version: TranscriptVersion.extend({ ...place, variant: TranscriptVariant }),
  }),
  'svc.transcript.variant.version.paragraph.on_updated': z.strictObject({
    paragraph: TranscriptParagraph.omit({ index: true, words: true }).extend({
      ...place,
      version_id: z.uuid(),
      version: z.int().positive(),
    }),
  }),
  'svc.export.on_started': OfExport,
  'svc.export.on_completed': OfExport,
  'svc.export.artifact.on_created': z.strictObject({ artifact: Artifact }),
  'svc.job.on_started': OfJob,
  'svc.job.on_completed': OfJob,
  'svc.job.on_failed': OfJob,
  'svc.job.on_stopped': OfJob,
  'svc.training.on_completed': OfTraining,
  'svc.training.on_failed': OfTraining,
  'svc.dataset.import.on_completed': z.strictObject({ import: DatasetImport }),
} as const satisfies Record<ResourceEventName, z.ZodObject>;

/** The same of what is sent to the callback of a job. Those of a module are `job.<module>.<event>` and carry the same. */
export const JOB_EVENT_DATA = {
  'job.on_started': OfJob,
  'job.on_completed': OfJob,
  'job.on_failed': OfJob,
  'job.on_stopped': OfJob,
  'job.on_progress': OfJob,
  'job.on_detailed_result': z.strictObject({ job: Job, detailed_result: DetailedResult }),
} as const satisfies Record<string, z.ZodObject>;

/** Every event that is sent, with its `data`. */
export const EVENT_DATA: Readonly<Record<string, z.ZodObject>> = {
  ...JOB_EVENT_DATA,
  ...RESOURCE_EVENT_DATA,
  [TEST_EVENT]: z.strictObject({ webhook: Webhook.pick({ id: true, event: true, url: true, description: true }) }),
};

/** Body of what is sent of an event. */
export function webhookBody(event: string, data: z.ZodObject) {
  return z.strictObject({
    event: z.literal(event),
    id: z.uuid().describe('The same at every attempt, as in the header webhook-id'),
    timestamp: z.number().describe('When it happened: Unix seconds with fraction'),
    data,
    hmac_signature: z.string().describe('Base64 of HMAC-SHA256 over the bytes of `data` as sent'),
  });
}
