import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { SourceName } from '../values/source-name.js';
import { IsoTime } from '../values/time.js';
import { JobState } from './job.js';

/** A time of a live stream of which nothing arrived. */
export const StreamGap = z.strictObject({
  number: z.int().positive().describe('Number of the gap within its stream, from 1'),
  time_start: z.number().describe('Seconds of stream time at which the last picture before it ended'),
  time_end: z.number().describe('Seconds of stream time at which pictures arrived again'),
  time_of_day_start: IsoTime.nullable().describe('Wall clock at `time_start`; null before the first picture'),
  time_of_day_end: IsoTime.nullable().describe('Wall clock at `time_end`; null before the first picture'),
  reason: z.string().describe('Reason as text for people'),
});
export type StreamGap = z.infer<typeof StreamGap>;
export const StreamGapPage = pageOf(StreamGap);

/** The recording of a live stream: its last minutes, as HLS. */
export const Recording = z
  .strictObject({
    state: z
      .enum(['recording', 'ended'])
      .describe('`recording` while the stream is read or waited for; then `ended`, and the playlist says so'),
    playlist: z
      .string()
      .describe(
        'Address of the HLS playlist. It works without a header until `time_expires`, for players; so do the addresses in it',
      ),
    time_expires: IsoTime.describe('When the addresses end; ask again for new ones'),
    minutes: z.number().positive().describe('Minutes that are kept'),
    time_start: IsoTime.nullable().describe('Wall clock of the first picture that is kept; null for none so far'),
    time_end: IsoTime.nullable().describe('Wall clock behind the last picture; null for none so far'),
    duration: z.number().nonnegative().describe('Seconds of all segments together'),
    size: z.int().nonnegative().describe('Bytes of all segments together'),
    segment_count: z.int().nonnegative().describe('Number of segments'),
  })
  .meta({ id: 'Recording' });
export type Recording = z.infer<typeof Recording>;

/** waiting: for a recorder · reading: a recorder reads it, or tries to · ended. */
export const StreamReading = z.enum(['waiting', 'reading', 'ended']);

/** How a live stream does, at this moment. */
export const LiveStream = z
  .strictObject({
    job_id: z.uuid().describe('Id of the job that mines it'),
    source: z.string().describe('Its address, without what is secret in it'),
    source_name: SourceName,
    tag: z.string().describe('`tag` of the job'),
    state: JobState.describe('State of the job'),
    reading: StreamReading.describe(
      '`reading` while a recorder has it, also while that tries to connect; `waiting` for a recorder; then `ended`',
    ),
    time_created: IsoTime.describe('When the job was posted, or went on with the stream as its next part'),
    time_zero: IsoTime.nullable().describe('Wall clock of stream time 0; null before the first picture'),
    position: z.number().nonnegative().describe('Seconds of stream time that were handed to the analysis'),
    lag: z
      .number()
      .nonnegative()
      .nullable()
      .describe(
        'Seconds that `position` lies behind the wall clock: a few, and more while nothing arrives; null before the first picture and after the end',
      ),
    waiting_parts: z
      .int()
      .nonnegative()
      .describe('Decoded parts, of about a second each, that are still being analysed'),
    frames: z.int().nonnegative().describe('Pictures that were handed to the analysis'),
    frame_rate: z
      .number()
      .nonnegative()
      .nullable()
      .describe('Pictures of a second of stream time, on average and without its gaps; null before the first'),
    gap_count: z.int().nonnegative().describe('Number of its gaps; the newest 10,000 are kept'),
    gap_seconds: z.number().nonnegative().describe('Seconds of all of them'),
    last_gap: StreamGap.nullable().describe('The newest gap; null without one'),
    recorded: z.boolean().describe('Whether it is recorded'),
    segment_count: z.int().nonnegative().describe('Number of its detailed results so far'),
    previous_part: z.uuid().nullable().describe('Id of the job that had the stream before; null for none'),
    next_part: z.uuid().nullable().describe('Id of the job that goes on with the stream; null for none'),
  })
  .meta({ id: 'LiveStream' });
export type LiveStream = z.infer<typeof LiveStream>;
export const LiveStreamPage = pageOf(LiveStream);

/** The newest whole picture in which something was found. */
export const StreamPicture = z
  .strictObject({
    image: z.string().describe('JPEG as base64'),
    width: z.int().positive().describe('Width in pixels'),
    height: z.int().positive().describe('Height in pixels'),
    frame: z.int().nonnegative().describe('Number of its frame: `frame_index` of the detections in it'),
    time: z.number().nonnegative().describe('Seconds of stream time at which the result that it is of began'),
    results_offset: z
      .int()
      .nonnegative()
      .describe('`offset` of GET /v1/jobs/{id}/detailed-results/ at which the results around it begin'),
  })
  .meta({ id: 'StreamPicture' });
export type StreamPicture = z.infer<typeof StreamPicture>;
