import { z } from 'zod';
import { isOneOf } from './lists.js';
import { MediaType } from './media.js';
import { ModelPin } from './model-manifest.js';
import { pageOf } from './pagination.js';
import { SourceName } from './source-name.js';
import { IsoTime } from './time.js';

export const JobState = z.enum(['waiting', 'processing', 'completed', 'stopped', 'failed']);
export type JobState = z.infer<typeof JobState>;
export const ACTIVE_JOB_STATES = ['waiting', 'processing'] as const satisfies JobState[];
export const TERMINAL_JOB_STATES = ['completed', 'stopped', 'failed'] as const satisfies JobState[];

/** Whether it has ended; `retry` begins it again. */
export function isTerminal(state: JobState): boolean {
  return isOneOf(TERMINAL_JOB_STATES, state);
}

export const DictionarySpecification = z.strictObject({
  id: z.string(),
  /** How a label has to be like an entry: the same, similar, or with the entry somewhere in it; case does not matter. */
  mode: z.enum(['exact', 'fuzzy', 'contains']).default('exact'),
  /** Least normalised Levenshtein similarity of `fuzzy`, 0..1. */
  threshold: z.number().min(0).max(1).default(0.8),
});
export type DictionarySpecification = z.infer<typeof DictionarySpecification>;

const TimeRange = z
  .strictObject({ time_start: z.number().nonnegative().optional(), time_end: z.number().nonnegative().optional() })
  .refine((range) => range.time_start !== undefined || range.time_end !== undefined, 'give time_start or time_end')
  .refine((range) => (range.time_start ?? 0) <= (range.time_end ?? Infinity), 'time_start must not lie after time_end');
const FrameRange = z
  .strictObject({ frame_start: z.int().nonnegative().optional(), frame_end: z.int().nonnegative().optional() })
  .refine((range) => range.frame_start !== undefined || range.frame_end !== undefined, 'give frame_start or frame_end')
  .refine(
    (range) => (range.frame_start ?? 0) <= (range.frame_end ?? Infinity),
    'frame_start must not lie after frame_end',
  );

/** Seconds or frames (inclusive), never both. For image jobs frames are image indexes. */
export const ProcessingRange = z.union([TimeRange, FrameRange]);
export type ProcessingRange = z.infer<typeof ProcessingRange>;

/** The seconds of a range, which ends where the source does when it does not say; of everything for one of frames. */
export function rangeSeconds(range: ProcessingRange): { from: number; to: number } {
  if (!('time_start' in range || 'time_end' in range)) return { from: 0, to: Infinity };
  const { time_start: from = 0, time_end: to = Infinity } = range;
  return { from, to };
}

/** Indexes of images, both inclusive; null when no image lies within, or when the range is given in seconds. */
export function imageRange(range: ProcessingRange | null, count: number): { from: number; to: number } | null {
  if (range === null) return { from: 0, to: count - 1 };
  if (!('frame_start' in range || 'frame_end' in range)) return null;
  const from = range.frame_start ?? 0;
  const to = Math.min(range.frame_end ?? count - 1, count - 1);
  return from <= to ? { from, to } : null;
}

/** Each is read and indexed for the job. */
const MOST_DICTIONARIES = 64;

/** The arguments that every module takes; a module's own schema extends this one. */
export const StandardArguments = z.strictObject({
  model: z.string().optional(),
  dictionaries: z.array(DictionarySpecification).max(MOST_DICTIONARIES).default([]),
  range: ProcessingRange.optional(),
});

export const JobWebhook = z.strictObject({
  /** Names that the job's own modules can raise. */
  events: z.array(z.string().min(1).max(255)).min(1).max(1_000),
  callback: z.url({ protocol: /^https?$/ }),
});
export type JobWebhook = z.infer<typeof JobWebhook>;

/** Several times as many as there are. */
const MOST_MODULES = 64;

/** POST /v1/jobs/. Each module's arguments are checked by the module's own schema afterwards. */
export const JobRequest = z.strictObject({
  sources: z.array(z.string().min(1).max(4096)).min(1).max(10_000),
  modules: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .refine((modules) => Object.keys(modules).length > 0, 'name at least one module')
    .refine((modules) => Object.keys(modules).length <= MOST_MODULES, `name at most ${MOST_MODULES} modules`),
  tag: z.string().max(255).default(''),
  ttl: z
    .int()
    .positive()
    // A column of 32 bits: 68 years.
    .max(2 ** 31 - 1)
    .nullable()
    .optional(),
  webhook: JobWebhook.optional(),
  priority: z.int().min(0).max(9).default(5),
  batch: z.string().max(64).nullable().optional().describe('Id of the batch it belongs to'),
});
export type JobRequest = z.infer<typeof JobRequest>;

export const ResultSummaryItem = z.strictObject({ type: z.string(), label: z.string(), module: z.string() });
/** Gaps of a film that its summary lists. */
export const MAX_GAPS = 50;

/** Of films; empty for everything else. */
export const MediaInfo = z
  .strictObject({
    fps: z.number(),
    resolution: z.tuple([z.number(), z.number()]).describe('Width and height in pixels'),
    total_frames: z.number(),
    duration: z.number().describe('Seconds, gaps between pictures included'),
    gaps: z
      .array(z.strictObject({ time_start: z.number(), time_end: z.number() }))
      .describe(
        `Where its clock goes on without pictures, as in a broken recording, for longer than a segment bridges; of more than ${MAX_GAPS} the longest. Left out where there are none`,
      ),
    gap_count: z.int().describe('How many there are in all'),
    gap_seconds: z.number().describe('Seconds of all of them together: no sum of screen time counts them'),
    audio_tracks: z
      .array(z.strictObject({ track: z.int(), language: z.string().nullable(), channels: z.int() }))
      .describe('Of films with several tracks of sound: what `audio_track` of `speech_recognition` takes'),
  })
  .partial();
export type MediaInfo = z.infer<typeof MediaInfo>;
export const ResultSummary = z.strictObject({
  source: z.string(),
  source_name: SourceName,
  media_type: MediaType,
  info: MediaInfo,
  items: z.array(ResultSummaryItem),
});
export type ResultSummary = z.infer<typeof ResultSummary>;
/** As it is kept: the names of sources stand beside it. */
export type StoredSummary = Omit<ResultSummary, 'source_name'>;

export const JobModule = z.looseObject({ state: JobState, progress: z.number().min(0).max(1) });
export const JobResult = z.strictObject({ detailed_link: z.string(), summary: z.array(ResultSummary) });

/** What gave a job its results. */
export const JobProvenance = z.strictObject({
  modules: z
    .record(z.string(), z.strictObject({ models: z.array(ModelPin) }))
    .describe('By module, as posted: the galleries, landmark models and networks that it was given'),
  analyses: z.array(
    z.strictObject({
      analysis: z.string(),
      digest: z.string().describe('Equal for two jobs exactly when they must see the same in the same media'),
      decoder_version: z.int().positive(),
      models: z.array(ModelPin).describe('The networks that looked, in their exact versions'),
      modules: z.array(z.string()).describe('Those that stand on it'),
      made_by: z
        .array(
          z.strictObject({
            engine_version: z.string().nullable(),
            providers: z
              .array(z.string())
              .nullable()
              .describe('What the models ran on: `cpu`, `cuda`, `webgpu`; two where some could not run on the first'),
          }),
        )
        .describe(
          'Who looked, each once: several after an upgrade, or where some of it was known. Null where earlier engines did not say',
        ),
    }),
  ),
});
export type JobProvenance = z.infer<typeof JobProvenance>;

export const Job = z.strictObject({
  id: z.uuid(),
  tag: z.string(),
  state: JobState,
  errors: z.array(z.string()),
  progress: z.number().min(0).max(1),
  duration: z.number().nonnegative(),
  time_created: IsoTime,
  time_started: IsoTime.nullable(),
  time_completed: IsoTime.nullable(),
  sources: z
    .array(z.string())
    .describe('All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary`'),
  source_names: z.array(SourceName).describe('Of `sources`, in their order'),
  source_count: z.int().nonnegative(),
  link: z.string().describe('Where the job is read as a whole'),
  /** Arguments as posted, defaults filled in, with each module's `state` and `progress`. */
  modules: z.record(z.string(), JobModule),
  media_type: MediaType,
  ttl: z.int().positive().nullable(),
  priority: z.int(),
  batch: z.uuid().nullable().describe('Id of the batch it belongs to'),
  result: JobResult,
  webhook: JobWebhook.nullable(),
  provenance: JobProvenance.optional().describe(
    'Where one job that has ended is read, and in results.json; it holds of cached results too',
  ),
});
export type Job = z.infer<typeof Job>;

export const JobPage = pageOf(Job);
