import { z } from 'zod';
import { Export } from './batch.js';
import { DatasetImport } from './dataset-import.js';
import { Job } from './job.js';
import { Artifact, DetailedResult } from './results.js';
import { SearchAlert } from './saved-search.js';
import { StreamGap } from './stream.js';
import { EndedTraining } from './training.js';
import { Transcript, TranscriptParagraph, TranscriptVariant, TranscriptVersion } from './transcript.js';
import { Webhook } from './webhook.js';
import { TEST_EVENT, type ResourceEventName } from './webhook-events.js';

const place = {
  transcript_id: z.uuid().describe('Id of the transcript'),
  variant_id: z.uuid().describe('Id of the variant'),
};
const OfJob = z.strictObject({ job: Job.describe('The job') }).meta({ id: 'JobEventData' });
const OfExport = z.strictObject({ export: Export.describe('The export') }).meta({ id: 'ExportEventData' });
const OfTraining = z
  .strictObject({ training: EndedTraining.describe('The training') })
  .meta({ id: 'TrainingEventData' });

/** `data` of what is sent to the webhooks of a workspace, by the event. */
export const RESOURCE_EVENT_DATA = {
  'svc.transcript.on_created': z.strictObject({ transcript: Transcript.describe('The transcript') }),
  'svc.transcript.variant.version.on_created': z.strictObject({
    version: TranscriptVersion.extend({
      ...place,
      variant: TranscriptVariant.describe('The variant that it is of'),
    }).describe('The new version'),
  }),
  'svc.transcript.variant.version.paragraph.on_updated': z.strictObject({
    paragraph: TranscriptParagraph.omit({ index: true, words: true })
      .extend({
        ...place,
        version_id: z.uuid().describe('Id of the version that changed it'),
        version: z.int().positive().describe('Number of the version that changed it'),
      })
      .describe('The paragraph as it is now'),
  }),
  'svc.export.on_started': OfExport,
  'svc.export.on_completed': OfExport,
  'svc.export.artifact.on_created': z.strictObject({ artifact: Artifact.describe('The file') }),
  'svc.job.on_started': OfJob,
  'svc.job.on_completed': OfJob,
  'svc.job.on_failed': OfJob,
  'svc.job.on_stopped': OfJob,
  'svc.training.on_completed': OfTraining,
  'svc.training.on_failed': OfTraining,
  'svc.dataset.import.on_completed': z.strictObject({ import: DatasetImport.describe('The import') }),
  'svc.stream.on_gap': z.strictObject({
    gap: StreamGap.extend({ job_id: z.uuid().describe('Job of the live stream') }).describe('The gap, when it is over'),
  }),
  'svc.search.on_match': SearchAlert,
} as const satisfies Record<ResourceEventName, z.ZodObject>;

const segmentId = z.uuid().describe('Names the segment: the same in `on_segment_start` and `on_segment_end`');
const AnnouncedSegment = DetailedResult.extend({ id: segmentId });

/** The same of what is sent to the callback of a job. Those of a module are `job.<module>.<event>` and carry the same. */
export const JOB_EVENT_DATA = {
  'job.on_started': OfJob,
  'job.on_completed': OfJob,
  'job.on_failed': OfJob,
  'job.on_stopped': OfJob,
  'job.on_progress': OfJob,
  'job.on_detailed_result': z.strictObject({
    job: Job.describe('The job'),
    detailed_result: DetailedResult.describe('The new segment'),
  }),
  'job.on_segment_start': z.strictObject({
    job: Job.describe('The job'),
    segment: AnnouncedSegment.describe('The segment as it is so far, without detections'),
  }),
  'job.on_segment_end': z.strictObject({
    job: Job.describe('The job'),
    segment: AnnouncedSegment.extend({
      dropped: z
        .literal(true)
        .optional()
        .describe('It came to nothing, or became part of another one: no result has it; left out otherwise'),
    }).describe('The segment, as in `on_detailed_result`'),
  }),
} as const satisfies Record<string, z.ZodObject>;

/** Every event that is sent, with its `data`. */
export const EVENT_DATA: Readonly<Record<string, z.ZodObject>> = {
  ...JOB_EVENT_DATA,
  ...RESOURCE_EVENT_DATA,
  [TEST_EVENT]: z.strictObject({
    webhook: Webhook.pick({ id: true, event: true, url: true, description: true }).describe(
      'The webhook that is tried',
    ),
  }),
};

/** Body of what is sent of an event. */
export function webhookBody(event: string, data: z.ZodObject) {
  return z.strictObject({
    event: z.literal(event).describe('Name of the event'),
    id: z.uuid().describe('The same at every attempt, as in the header webhook-id'),
    timestamp: z.number().describe('When it happened: Unix seconds with fraction'),
    data: data.describe('Subject of the event'),
    hmac_signature: z.string().describe('Base64 of HMAC-SHA256 over the bytes of `data` as sent'),
  });
}
