import { z } from 'zod';
import { CLIP_HANDLE_STEP, MAX_CLIP_HANDLES } from './clip.js';
import { MAX_SOURCES } from './job.js';
import { SearchQuestion } from './search-question.js';
import { Moment, pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** A group of jobs in a tree. */
export const Batch = z.strictObject({
  id: z.uuid().describe('Id of the batch'),
  name: z.string().describe('Name of the batch'),
  description: z.string().describe('Description by its owner; may be empty'),
  parent: z.uuid().nullable().describe('Id of the batch it lies in; null at the top'),
  time_created: IsoTime.describe('When it was created'),
  time_updated: IsoTime.describe('When it was changed last'),
});
export type Batch = z.infer<typeof Batch>;
export const BatchPage = pageOf(Batch);

export const BatchName = z.string().trim().min(1).max(255);

/** POST /v1/batches/. */
export const BatchRequest = z.strictObject({
  name: BatchName.describe('Name of the batch, 1 to 255 characters'),
  description: z.string().max(4000).default('').describe('Description; default: empty'),
  parent: z
    .string()
    .max(64)
    .nullable()
    .default(null)
    .describe('Id of the batch it lies in; null, the default: at the top'),
});
export type BatchRequest = z.infer<typeof BatchRequest>;

/** Result for one file of POST /v1/batches/files/. */
export const BatchFileResult = z.strictObject({
  file: z.string().describe('Name of the file'),
  success: z.boolean().describe('Whether its jobs were made'),
  error: z
    .string()
    .nullable()
    .describe('Faults by line, in which case nothing of the file was imported; null for an imported file'),
  batch: Batch.nullable().describe('The batch of its jobs; null of a file that was not taken'),
});
export type BatchFileResult = z.infer<typeof BatchFileResult>;

export const TaskState = z.enum(['waiting', 'processing', 'completed', 'failed']);
/** State of reports and exports. */
export type TaskState = z.infer<typeof TaskState>;

export const Report = z.strictObject({
  id: z.uuid().describe('Id of the report'),
  title: z.string().describe('`Diversity of` and the name of the batch'),
  type: z.literal('diversity').describe('Always `diversity`'),
  state: TaskState.describe('`waiting` and `processing` until it is `completed` or `failed`'),
  error_msg: z.string().nullable().describe('Why it failed; null otherwise'),
  time_created: IsoTime.describe('When it was asked for'),
});
export type Report = z.infer<typeof Report>;
export const ReportPage = pageOf(Report);

const counts = z.record(z.string(), z.number());
/** Each map goes from a category to a count or to seconds. */
export const DiversityInfo = z.strictObject({
  gender_count: counts.describe('People by gender'),
  age_count: counts.describe('People by age range in years, such as `30-44`'),
  person_screen_time: counts.describe('Seconds on screen by person'),
  gender_screen_time: counts.describe('Seconds on screen by gender'),
  age_screen_time: counts.describe('Seconds on screen by age range'),
  gender_speech_time: counts.describe(
    'Estimated seconds of speech by gender; empty where no job asked for speech_recognition as well',
  ),
  age_speech_time: counts.describe(
    'Estimated seconds of speech by age range; empty where no job asked for speech_recognition as well',
  ),
  name_to_speech_time: counts.describe(
    'Estimated seconds of speech by name; empty where no job asked for speech_recognition as well',
  ),
});
export type DiversityInfo = z.infer<typeof DiversityInfo>;

export const ReportContent = z.strictObject({
  batch_id: z.uuid().describe('Id of the batch that is summed up, with those below it'),
  report_info: DiversityInfo.describe('The sums'),
});
export const ReportItem = z.strictObject({ content: ReportContent.describe('The sums of one batch') });
export type ReportItem = z.infer<typeof ReportItem>;
export const ReportItemPage = pageOf(ReportItem);

/** The strategies of exports, with what each is asked. */
export const EXPORT_STRATEGIES = [
  'job_results_export',
  'basic_dataset_export',
  'coco_export',
  'transcript_export',
  'segments_export',
  'clips_export',
] as const;
export const ExportStrategy = z.enum(EXPORT_STRATEGIES);
export type ExportStrategy = z.infer<typeof ExportStrategy>;

export const JobResultsExport = z.strictObject({
  job_id: z.string().max(64),
  format: z.enum(['json', 'csv', 'xlsx', 'zip']).default('json'),
});
export type JobResultsExport = z.infer<typeof JobResultsExport>;

/** Formats of segments for editing programs; `ale` is a log of clips, `csv` one for spreadsheets. */
export const SEGMENT_FORMATS = [
  'otio',
  'edl',
  'fcp7xml',
  'fcpxml',
  'ale',
  'avid_markers',
  'resolve_edl',
  'stl',
  'vtt',
  'csv',
] as const;
export type SegmentFormat = (typeof SEGMENT_FORMATS)[number];

const seconds = z.number().nonnegative().optional();

/** Segments of a job that an export is of; filters narrow them down together. */
const segmentFilter = {
  job_id: z.string().max(64),
  /** Index of the source in the job. */
  source: z
    .int()
    .nonnegative()
    .max(MAX_SOURCES - 1)
    .optional(),
  /** Ids of modules, or the names that results carry. */
  modules: z.array(z.string().max(255)).max(50).optional(),
  /** Parts of labels, or of what was said or stood there; any of them. */
  labels: z.array(z.string().min(1).max(255)).max(50).optional(),
  /** Seconds: segments that end before it are left out. */
  time_start: seconds,
  /** Seconds: segments that start after it are left out. */
  time_end: seconds,
};

const editing = {
  format: z.enum(SEGMENT_FORMATS),
  /** Frames that a cut is longer on each side, as far as the source reaches. */
  handles: z.int().min(0).max(1_000).default(0),
};

/** Segments of films and recordings as cuts or markers. Formats of one timeline need `source` where the job has several. */
export const SegmentsExport = z.strictObject({
  ...segmentFilter,
  ...editing,
  /** Jobs look at the frames between samples for the first and the last frame of each segment. */
  refine: z.boolean().optional(),
});
export type SegmentsExport = z.infer<typeof SegmentsExport>;

/** Segments that an export of a search may hold, and jobs that they may be of. */
export const MAX_SEARCH_EXPORT = { segments: 10_000, jobs: 1_000 } as const;

/** What a search finds, in the formats of `SegmentsExport`. Of sources that a format cannot hold together each has a file of its own in a zip. */
export const FoundSegmentsExport = z.strictObject({
  search: z.strictObject({
    ...SearchQuestion.shape,
    /** When the jobs were made; a time or a day. */
    time_created_from: Moment.optional(),
    time_created_to: Moment.optional(),
  }),
  ...editing,
});
export type FoundSegmentsExport = z.infer<typeof FoundSegmentsExport>;

/** What an archive of clips may hold. */
export const MAX_CLIPS_EXPORT = { clips: 500, bytes: 20 * 2 ** 30 } as const;

/** Clips of segments as a zip, with a list of them. */
export const ClipsExport = z.strictObject({
  ...segmentFilter,
  /** Encoded anew to begin and end at the very frames; otherwise packets are copied from the keyframe before. */
  exact: z.boolean().default(false),
  /** Seconds more at both ends. */
  handles: z.number().multipleOf(CLIP_HANDLE_STEP).min(0).max(MAX_CLIP_HANDLES).default(0),
});
export type ClipsExport = z.infer<typeof ClipsExport>;

export const DatasetExport = z.strictObject({ dataset_id: z.string().max(64) });
export type DatasetExport = z.infer<typeof DatasetExport>;

/** POST /v1/exports/; `config` is checked by the strategy. */
export const ExportRequest = z.strictObject({
  strategy: ExportStrategy.describe('Kind of export'),
  config: z
    .record(z.string(), z.unknown())
    .describe(
      'job_results_export: {job_id, format: json | csv | xlsx | zip}; transcript_export: {transcript_id, variant_id, version?, ' +
        'format: srt | vtt | ttml | stl | txt | docx | json, underline_words?}; segments_export: {job_id, format: otio | edl | fcp7xml | fcpxml | ale | avid_markers | resolve_edl | stl | vtt | csv, ' +
        'source?, modules?, labels?, time_start?, time_end?, handles?, refine?}, or {search, format, handles?} with the fields of a search and time_created_from, time_created_to; clips_export: {job_id, source?, modules?, labels?, time_start?, time_end?, exact?, handles?}; basic_dataset_export, coco_export: {dataset_id}',
    ),
});
export type ExportRequest = z.infer<typeof ExportRequest>;

export const Export = z.strictObject({
  id: z.uuid().describe('Id of the export'),
  strategy: z.string().describe('Kind of export'),
  time_created: IsoTime.describe('When it was asked for'),
  time_completed: IsoTime.nullable().describe('When it ended; null before'),
  state: TaskState.describe('`waiting` and `processing` until it is `completed` or `failed`'),
  progress: z.number().min(0).max(1).describe('From 0 to 1'),
  error_msg: z.string().nullable().describe('Why it failed; null otherwise'),
  notes: z.array(z.string()).describe('What could not be done as it was asked for, though there is a file'),
  config: z.record(z.string(), z.unknown()).describe('Configuration of the strategy'),
});
export type Export = z.infer<typeof Export>;
export const ExportPage = pageOf(Export);
