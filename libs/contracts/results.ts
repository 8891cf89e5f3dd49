import { z } from 'zod';
import { pageOf } from './pagination.js';
import { SourceName } from './source-name.js';
import { IsoTime } from './time.js';

export const Detection = z.strictObject({
  frame_index: z.int().nonnegative(),
  type: z.string(),
  data: z.record(z.string(), z.number()),
});
export type Detection = z.infer<typeof Detection>;

/** `image` is base64 JPEG. */
export const Thumbnail = z.strictObject({ image: z.string(), meta: z.record(z.string(), z.unknown()) });

/** A segment. Frames are null for media without pictures. */
export const DetailedResult = z.strictObject({
  media_type: z.enum(['video', 'image', 'audio', 'videostream']),
  frame_start: z.number().nullable(),
  frame_end: z.number().nullable(),
  time_start: z.number(),
  time_end: z.number(),
  tc_start: z.string(),
  tc_end: z.string(),
  source: z.string(),
  source_name: SourceName,
  module: z.string(),
  meta: z.record(z.string(), z.unknown()),
  detections: z.array(Detection),
  thumbnail: Thumbnail.nullable(),
});
export type DetailedResult = z.infer<typeof DetailedResult>;

export const SummarizedResult = z.strictObject({
  id: z.string(),
  source: z.string(),
  source_name: SourceName,
  module: z.string(),
  type: z.string(),
  meta: z.record(z.string(), z.number()),
});
export type SummarizedResult = z.infer<typeof SummarizedResult>;

export const Artifact = z.strictObject({
  id: z.string(),
  filename: z.string(),
  mime_type: z.string().nullable(),
  time_created: IsoTime,
  time_expiration: IsoTime,
  export_id: z.string().optional(),
  job_id: z.string().optional(),
});
export type Artifact = z.infer<typeof Artifact>;

export const DetailedResultPage = pageOf(DetailedResult);
export const SummarizedResultPage = pageOf(SummarizedResult);
export const ArtifactPage = pageOf(Artifact);
