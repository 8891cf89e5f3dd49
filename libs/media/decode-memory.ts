import { availableParallelism } from 'node:os';
import type { FrameSpec, ImageFacts, VideoFacts } from '@adit/contracts';
import { barePictureBytes } from './picture/bare-picture.js';
import { MAX_SHARED_PIXELS, pictureSize } from './decode.js';
import { pictureMetadata } from './picture/picture.js';
import { PICTURE_FORMATS } from './formats/pictures/formats.js';
import { sampleBytes } from './formats/pictures/picture-format.js';

/** Lets work that takes that many bytes of memory begin once there is room for it. */
export type Admit = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** Where nobody else decodes. */
export const admitAtOnce: Admit = (_, work) => work();

const MEBIBYTE = 2 ** 20;
/** Decoders, tables and rows that are on their way. */
export const BASE_BYTES = 32 * MEBIBYTE;
/** Below it every kind of picture is taken for the dearest: 50 MB at most. */
const SMALL_PIXELS = 4_000_000;
/** Of a picture's file, without what no decoder needs, at the same time. */
const FILE_COPIES = 4;
/** Pictures that decoder and filters keep beside those of its threads: an estimate, from 0.6 GB for a noisy chunk in 4K. */
const KEPT_FRAMES = 32;
const FRAMES_A_THREAD = 6;

/**
 * Bytes that decoding a picture to `specs` takes at its peak, from its header. Most are decoded row by row; some formats keep more,
 * and a picture that stands on its side all its pixels.
 */
export function pictureMemory(path: string, facts: ImageFacts, specs: readonly FrameSpec[]): Promise<number> {
  const sizes = new Set(specs.map((spec) => Object.values(pictureSize(facts, spec)).join('x')));
  return memoryForSizes(path, facts.width * facts.height, sizes.size);
}

/** The same for one small picture that is made of it; of what is no picture, what finding that out takes. */
export async function pictureThumbnailMemory(path: string): Promise<number> {
  // eslint-disable-next-line adit/no-lost-errors -- whoever decodes it says what is wrong
  const metadata = await pictureMetadata(path, Number.MAX_SAFE_INTEGER).catch(() => null);
  return memoryForSizes(path, metadata === null ? 0 : metadata.width * metadata.height, 1);
}

async function memoryForSizes(path: string, pixels: number, sizes: number): Promise<number> {
  // However few pixels it has, its file is read whole: in parts and as one, and as it goes into a pack.
  const read = BASE_BYTES + FILE_COPIES * (await barePictureBytes(path));
  if (pixels <= SMALL_PIXELS) return read + pixels * 12;
  // eslint-disable-next-line adit/no-lost-errors -- whoever decodes it says what is wrong
  const metadata = await pictureMetadata(path, Number.MAX_SAFE_INTEGER).catch(() => null);
  // What comes out is about as large as a byte a pixel.
  const files = read + pixels;
  if (metadata === null) return files;
  const { format, channels = 3, orientation = 1 } = metadata;
  const decoded = pixels * channels * sampleBytes(metadata);
  let each = PICTURE_FORMATS.find(({ name }) => name === format)?.held(metadata) ?? 0;
  // Rows can only be turned when all are there.
  if (orientation > 1) each += decoded;
  // A large one is decoded for each size that is made of it, at the same time; a smaller one once, and kept.
  if (pixels <= MAX_SHARED_PIXELS) return files + each + decoded;
  return files + each * sizes;
}

/** Bytes that ffmpeg takes for a chunk of a film at its peak: pictures as they are stored, in 4:2:0 or a little more. */
export function chunkMemory({ width, height, bitDepth }: Pick<VideoFacts, 'width' | 'height' | 'bitDepth'>): number {
  const frame = width * height * 1.5 * (bitDepth > 8 ? 2 : 1);
  return 2 * BASE_BYTES + frame * (KEPT_FRAMES + FRAMES_A_THREAD * Math.min(availableParallelism(), 16));
}
