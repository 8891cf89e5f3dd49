import { FURTHEST_LOOK } from './sandbox/ffmpeg-guard.js';
import { probeJson, type ProbeRun } from './ffmpeg/ffprobe.js';
import { chooseVideoStream, countOf, ENTRIES, type ProbedFormat, type ProbedStream } from './ffmpeg/stream-facts.js';

/** What a container says of itself and its streams. */
export interface ProbedStreams {
  streams: ProbedStream[];
  format: ProbedFormat;
  /** The film among them; undefined where there is none, or none whose pictures are to be found. */
  video: ProbedStream | undefined;
  /** What is heard; undefined where there is none. */
  audio: ProbedStream | undefined;
  /** How far it had to be looked (`inputGuard`). */
  look: number;
}

/**
 * The streams of a file. Where the film's do not say how large its pictures are, since the first is further behind than one looks, it
 * is looked for further, in steps; a film without any is none where there is sound. Throws as `probeJson`.
 */
export async function probeStreamsOf(path: string, options: ProbeRun): Promise<ProbedStreams> {
  for (let look = 0; ; look++) {
    const { streams = [], format = {} } = await probeJson<{ streams?: ProbedStream[]; format?: ProbedFormat }>(
      path,
      ENTRIES,
      { ...options, look },
    );
    const video = chooseVideoStream(streams);
    const audio = streams.find((stream) => stream.codec_type === 'audio' && stream.codec_name);
    const isLost = video !== undefined && !hasSize(video);
    if (isLost && look < FURTHEST_LOOK) continue;
    return { streams, format, video: isLost && audio !== undefined ? undefined : video, audio, look };
  }
}

function hasSize({ width, height }: ProbedStream): boolean {
  return countOf(width) > 0 && countOf(height) > 0;
}
