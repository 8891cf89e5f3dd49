import { z } from 'zod';
import { pageOf } from './pagination.js';
import { IsoTime } from './time.js';

/** A group of jobs in a tree. */
export const Batch = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  /** Id of the batch it lies in; null at the top. */
  parent: z.uuid().nullable(),
  time_created: IsoTime,
  time_updated: IsoTime,
});
export type Batch = z.infer<typeof Batch>;
export const BatchPage = pageOf(Batch);

export const BatchName = z.string().trim().min(1).max(255);

/** POST /v1/batches/. */
export const BatchRequest = z.strictObject({
  name: BatchName,
  description: z.string().max(4000).default(''),
  parent: z.string().max(64).nullable().default(null).describe('Id of the batch it lies in'),
});
export type BatchRequest = z.infer<typeof BatchRequest>;

/** What became of one file of POST /v1/batches/files/. */
export const BatchFileResult = z.strictObject({
  file: z.string(),
  success: z.boolean(),
  /** What is wrong, line by line; then nothing of the file was taken. */
  error: z.string().nullable(),
  batch: Batch.nullable(),
});
export type BatchFileResult = z.infer<typeof BatchFileResult>;

export const TaskState = z.enum(['waiting', 'processing', 'completed', 'failed']);
/** Of reports and exports. */
export type TaskState = z.infer<typeof TaskState>;

export const Report = z.strictObject({
  id: z.uuid(),
  title: z.string(),
  type: z.literal('diversity'),
  state: TaskState,
  error_msg: z.string().nullable(),
  time_created: IsoTime,
});
export type Report = z.infer<typeof Report>;
export const ReportPage = pageOf(Report);

const counts = z.record(z.string(), z.number());
/** Each map goes from a category to a count or to seconds. */
export const DiversityInfo = z.strictObject({
  gender_count: counts,
  age_count: counts,
  person_screen_time: counts,
  gender_screen_time: counts,
  age_screen_time: counts,
  gender_speech_time: counts,
  age_speech_time: counts,
  name_to_speech_time: counts,
});
export type DiversityInfo = z.infer<typeof DiversityInfo>;

export const ReportContent = z.strictObject({ batch_id: z.uuid(), report_info: DiversityInfo });
export const ReportItem = z.strictObject({ content: ReportContent });
export type ReportItem = z.infer<typeof ReportItem>;
export const ReportItemPage = pageOf(ReportItem);

/** The strategies of exports, with what each is asked. */
export const EXPORT_STRATEGIES = [
  'job_results_export',
  'basic_dataset_export',
  'coco_export',
  'transcript_export',
] as const;
export const ExportStrategy = z.enum(EXPORT_STRATEGIES);
export type ExportStrategy = z.infer<typeof ExportStrategy>;

export const JobResultsExport = z.strictObject({
  job_id: z.string().max(64),
  format: z.enum(['json', 'csv', 'xlsx', 'zip']).default('json'),
});
export type JobResultsExport = z.infer<typeof JobResultsExport>;

export const DatasetExport = z.strictObject({ dataset_id: z.string().max(64) });
export type DatasetExport = z.infer<typeof DatasetExport>;

/** POST /v1/exports/; `config` is checked by the strategy. */
export const ExportRequest = z.strictObject({
  strategy: ExportStrategy,
  config: z
    .record(z.string(), z.unknown())
    .describe(
      'job_results_export: {job_id, format: json | csv | xlsx | zip}; transcript_export: {transcript_id, variant_id, version?, ' +
        'format: srt | vtt | ttml | txt | docx | json, underline_words?}; basic_dataset_export, coco_export: {dataset_id}',
    ),
});
export type ExportRequest = z.infer<typeof ExportRequest>;

export const Export = z.strictObject({
  id: z.uuid(),
  strategy: z.string(),
  time_created: IsoTime,
  time_completed: IsoTime.nullable(),
  state: TaskState,
  progress: z.number().min(0).max(1),
  error_msg: z.string().nullable(),
  config: z.record(z.string(), z.unknown()),
});
export type Export = z.infer<typeof Export>;
export const ExportPage = pageOf(Export);
