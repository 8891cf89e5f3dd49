import { LAST_PROBE_STEP } from './sandbox/ffmpeg-guard.js';
import { probeJson, type ProbeRun } from './ffmpeg/ffprobe.js';
import {
  chooseVideoStream,
  countOf,
  ENTRIES,
  ofProgramme,
  type ProbedFormat,
  type ProbedProgramme,
  type ProbedStream,
} from './ffmpeg/stream-facts.js';

/** What ffprobe answers to ENTRIES. */
export interface ProbedFile {
  streams?: ProbedStream[];
  programs?: ProbedProgramme[];
  format?: ProbedFormat;
}

/** Streams and format as the container states them; of a film with other programmes beside it its own streams. */
export interface ProbedStreams {
  streams: ProbedStream[];
  format: ProbedFormat;
  /** The film; undefined where there is none, or its pictures cannot be found. */
  video: ProbedStream | undefined;
  /** The audio stream; undefined where there is none. */
  audio: ProbedStream | undefined;
  /** Step of `inputGuard` that was needed. */
  probeStep: number;
}

/**
 * Reads the streams of a file. Where the film's picture size is unknown because its first picture lies further back,
 * more of the file is read, in steps; a film without any picture counts as none where there is sound. Throws as
 * `probeJson`.
 */
export async function probeStreamsOf(path: string, options: ProbeRun): Promise<ProbedStreams> {
  for (let step = 0; ; step++) {
    const found = await probeJson<ProbedFile>(path, ENTRIES, { ...options, probeStep: step });
    const { streams: all = [], programs = [], format = {} } = found;
    const video = chooseVideoStream(all);
    const streams = ofProgramme(all, programs, video);
    const audio = streams.find((stream) => stream.codec_type === 'audio' && stream.codec_name);
    const isLost = video !== undefined && !hasSize(video);
    if (isLost && step < LAST_PROBE_STEP) continue;
    return { streams, format, video: isLost && audio !== undefined ? undefined : video, audio, probeStep: step };
  }
}

function hasSize({ width, height }: ProbedStream): boolean {
  return countOf(width) > 0 && countOf(height) > 0;
}
