import sharp from 'sharp';
import { AditError, type AudioFacts, type ImageFacts, type MediaFacts, type VideoFacts } from '@adit/contracts';
import type { FrameIndex } from './frame-index.js';
import { indexFrames, readHead } from './index-frames.js';
import { probeJson, type ProbeRun } from './ffprobe.js';
import { DEFAULT_MAX_PIXELS } from './picture.js';
import { ACCEPTED_MEDIA, sniffMedia } from './sniff.js';
import {
  bitDepthOf,
  chooseVideoStream,
  displayedSize,
  frameRate,
  isHdr,
  isVariable,
  parseRational,
  pixelAspect,
  rotationOf,
  startTimecode,
  type ProbedFormat,
  type ProbedStream,
} from './stream-facts.js';

export interface ProbeOptions extends ProbeRun {
  /** Largest image in pixels; default 100 million. */
  maxImagePixels?: number;
}

export interface ProbedMedia {
  facts: MediaFacts;
  /** Null for images and sound. */
  index: FrameIndex | null;
}

/**
 * What a private file holds, decided by its content alone: facts of an image, a film (with the place of every frame) or
 * sound. Throws MEDIA_INVALID saying what is wrong, LIMIT_EXCEEDED when the probe takes too long.
 */
export async function probeMedia(path: string, options: ProbeOptions = {}): Promise<ProbedMedia> {
  const sniffed = await sniffMedia(path);
  switch (sniffed.kind) {
    case 'image':
      return { facts: await probeImage(path, options.maxImagePixels ?? DEFAULT_MAX_PIXELS), index: null };
    case 'video':
    case 'audio':
      return probeStreams(path, options);
    case 'pdf':
      throw new AditError('MEDIA_INVALID', 'PDF documents cannot be mined yet.');
    default:
      throw new AditError('MEDIA_INVALID', `The file is no media known here (${sniffed.format}). ${ACCEPTED_MEDIA}`);
  }
}

async function probeImage(path: string, maxPixels: number): Promise<ImageFacts> {
  // Reads the header only, so a small file that unpacks to gigabytes costs nothing here.
  const metadata = await sharp(path, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw new AditError('MEDIA_INVALID', 'The image is damaged: its header cannot be read.', { cause: error });
    });
  const { format, width, height } = metadata;
  if (format !== 'jpeg' && format !== 'png') {
    throw new AditError('MEDIA_INVALID', `Images of the format ${format} are not accepted. ${ACCEPTED_MEDIA}`);
  }
  if (width * height > maxPixels) {
    throw new AditError(
      'MEDIA_INVALID',
      `The image has ${width}×${height} pixels; at most ${Math.round(maxPixels / 1e6)} megapixels are accepted.`,
    );
  }
  const displayed = metadata.autoOrient;
  return { kind: 'image', format, width: displayed.width, height: displayed.height };
}

async function probeStreams(path: string, options: ProbeOptions): Promise<ProbedMedia> {
  const probed = await probeJson<{ streams?: ProbedStream[]; format?: ProbedFormat }>(
    path,
    ['-show_streams', '-show_format'],
    options,
  );
  const streams = probed.streams ?? [];
  const format = probed.format ?? {};
  const video = chooseVideoStream(streams);
  if (video) return probeVideo(path, video, streams, format, options);
  const audio = streams.find((stream) => stream.codec_type === 'audio' && stream.codec_name);
  if (audio) return { facts: await audioFacts(path, audio, format, options), index: null };
  const held = streams.map((stream) => stream.codec_type ?? 'unknown').join(', ');
  throw new AditError(
    'MEDIA_INVALID',
    `The file holds no video stream that can be decoded (streams: ${held || 'none'}).`,
  );
}

async function probeVideo(
  path: string,
  video: ProbedStream,
  streams: ProbedStream[],
  format: ProbedFormat,
  options: ProbeOptions,
): Promise<ProbedMedia> {
  const timeBase = parseRational(video.time_base);
  const { width = 0, height = 0 } = video;
  const largest = options.maxPixels ?? 64_000_000;
  if (!timeBase || width < 1 || height < 1) {
    throw new AditError('MEDIA_INVALID', 'The video stream states no picture size or time base.');
  }
  if (width * height > largest) {
    throw new AditError(
      'MEDIA_INVALID',
      `The film has ${width}×${height} pixels a frame; at most ${Math.round(largest / 1e6)} megapixels are accepted.`,
    );
  }
  const head = await readHead(path, video.index, options);
  if (head.pts.length === 0) {
    throw new AditError(
      'MEDIA_INVALID',
      `The ${video.codec_name} video stream cannot be decoded: its beginning shows no picture.`,
    );
  }
  const hints = {
    colorMatrix: video.color_space ?? null,
    colorTransfer: video.color_transfer ?? null,
    colorPrimaries: video.color_primaries ?? null,
    pixelFormat: video.pix_fmt ?? 'yuv420p',
    framesFlagged: head.interlaced,
  };
  const index = await indexFrames(
    path,
    { index: video.index, timeBase, container: format.format_name ?? '' },
    head,
    hints,
    options,
  );
  const variableFrameRate = isVariable(index.pts, timeBase);
  const facts: VideoFacts = {
    kind: 'video',
    container: format.format_name ?? 'unknown',
    codec: video.codec_name ?? 'unknown',
    stream: video.index,
    ...displayedSize(video),
    fps: frameRate(video, index, variableFrameRate),
    variableFrameRate,
    totalFrames: index.totalFrames,
    duration: index.duration,
    timeBase,
    startPts: index.startPts,
    startTimecode: startTimecode(video, streams, format),
    rotation: rotationOf(video),
    interlaced: head.interlaced || (/^(tt|bb|tb|bt)$/.test(video.field_order ?? '') && head.pts.length < 2),
    sampleAspectRatio: pixelAspect(video),
    bitDepth: bitDepthOf(video),
    hdr: isHdr(video),
    audioStreams: streams
      .filter((stream) => stream.codec_type === 'audio')
      .map((stream) => ({
        stream: stream.index,
        codec: stream.codec_name ?? 'unknown',
        channels: stream.channels ?? 0,
        sampleRate: Number(stream.sample_rate ?? 0),
      })),
  };
  return { facts, index };
}

async function audioFacts(
  path: string,
  audio: ProbedStream,
  format: ProbedFormat,
  options: ProbeOptions,
): Promise<AudioFacts> {
  const channels = audio.channels ?? 0;
  const sampleRate = Number(audio.sample_rate ?? 0);
  const duration = Number(audio.duration ?? format.duration ?? NaN);
  if (channels < 1 || sampleRate < 1) {
    throw new AditError('MEDIA_INVALID', `The ${audio.codec_name} sound stream states no channels or sample rate.`);
  }
  return {
    kind: 'audio',
    container: format.format_name ?? 'unknown',
    codec: audio.codec_name ?? 'unknown',
    duration: Number.isFinite(duration) ? Math.max(duration, 0) : await packetDuration(path, audio.index, options),
    channels,
    sampleRate,
  };
}

/** Seconds of a stream whose container states none, from its packets. */
async function packetDuration(path: string, stream: number, options: ProbeOptions): Promise<number> {
  const { packets = [] } = await probeJson<{ packets?: { pts_time?: string; duration_time?: string }[] }>(
    path,
    ['-select_streams', String(stream), '-show_entries', 'packet=pts_time,duration_time'],
    options,
  );
  const last = packets.at(-1);
  const first = packets[0];
  if (!last || !first) return 0;
  return Math.max(Number(last.pts_time ?? 0) + Number(last.duration_time ?? 0) - Number(first.pts_time ?? 0), 0) || 0;
}
