import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { SourceName } from '../values/source-name.js';
import { IsoTime } from '../values/time.js';

export const Detection = z.strictObject({
  frame_index: z.int().nonnegative().describe('Frame that it is seen in, counted as in `frame_start`'),
  type: z.string().describe('Kind of `data`, such as `face_bbox`'),
  data: z.record(z.string(), z.number()).describe('For a box: `x`, `y`, `w` and `h` as fractions of the frame, 0 to 1'),
});
export type Detection = z.infer<typeof Detection>;

/** `image` is base64 JPEG. */
export const Thumbnail = z.strictObject({
  image: z.string().describe('JPEG in base64'),
  meta: z.record(z.string(), z.unknown()).describe('`width` and `height` in pixels'),
});

/** A segment. Frames are null for media without pictures. */
export const DetailedResult = z.strictObject({
  media_type: z
    .enum(['video', 'image', 'audio', 'videostream'])
    .describe('Kind of the source; pages of a document are images'),
  frame_start: z
    .number()
    .nullable()
    .describe(
      'First frame that shows it, from 0; of images their index in the job, of documents the page, null of sound',
    ),
  frame_end: z.number().nullable().describe('Last frame that shows it, inclusive and counted as in `frame_start`'),
  time_start: z.number().describe('Seconds from the start of the source; 0 of images'),
  time_end: z.number().describe('Seconds from the start of the source; 0 of images'),
  tc_start: z.string().describe('SMPTE timecode of the start, `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame'),
  tc_end: z.string().describe('SMPTE timecode of the end, in the same form'),
  time_of_day: IsoTime.optional().describe('Wall clock of the start; of live streams alone'),
  source: z.string().describe('The source, as posted'),
  source_name: SourceName,
  module: z.string().describe('Module that found it, as results call it'),
  meta: z.record(z.string(), z.unknown()).describe('Result in the fields of the module'),
  detections: z.array(Detection).describe('Places by frame, at most 1000'),
  thumbnail: Thumbnail.nullable().describe('Picture of it; null where there is none'),
});
export type DetailedResult = z.infer<typeof DetailedResult>;

export const SummarizedResult = z.strictObject({
  id: z.string().describe('Id of the result'),
  source: z.string().describe('The source, as posted'),
  source_name: SourceName,
  module: z.string().describe('Module that found it, as results call it'),
  type: z.string().describe('Kind of summary, such as `gender_count` or `person_screen_time`'),
  meta: z.record(z.string(), z.number()).describe('Number by category: a count, or seconds'),
});
export type SummarizedResult = z.infer<typeof SummarizedResult>;

export const Artifact = z.strictObject({
  id: z.string().describe('Id of the file'),
  filename: z.string().describe('Name of the file'),
  mime_type: z.string().nullable().describe('Its media type; null where it is not known'),
  time_created: IsoTime.describe('When it was made'),
  time_expiration: IsoTime.describe('When it is deleted: a week after it was made'),
  export_id: z.string().optional().describe('Export that made it; left out of others'),
  job_id: z.string().optional().describe('Job that made it; left out of others'),
});
export type Artifact = z.infer<typeof Artifact>;

export const DetailedResultPage = pageOf(DetailedResult);
export const SummarizedResultPage = pageOf(SummarizedResult);
export const ArtifactPage = pageOf(Artifact);
