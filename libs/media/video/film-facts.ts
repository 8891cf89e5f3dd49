import { AditError, languageCode, type AudioStream, type Rational, type VideoFacts } from '@adit/contracts';
import { clockGaps } from './clock-gaps.js';
import type { FilmLimits } from '../film-limits.js';
import type { FrameIndex, PictureHints } from './frame-index.js';
import { frameRate, isVariable } from './frame-rate.js';
import type { HeadFrames } from '../ffmpeg/head-frames.js';
import {
  bitDepthOf,
  countOf,
  displayedSize,
  isHdr,
  parseRational,
  pixelAspect,
  rotationOf,
  timecodeRate,
  type ProbedFormat,
  type ProbedStream,
} from '../ffmpeg/stream-facts.js';

/** Longest side of a JPEG. */
const MAX_SIDE = 65_500;

/**
 * Returns the time base of a stream that may be decoded. Throws MEDIA_INVALID without one, and for pictures without a
 * size or above `maxPixels`, as stored or as displayed.
 */
export function checkPictures(video: ProbedStream, maxPixels: number): Rational {
  const timeBase = parseRational(video.time_base);
  const [width, height] = [countOf(video.width), countOf(video.height)];
  if (!timeBase || width === 0 || height === 0) {
    throw new AditError('MEDIA_INVALID', 'The video stream states no picture size or time base.');
  }
  const shown = displayedSize(video);
  for (const { width: w, height: h } of [{ width, height }, shown]) {
    if (w * h <= maxPixels && Math.max(w, h) <= MAX_SIDE) continue;
    throw new AditError(
      'MEDIA_INVALID',
      `The film has ${w}×${h} pixels a frame; at most ${Math.round(maxPixels / 1e6)} megapixels are accepted.`,
    );
  }
  return timeBase;
}

/** Returns the decoder's hints for a stream, except for its times. */
export function hintsOf(video: ProbedStream, head: HeadFrames): Omit<PictureHints, 'timing'> {
  return {
    colorMatrix: video.color_space ?? null,
    colorTransfer: video.color_transfer ?? null,
    colorPrimaries: video.color_primaries ?? null,
    pixelFormat: video.pix_fmt ?? 'yuv420p',
    framesFlagged: head.interlaced,
  };
}

interface ReadFilm {
  head: HeadFrames;
  index: FrameIndex;
  firstTimecode: string | null;
  /** Seconds of the clock at which its sound ends; -Infinity without sound. */
  soundEnds: number;
  limits: FilmLimits;
}

/** Returns the facts of a film with a frame index. */
export function filmFacts(
  video: ProbedStream,
  streams: ProbedStream[],
  format: ProbedFormat,
  { head, index, firstTimecode, soundEnds, limits }: ReadFilm,
): VideoFacts {
  const fps = frameRate(video, index);
  const countedAt = timecodeRate(streams, fps);
  const gaps = clockGaps(index, fps);
  return {
    ...pictureFacts(video, streams, format, head),
    fps,
    variableFrameRate: isVariable(index, fps),
    totalFrames: index.totalFrames,
    duration: Math.max(index.duration, Math.min(soundEnds - startOf(index), limits.maxFilmSeconds)),
    timeBase: index.timeBase,
    startPts: index.startPts,
    startTimecode: firstTimecode,
    ...(countedAt === null ? {} : { timecodeRate: countedAt }),
    ...(gaps !== null && { gaps }),
  };
}

/** Facts of a film's streams and pictures, without its times. */
type PictureFacts = Omit<
  VideoFacts,
  'fps' | 'variableFrameRate' | 'totalFrames' | 'duration' | 'timeBase' | 'startPts' | 'startTimecode'
>;

export function pictureFacts(
  video: ProbedStream,
  streams: ProbedStream[],
  format: ProbedFormat,
  head: HeadFrames,
): PictureFacts {
  return {
    kind: 'video',
    container: format.format_name ?? 'unknown',
    codec: video.codec_name ?? 'unknown',
    stream: video.index,
    ...displayedSize(video),
    rotation: rotationOf(video),
    interlaced: head.interlaced || (/^(tt|bb|tb|bt)$/.test(video.field_order ?? '') && head.count < 2),
    sampleAspectRatio: pixelAspect(video),
    bitDepth: bitDepthOf(video),
    hdr: isHdr(video),
    audioStreams: streams.filter((stream) => stream.codec_type === 'audio').map(soundFacts),
  };
}

export function soundFacts(stream: ProbedStream): AudioStream {
  return {
    stream: stream.index,
    codec: stream.codec_name ?? 'unknown',
    channels: countOf(stream.channels),
    sampleRate: countOf(stream.sample_rate),
    ...language(stream),
  };
}

/** Returns the clock's seconds at the first frame. */
function startOf({ startPts, timeBase }: FrameIndex): number {
  return (startPts * timeBase.num) / timeBase.den;
}

function language({ tags }: ProbedStream): { language?: string } {
  const code = languageCode(tags?.language ?? '');
  return code === null ? {} : { language: code };
}
