import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

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
