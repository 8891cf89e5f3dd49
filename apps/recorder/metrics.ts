import { counter, gauge, histogram, secondsBetween } from '@adit/runtime';

export const streamsRead = gauge('adit_streams_read', 'Live streams that this recorder reads');

export const chunkDelay = histogram(
  'adit_stream_chunk_delay_seconds',
  'Time from the arrival of the first picture of a live chunk until its analysis was requested',
  [],
  secondsBetween(0.1, 100),
);

export const streamFrames = counter('adit_stream_frames_total', 'Frames of live streams that were decoded');

export const partsBegun = counter(
  'adit_stream_parts_total',
  'Jobs that went on with a live stream whose job before them had completed',
);

export const soundDelay = histogram(
  'adit_stream_sound_delay_seconds',
  'Time from the end of a part of the sound of a live stream, which is cut in a pause, until its analysis was requested',
  [],
  secondsBetween(0.1, 100),
);

export const soundSeconds = counter(
  'adit_stream_sound_seconds_total',
  'Seconds of sound of live streams that were decoded',
);

export const soundLeftOut = counter(
  'adit_stream_sound_left_out_seconds_total',
  'Seconds of sound of live streams that were not analysed, because the analysis or the storage was too slow, or the sound too late for its part',
  ['reason'],
);

export const leftOut = counter(
  'adit_stream_chunks_left_out_total',
  'Chunks of live streams that were not analysed, because the analysis or the storage was too slow',
  ['reason'],
);

export const recordedBytes = counter(
  'adit_recording_bytes_total',
  'Bytes of recordings of live streams that were stored',
);

export const recordedSegments = counter(
  'adit_recording_segments_total',
  'Segments of recordings of live streams that were stored',
);

export const recordingFailures = counter(
  'adit_recording_failures_total',
  'Failed attempts to store a segment of a recording of a live stream',
);
