import { rename, rm } from 'node:fs/promises';
import { AditError, type AudioStream, type FrameInterval, type VideoFacts } from '@adit/contracts';
import { field } from '../ffmpeg/compact-line.js';
import { probeLines } from '../ffmpeg/ffprobe.js';
import { bestAttempt, type Landing } from '../video/best-attempt.js';
import { chunkStarts, type ChunkStart } from '../video/chunk-start.js';
import type { FrameIndex } from '../video/frame-index.js';
import type { ClipRequest, ClipSpan } from './clip-request.js';

/** Tracks of sound that a clip keeps. */
const MAX_TRACKS = 16;

/** A film, and the frames of it that a clip shows. */
export interface FilmClip extends Omit<ClipRequest, 'facts' | 'index'> {
  facts: VideoFacts;
  index: FrameIndex;
  /** Inclusive. */
  first: number;
  last: number;
  /** Seconds of the container's clock; sound may go on behind the last picture. */
  start: number;
  end: number;
}

/** Returns the frames of a span, and its times by the container's clock. */
export function framesOf(
  { frames, timeStart, timeEnd, handles }: ClipSpan,
  index: FrameIndex,
): Pick<FilmClip, 'first' | 'last' | 'start' | 'end'> {
  const clamp = (frame: number): number => Math.min(Math.max(frame, 0), index.totalFrames - 1);
  const begin = frames === null ? index.shownAt(timeStart) : clamp(frames.first);
  const finish = frames === null ? index.shownAt(timeEnd) : clamp(frames.last);
  const at = (frame: number): number => index.seconds(index.ptsOf(frame));
  const first = handles > 0 ? index.shownAt(Math.max(0, at(begin) - handles)) : begin;
  const last = handles > 0 ? index.shownAt(at(finish) + handles) : finish;
  const zero = (index.startPts * index.timeBase.num) / index.timeBase.den;
  const isBehind = timeEnd > index.duration;
  return {
    first,
    last: Math.max(first, last),
    start: zero + at(first),
    end: zero + (isBehind ? timeEnd + handles : at(Math.max(first, last) + 1)),
  };
}

/** Returns the sound tracks that can be kept. */
export function keptTracks({ audioStreams }: VideoFacts): AudioStream[] {
  return audioStreams
    .filter(({ codec, channels, sampleRate }) => codec !== 'unknown' && channels > 0 && sampleRate > 0)
    .slice(0, MAX_TRACKS);
}

/** Returns ffmpeg's options for a seek: times stay those of the container. */
export function seekOptions(start: ChunkStart): string[] {
  const seek =
    start.kind === 'time' ? ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', start.seconds.toFixed(6)] : [];
  return ['-copyts', ...seek];
}

/**
 * Writes a clip from the first of the starts that lands early enough for a frame, else from the one that shows most.
 * `write` writes the file of one attempt, and returns the reason of a failure. Throws MEDIA_INVALID when none shows a picture.
 */
export async function writeFromBest(
  clip: FilmClip,
  frame: number,
  write: (start: ChunkStart, target: string) => Promise<string | null>,
): Promise<void> {
  const { facts, index, target, signal } = clip;
  const { num, den } = index.timeBase;
  const until = index.ptsOf(clip.last + 1);
  const seekPts = index.ptsOf(frame);
  const interval: FrameInterval = {
    ...{ frameStart: frame, frameEnd: clip.last + 1, ptsStart: seekPts, ptsEnd: until, seekPts },
  };
  const halfFrame = ((index.ptsOf(frame + 1) - seekPts) * num) / den / 2;
  const starts = chunkStarts(facts, index, interval, frame).filter(({ kind }) => kind !== 'keyframe');
  const files: string[] = [];
  try {
    const best = await bestAttempt(
      starts,
      halfFrame,
      async (start, attempt) => {
        const file = `${target}.${attempt}`;
        files.push(file);
        const reason = await write(start, file);
        return { file, reason, ...(await shownBy(file, signal)) };
      },
      signal,
    );
    if (best === undefined || best.count === 0) {
      throw new AditError('MEDIA_INVALID', `The clip cannot be cut: ${best?.reason ?? 'it shows no picture'}.`);
    }
    await rename(best.file, target);
  } finally {
    for (const file of files) await rm(file, { force: true });
  }
}

/** Returns when the first picture of a clip is shown, in its seconds, and how many there are. */
async function shownBy(path: string, signal?: AbortSignal): Promise<{ landing: Landing; count: number }> {
  let landing: Landing = 'nowhere';
  let count = 0;
  const options = { containers: ['mov'], signal };
  const wanted = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time', '-of', 'compact=p=0'];
  try {
    await probeLines(
      path,
      wanted,
      (line) => {
        const time = Number(field(line, 'pts_time') ?? NaN);
        if (Number.isNaN(time)) return;
        if (landing === 'nowhere') landing = time;
        count += 1;
      },
      options,
    );
  } catch (error) {
    // A run without any output leaves no film.
    if (AditError.from(error).code !== 'MEDIA_INVALID') throw error;
  }
  return { landing, count };
}
