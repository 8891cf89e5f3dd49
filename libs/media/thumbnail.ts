import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, nullIfNoFile } from '@adit/contracts';
import { admitAtOnce, BASE_BYTES, chunkMemory, pictureThumbnailMemory, type Admit } from './decode-memory.js';
import { probeStepSeconds } from './sandbox/ffmpeg-guard.js';
import { runFfmpeg } from './ffmpeg/ffmpeg-run.js';
import { drawFirstPage, firstPageMemory } from './pdf/pdf.js';
import { encodeJpeg, openPicture, unreadable } from './picture/picture.js';
import type { ProbeRun } from './ffmpeg/ffprobe.js';
import { probeStreamsOf, type ProbedStreams } from './probe-streams.js';
import { ACCEPTED_MEDIA, demuxersOf, sniffMedia } from './sniff.js';
import { storedPictures } from './ffmpeg/stream-facts.js';

interface ThumbnailRequest {
  /** Private file; of a long film its beginning and its end are enough. */
  path: string;
  /** Folder for files that ffmpeg writes. */
  directory: string;
  /** Pixels of the longer side; never enlarged. Default 320. */
  maxSide?: number;
  /** Seconds of a film that are searched for a poster. Default 30. */
  posterSeconds?: number;
  /** Called before anything is decoded. Default: admits at once. */
  admit?: Admit;
  signal?: AbortSignal;
}

const TIMEOUT_SECONDS = 60;
const MEMORY_BYTES = 2 ** 30;
/**
 * Number of key frames that a poster is chosen from: the one most like the others, which is never a short black leader.
 */
const CANDIDATES = 8;
/** Oversampling of a page: thin print becomes grey instead of vanishing. */
const FINER = 4;
/** Samples per second of a waveform; ffmpeg buffers all of them: 24 hours in 1.4 GB. */
const WAVEFORM_RATE = 4000;

/**
 * Makes a small JPEG that represents a file: a picture itself, a document's first page, a film's poster, the waveform
 * of sound. Throws MEDIA_INVALID for media that cannot be shown, LIMIT_EXCEEDED past a minute or a gigabyte.
 */
export async function makeThumbnail(request: ThumbnailRequest): Promise<Buffer> {
  const { path, maxSide = 320, admit = admitAtOnce, signal } = request;
  const sniffed = await sniffMedia(path);
  const { kind, format } = sniffed;
  if (kind === 'pdf') return firstPage(request);
  if (kind === 'image') return admit(await pictureThumbnailMemory(path), () => smallJpeg(path, maxSide));
  if (kind !== 'video' && kind !== 'audio') {
    throw new AditError('MEDIA_INVALID', `This file has no thumbnail (${format}). ${ACCEPTED_MEDIA}`);
  }
  const containers = demuxersOf(sniffed);
  const probed = await probeStreamsOf(path, { containers, signal, timeoutSeconds: TIMEOUT_SECONDS });
  const { video, audio, format: container, probeStep } = probed;
  if (video !== undefined) {
    const bytes = Math.min(MEMORY_BYTES, chunkMemory(storedPictures(video)));
    return admit(bytes, () => poster(request, video.index, { containers, probeStep }));
  }
  if (audio !== undefined) {
    const seconds = Number(audio.duration ?? container.duration ?? Infinity);
    const bytes = Math.min(MEMORY_BYTES, 2 * BASE_BYTES + (seconds || 0) * WAVEFORM_RATE * 4);
    return admit(bytes, () => waveform(request, audio.index, containers));
  }
  throw new AditError('MEDIA_INVALID', 'The file holds neither a picture nor sound that can be decoded.');
}

async function firstPage({ path, maxSide = 320, admit = admitAtOnce, signal }: ThumbnailRequest): Promise<Buffer> {
  const side = FINER * maxSide;
  return admit(await firstPageMemory(path, side), async () => {
    const page = await drawFirstPage(path, side, signal);
    return (await encodeJpeg(page, { maxSide })).data;
  });
}

type Input = Pick<ProbedStreams, 'probeStep'> & Pick<ProbeRun, 'containers'>;

function poster(request: ThumbnailRequest, stream: number, input: Input): Promise<Buffer> {
  const { probeStep } = input;
  const { maxSide = 320, posterSeconds = 30 } = request;
  const graph = [
    `[0:${stream}]thumbnail=n=${CANDIDATES}`,
    `scale=w='max(trunc(iw*sar),1)':h=ih`,
    'setsar=1',
    `scale=w='min(${maxSide},iw)':h='min(${maxSide},ih)':force_original_aspect_ratio=decrease`,
    'format=rgb24[o0]',
  ];
  // The seconds count from the first picture, which may follow minutes of sound.
  const seconds = posterSeconds + (probeStep > 0 ? probeStepSeconds(probeStep) : 0);
  return drawn(request, graph.join(','), { ...input, options: ['-skip_frame', 'nokey', '-t', String(seconds)] });
}

function waveform(request: ThumbnailRequest, stream: number, containers: readonly string[]): Promise<Buffer> {
  const { maxSide = 320 } = request;
  const size = `${maxSide}x${Math.round(maxSide / 2)}`;
  const graph =
    `[0:${stream}]aresample=${WAVEFORM_RATE},aformat=channel_layouts=mono,` +
    `showwavespic=s=${size}:colors=0x2f6f9f:scale=sqrt,format=rgba[o0]`;
  return drawn(request, graph, { containers, probeStep: 0, options: [] });
}

/** Returns the first picture that the graph writes as `[o0]`. */
async function drawn(
  { path, directory, maxSide = 320, signal }: ThumbnailRequest,
  filterGraph: string,
  { containers, probeStep, options }: Input & { options: string[] },
): Promise<Buffer> {
  const folder = await mkdtemp(join(directory, 'thumbnail-'));
  const target = join(folder, 'thumbnail.png');
  try {
    const reason = await runFfmpeg({
      path,
      containers,
      probeStep,
      inputOptions: options,
      filterGraph,
      outputs: [
        { target, options: ['-map', '[o0]', '-frames:v', '1', '-f', 'image2', '-c:v', 'png', '-threads', '1'] },
      ],
      signal,
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryBytes: MEMORY_BYTES,
    });
    const picture = await readFile(target).catch(nullIfNoFile);
    if (picture === null || picture.length === 0) {
      throw new AditError(
        'MEDIA_INVALID',
        `No thumbnail can be made of the file: ${reason ?? 'its beginning has no picture'}.`,
      );
    }
    return await smallJpeg(picture, maxSide);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function smallJpeg(input: string | Buffer, maxSide: number): Promise<Buffer> {
  try {
    const picture = await openPicture(input);
    return await picture
      .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: 82 })
      .toBuffer();
  } catch (error) {
    throw unreadable(error);
  }
}
