import { stat } from 'node:fs/promises';
import { AditError, type AudioFacts, type ImageFacts, type MediaFacts } from '@adit/contracts';
import { admitAtOnce, chunkMemory, type Admit } from './decode-memory.js';
import { DEFAULT_MAX_FRAME_PIXELS } from './sandbox/ffmpeg-guard.js';
import { checkPictures, filmFacts, hintsOf } from './video/film-facts.js';
import { checkFilm, DEFAULT_FILM_LIMITS, frameCheck, type FilmLimits } from './film-limits.js';
import type { FrameIndex } from './video/frame-index.js';
import { readHead, type HeadFrames } from './ffmpeg/head-frames.js';
import { indexFrames, listPackets, type IndexedStream } from './video/index-frames.js';
import type { PacketList } from './video/packet-list.js';
import type { ProbeRun } from './ffmpeg/ffprobe.js';
import { oggChain } from './audio/ogg-links.js';
import { probePdf } from './pdf/pdf.js';
import { probeStreamsOf } from './probe-streams.js';
import { PICTURE_FORMATS } from './formats/pictures/formats.js';
import { DEFAULT_MAX_PIXELS, pictureMetadata, unreadable } from './picture/picture.js';
import { ACCEPTED_MEDIA, demuxersOf, notMined, sniffMedia } from './sniff.js';
import { soundEnd, soundLength } from './audio/sound-length.js';
import { editedTimecode } from './video/quicktime-timecode.js';
import {
  countOf,
  isEncrypted,
  startTimecode,
  storedPictures,
  type ProbedFormat,
  type ProbedStream,
} from './ffmpeg/stream-facts.js';

interface ProbeOptions extends Omit<ProbeRun, 'containers'> {
  /** Largest image in pixels; default 100 million. */
  maxImagePixels?: number;
  /** Default: the built-in limits. */
  film?: FilmLimits;
  /** Called before pictures of a film are decoded. Default: admits at once. */
  admit?: Admit;
}

type StreamOptions = ProbeOptions & ProbeRun;

interface ProbedMedia {
  facts: MediaFacts;
  /** Null for media without frames. */
  index: FrameIndex | null;
}

/**
 * Identifies a private file by its content alone: facts of an image, a document, a film (with the position of every
 * frame) or sound. Throws MEDIA_INVALID with the reason, TOO_LARGE for a film beyond the limits, LIMIT_EXCEEDED past
 * the time limit.
 */
export async function probeMedia(path: string, options: ProbeOptions = {}): Promise<ProbedMedia> {
  const sniffed = await sniffMedia(path);
  switch (sniffed.kind) {
    case 'image':
      return { facts: await probeImage(path, options.maxImagePixels ?? DEFAULT_MAX_PIXELS), index: null };
    case 'video':
    case 'audio':
      return probeStreams(path, { ...options, containers: demuxersOf(sniffed) });
    case 'pdf':
      return { facts: await probePdf(path, options), index: null };
    default:
      throw new AditError('MEDIA_INVALID', notMined(sniffed));
  }
}

async function probeImage(path: string, maxPixels: number): Promise<ImageFacts> {
  // Only the header is read, so a small file that unpacks to gigabytes costs nothing here.
  const metadata = await pictureMetadata(path, Number.MAX_SAFE_INTEGER).catch((error: unknown) => {
    throw unreadable(error, 'The image is damaged: its header cannot be read.');
  });
  const { format, width, height } = metadata;
  if (PICTURE_FORMATS.every(({ name }) => name !== format)) {
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

async function probeStreams(path: string, options: StreamOptions): Promise<ProbedMedia> {
  const { streams, format, video, audio, probeStep } = await probeStreamsOf(path, options);
  // Only sound is read from Windows Media.
  if (video && format.format_name === 'asf') throw new AditError('MEDIA_INVALID', notMined({ format: 'asf' }));
  if (isEncrypted(video ?? audio ?? { index: 0 })) {
    throw new AditError('MEDIA_INVALID', 'The file is encrypted: save it without encryption.');
  }
  if (video) return probeVideo(path, video, streams, format, { ...options, probeStep });
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
  options: StreamOptions,
): Promise<ProbedMedia> {
  const timeBase = checkPictures(video, options.maxPixels ?? DEFAULT_MAX_FRAME_PIXELS);
  const limits = options.film ?? DEFAULT_FILM_LIMITS;
  const checkCount = frameCheck((await stat(path)).size, limits);
  checkCount(countOf(video.nb_frames));
  const { admit = admitAtOnce } = options;
  const bytes = chunkMemory(storedPictures(video));
  const decoding = <T>(work: () => Promise<T>): Promise<T> => admit(bytes, work);
  const [container, codec] = [format.format_name ?? '', video.codec_name ?? ''];
  const stream = { index: video.index, timeBase, container, codec, checkCount, limits, decoding };
  const { head, packets } = await headAndPackets(path, stream, options);
  const { probeStep = 0 } = options;
  const hints = { ...hintsOf(video, head), ...(probeStep > 0 && { look: probeStep }) };
  const index = await indexFrames(path, stream, { head, packets, hints }, options);
  checkFilm(index, limits);
  const stated = startTimecode(video, streams, format);
  const isEdited = stated !== null && streams.some((stream) => stream.codec_tag_string === 'tmcd');
  const firstTimecode = isEdited ? await editedTimecode(path, stated, video.index) : stated;
  const soundEnds = await soundEnd(path, streams, options);
  return { facts: filmFacts(video, streams, format, { head, index, firstTimecode, soundEnds, limits }), index };
}

/** Decodes the beginning while the packets are listed. An error of the beginning takes precedence. */
async function headAndPackets(
  path: string,
  stream: IndexedStream,
  options: StreamOptions,
): Promise<{ head: HeadFrames; packets: PacketList }> {
  const unreadable = new AbortController();
  const signal = AbortSignal.any([unreadable.signal, ...(options.signal ? [options.signal] : [])]);
  const heading = stream.decoding(() => readHead(path, stream.index, options));
  const listing = listPackets(path, stream, heading, { ...options, signal });
  // The error of the listing waits for the beginning.
  listing.catch(() => undefined);
  try {
    const head = await heading;
    if (head.count === 0) {
      throw new AditError(
        'MEDIA_INVALID',
        `The ${stream.codec} video stream cannot be decoded: its beginning shows no picture.`,
      );
    }
    return { head, packets: await listing };
  } catch (error) {
    unreadable.abort(error);
    await Promise.allSettled([listing]);
    throw error;
  }
}

async function audioFacts(
  path: string,
  audio: ProbedStream,
  format: ProbedFormat,
  options: StreamOptions,
): Promise<AudioFacts> {
  const channels = countOf(audio.channels);
  const sampleRate = countOf(audio.sample_rate);
  if (channels < 1 || sampleRate < 1) {
    throw new AditError('MEDIA_INVALID', `The ${audio.codec_name} sound stream states no channels or sample rate.`);
  }
  const stated = Number(audio.duration ?? format.duration ?? 0);
  const chained = format.format_name === 'ogg' ? await oggChain(path, options.signal) : null;
  return {
    kind: 'audio',
    container: format.format_name ?? 'unknown',
    codec: audio.codec_name ?? 'unknown',
    duration: chained?.seconds ?? (await soundLength(path, audio.index, options)) ?? (Math.max(stated, 0) || 0),
    channels,
    sampleRate,
  };
}
