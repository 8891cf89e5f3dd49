import { z } from 'zod';
import { isOneOf } from '../values/lists.js';
import { Conform } from './conform.js';
import { MediaType } from '../media.js';
import { ModelPin } from '../model-manifest.js';
import { pageOf } from '../values/pagination.js';
import { SourceName } from '../values/source-name.js';
import { IsoTime } from '../values/time.js';

export const JobState = z.enum(['waiting', 'processing', 'completed', 'stopped', 'failed']);
export type JobState = z.infer<typeof JobState>;
export const ACTIVE_JOB_STATES = ['waiting', 'processing'] as const satisfies JobState[];
export const TERMINAL_JOB_STATES = ['completed', 'stopped', 'failed'] as const satisfies JobState[];

/** Tells whether it has ended; `retry` begins it again. */
export function isTerminal(state: JobState): boolean {
  return isOneOf(TERMINAL_JOB_STATES, state);
}

export const DictionarySpecification = z.strictObject({
  id: z.string().describe('Id of the dictionary'),
  mode: z
    .enum(['exact', 'fuzzy', 'contains'])
    .default('exact')
    .describe(
      'Comparison of labels and entries: equal, similar, or containing the entry. Case does not matter. Default `exact`',
    ),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.8)
    .describe('Least normalised Levenshtein similarity of `fuzzy`, 0 to 1; default 0.8'),
});
export type DictionarySpecification = z.infer<typeof DictionarySpecification>;

const TimeRange = z
  .strictObject({
    time_start: z
      .number()
      .nonnegative()
      .optional()
      .describe('Seconds from the start of the source; left out: its start'),
    time_end: z.number().nonnegative().optional().describe('Seconds from the start of the source; left out: its end'),
  })
  .refine((range) => range.time_start !== undefined || range.time_end !== undefined, 'give time_start or time_end')
  .refine((range) => (range.time_start ?? 0) <= (range.time_end ?? Infinity), 'time_start must not lie after time_end')
  .meta({ id: 'TimeRange' });
const FrameRange = z
  .strictObject({
    frame_start: z
      .int()
      .nonnegative()
      .optional()
      .describe('First frame, from 0, or first image of the job; left out: the first of all'),
    frame_end: z.int().nonnegative().optional().describe('Last frame or image, inclusive; left out: the last of all'),
  })
  .refine((range) => range.frame_start !== undefined || range.frame_end !== undefined, 'give frame_start or frame_end')
  .refine(
    (range) => (range.frame_start ?? 0) <= (range.frame_end ?? Infinity),
    'frame_start must not lie after frame_end',
  )
  .meta({ id: 'FrameRange' });

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
const MAX_DICTIONARIES = 64;

/** The arguments that every module takes; a module's own schema extends this one. */
export const StandardArguments = z.strictObject({
  model: z
    .string()
    .optional()
    .describe("Name or id of the model, or `name@version`; left out: the module's own choice"),
  dictionaries: z
    .array(DictionarySpecification)
    .max(MAX_DICTIONARIES)
    .default([])
    .describe(
      'Dictionaries that results are compared with, at most 64; a module that has no use for them ignores them',
    ),
  range: ProcessingRange.optional().describe(
    'Ranges of each source to analyse, in seconds or in frames; default: all of it',
  ),
});

export const JobWebhook = z.strictObject({
  events: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(1_000)
    .describe('Names of events: `job.<event>` of the job, `job.<module>.<event>` of one of its modules'),
  callback: z.url({ protocol: /^https?$/ }).describe('http(s) address that they are posted to'),
});
export type JobWebhook = z.infer<typeof JobWebhook>;

/** Component of the OpenAPI document that says what each module takes. */
export const MODULES_OF_A_REQUEST = 'RequestedModules';

/** Several times as many as there are. */
const MAX_MODULES = 64;

/** Maximum for a job. */
export const MAX_SOURCES = 10_000;

/** Bounds of a part of a live stream: a job of its own for less time is of no use, and a longer one would grow too large. */
export const MIN_ROTATE_SECONDS = 10;
export const MAX_ROTATE_SECONDS = 604_800;

/** True for seconds that a live stream may be split after; 0 stands for never. */
export function isRotation(seconds: number): boolean {
  return seconds === 0 || (seconds >= MIN_ROTATE_SECONDS && seconds <= MAX_ROTATE_SECONDS);
}

/** POST /v1/jobs/. Each module's arguments are checked by the module's own schema afterwards. */
export const JobRequest = z.strictObject({
  sources: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(MAX_SOURCES)
    .describe(
      'Addresses of the media, 1 to 10000: storage://, https://, s3://bucket/key with the storage credentials of the workspace, links to film platforms, and local paths where they are allowed; pictures or films, not both. Or one live stream: rtsp://, rtsps://, rtmp://, rtmps://, srt://, or https:// with a path that ends in .m3u8 (HLS) or .mpd (DASH)',
    ),
  media_type: MediaType.optional().describe(
    '`videostream` for MPEG-TS over HTTP: reads an http(s):// address as a live stream, which by its address alone would be a film. Other kinds, as replies carry them, change nothing: they are found out',
  ),
  modules: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .refine((modules) => Object.keys(modules).length > 0, 'name at least one module')
    .refine((modules) => Object.keys(modules).length <= MAX_MODULES, `name at most ${MAX_MODULES} modules`)
    .meta({ id: MODULES_OF_A_REQUEST })
    .describe(
      `What is asked of the sources: arguments by the id of a module, at most ${MAX_MODULES}; \`{}\` takes all defaults`,
    ),
  tag: z
    .string()
    .max(255)
    .default('')
    .describe('Text of your own, such as your id of the media; at most 255 characters, default empty'),
  ttl: z
    .int()
    .positive()
    // A column of 32 bits: 68 years.
    .max(2 ** 31 - 1)
    .nullable()
    .optional()
    .describe(
      'Seconds after its end at which the job is deleted; left out or null: what the service has for all (ADIT_JOB_TTL_SECONDS), else never',
    ),
  webhook: JobWebhook.optional().describe("Receiver of this job's events; default: none"),
  record: z
    .boolean()
    .default(false)
    .describe(
      'true: the last minutes of the live stream are kept as they run (ADIT_RECORDING_MINUTES), see GET /v1/jobs/{id}/recording/; refused for other sources. Default false',
    ),
  rotate_seconds: z
    .int()
    .refine(isRotation, `a part has ${MIN_ROTATE_SECONDS} s to ${MAX_ROTATE_SECONDS} s (a week); 0 is one job for all`)
    .nullable()
    .optional()
    .describe(
      `Seconds of a live stream after which the job completes and the next one goes on with the stream, ${MIN_ROTATE_SECONDS} to ${MAX_ROTATE_SECONDS}, see \`next_part\`; 0: never. Left out or null: what the service has for all (ADIT_STREAM_ROTATE_SECONDS), never where a module has a range; refused for other sources`,
    ),
  ...Conform.shape,
  program: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe(
      'Number of the programme to mine alone, of MPEG transport streams (TS) with several: its pictures and sound are read as if the files had no others. A source without it, and one of another container, is an error; refused for live streams. Default: the largest pictures, and the sound of their programme',
    ),
  priority: z.int().min(0).max(9).default(5).describe('0 to 9, higher goes first; default 5'),
  batch: z.string().max(64).nullable().optional().describe('Id of the batch it belongs to; null: none'),
});
export type JobRequest = z.infer<typeof JobRequest>;

export const ResultSummaryItem = z.strictObject({
  type: z.string().describe('Kind of what was found, such as `face`, `object` or `lower_third`'),
  label: z.string().describe('Label of the result'),
  module: z.string().describe('Module that found it, as results call it'),
});
/** Gaps of a film that its summary lists. */
export const MAX_GAPS = 50;

/** Media information of films; empty for everything else. */
export const MediaInfo = z
  .strictObject({
    fps: z.number().describe('Frames a second'),
    resolution: z.tuple([z.number(), z.number()]).describe('Width and height in pixels'),
    total_frames: z.number().describe('Frames of the film'),
    duration: z.number().describe('Seconds, gaps between pictures included'),
    gaps: z
      .array(
        z.strictObject({
          time_start: z.number().describe('Seconds from the start of the source'),
          time_end: z.number().describe('Seconds from the start of the source'),
        }),
      )
      .describe(
        `Where its clock goes on without pictures, as in a broken recording, for longer than a segment bridges; of more than ${MAX_GAPS} the longest. Left out where there are none`,
      ),
    gap_count: z.int().describe('Their total number'),
    gap_seconds: z.number().describe('Seconds of all of them together: no sum of screen time counts them'),
    audio_tracks: z
      .array(
        z.strictObject({
          track: z.int().describe('Number of the track, from 0'),
          language: z.string().nullable().describe('Language stated by the file; null if not stated'),
          channels: z.int().describe('Channels of sound'),
        }),
      )
      .describe('Sound tracks of a film with several: values for `audio_track` of `speech_recognition`'),
  })
  .partial();
export type MediaInfo = z.infer<typeof MediaInfo>;
export const ResultSummary = z.strictObject({
  source: z.string().describe('The source, as posted'),
  source_name: SourceName,
  media_type: MediaType.describe('Kind of the source'),
  info: MediaInfo.describe('Facts about a film; empty for other sources'),
  items: z.array(ResultSummaryItem).describe('Results, each label once'),
});
export type ResultSummary = z.infer<typeof ResultSummary>;
/** The stored form: the names of sources stand beside it. */
export type StoredSummary = Omit<ResultSummary, 'source_name'>;

export const JobModule = z.looseObject({
  state: JobState.describe('State of the module within the job'),
  progress: z.number().min(0).max(1).describe('From 0 to 1'),
});
export const JobResult = z.strictObject({
  detailed_link: z.string().describe('Address of the detailed results'),
  summary: z.array(ResultSummary).describe('Results by source; empty until there are any'),
});

/** Provenance of a job's results. */
export const JobProvenance = z.strictObject({
  modules: z
    .record(
      z.string(),
      z.strictObject({
        models: z.array(ModelPin).describe('The models that the module was given, in their exact versions'),
      }),
    )
    .describe('By module, as posted: the galleries, landmark models and networks that it was given'),
  analyses: z
    .array(
      z.strictObject({
        analysis: z.string().describe('Name of the analysis'),
        digest: z.string().describe('Equal for two jobs exactly when they must see the same in the same media'),
        decoder_version: z.int().positive().describe('Version of the decoder that made its pictures or sound'),
        models: z.array(ModelPin).describe('The networks that looked, in their exact versions'),
        modules: z.array(z.string()).describe('Modules that use it'),
        made_by: z
          .array(
            z.strictObject({
              engine_version: z
                .string()
                .nullable()
                .describe('Release of the engine; null where earlier engines did not say'),
              providers: z
                .array(z.string())
                .nullable()
                .describe(
                  'Execution providers of its models: `cpu`, `cuda`, `webgpu`; two if some models could not run on the first',
                ),
            }),
          )
          .describe(
            'Who looked, each once: several after an upgrade, or where some of it was known. Null where earlier engines did not say',
          ),
      }),
    )
    .describe('Analyses of the media'),
});
export type JobProvenance = z.infer<typeof JobProvenance>;

export const Job = z.strictObject({
  id: z.uuid().describe('Id of the job'),
  tag: z.string().describe('Text of your own; empty where none was given'),
  state: JobState.describe('`waiting`, then `processing` until it is `completed`, `stopped` or `failed`'),
  errors: z.array(z.string()).describe('Errors so far as text for people, such as a source that cannot be read'),
  progress: z.number().min(0).max(1).describe('From 0 to 1; of a live stream 0 until it has ended'),
  duration: z.number().nonnegative().describe('Seconds from its start to its end, or until now'),
  time_created: IsoTime.describe('When it was posted'),
  time_started: IsoTime.nullable().describe('When its first source was opened; null before'),
  time_completed: IsoTime.nullable().describe('When it ended; null before'),
  sources: z
    .array(z.string())
    .describe(
      'All of them where one job is asked for; the first 100 in lists and webhooks, as in `result.summary`. A live stream without user name, password and query',
    ),
  source_names: z.array(SourceName).describe('Names of `sources`, in the same order'),
  source_count: z.int().nonnegative().describe('Number of its sources, also if `sources` is shortened'),
  link: z.string().describe('Address of the whole job'),
  modules: z
    .record(z.string(), JobModule)
    .describe('By module as posted: its arguments with their defaults, its state and its progress'),
  media_type: MediaType.describe('Guessed when it is posted, corrected before `processing`'),
  ttl: z.int().positive().nullable().describe('Seconds after its end at which it is deleted; null: never'),
  priority: z.int().describe('0 to 9, higher goes first'),
  program: z
    .int()
    .optional()
    .describe(
      'Number of the programme of its transport streams that is mined alone; left out where none was asked for',
    ),
  batch: z.uuid().nullable().describe('Id of the batch it belongs to; null: none'),
  result: JobResult.meta({
    deprecated: true,
    description: 'To be removed in version 2: read the detailed results and the summarized results instead',
  }),
  gaps: z.string().optional().describe('Address of the gaps of its live stream; left out of other jobs'),
  recording: z
    .string()
    .optional()
    .describe('Address of the recording of its live stream; left out where there is none'),
  rotate_seconds: z
    .int()
    .nullable()
    .optional()
    .describe('Seconds after which the next job goes on with its live stream; null: never. Left out of other jobs'),
  previous_part: z
    .uuid()
    .nullable()
    .optional()
    .describe('Id of the job that had its live stream before; null: none, or it was deleted. Left out of other jobs'),
  next_part: z
    .uuid()
    .nullable()
    .optional()
    .describe(
      'Id of the job that goes on with its live stream; null: none so far, or it was deleted. Left out of other jobs',
    ),
  ...Conform.shape,
  webhook: JobWebhook.nullable().describe('Receiver of its events; null for none'),
  provenance: JobProvenance.optional().describe(
    'Included when one ended job is read, and in results.json; it covers cached results too',
  ),
});
export type Job = z.infer<typeof Job>;

export const JobPage = pageOf(Job);
