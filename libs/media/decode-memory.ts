import { availableParallelism } from 'node:os';
import type { FrameSpec, ImageFacts, VideoFacts } from '@adit/contracts';
import { barePictureBytes } from './picture/bare-picture.js';
import { MAX_SHARED_PIXELS, pictureSize } from './decode.js';
import { pictureMetadata } from './picture/picture.js';
import { PICTURE_FORMATS } from './formats/pictures/formats.js';
import { sampleBytes } from './formats/pictures/picture-format.js';

/** Runs work once the given number of bytes of memory is available. */
export type Admit = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** Admits immediately, for processes where nothing else decodes. */
export const admitAtOnce: Admit = (_, work) => work();

const MEBIBYTE = 2 ** 20;
/** Bytes of decoders, tables and buffered rows. */
export const BASE_BYTES = 32 * MEBIBYTE;
/** Pictures below this many pixels are all reckoned as the most expensive kind: 50 MB at most. */
const SMALL_PIXELS = 4_000_000;
/** Copies of a picture's file, without metadata, that exist at the same time. */
const FILE_COPIES = 4;
/**
 * Pictures that decoder and filters keep beside those of its threads; an estimate from 0.6 GB for a noisy chunk in 4K.
 */
const KEPT_FRAMES = 32;
const FRAMES_A_THREAD = 6;

/**
 * Returns the peak bytes of decoding a picture to `specs`, estimated from its header. Most formats are decoded row by
 * row; some keep more, and a rotated picture keeps all its pixels.
 */
export function pictureMemory(path: string, facts: ImageFacts, specs: readonly FrameSpec[]): Promise<number> {
  const sizes = new Set(specs.map((spec) => Object.values(pictureSize(facts, spec)).join('x')));
  return memoryForSizes(path, facts.width * facts.height, sizes.size);
}

/** Estimates the same for one thumbnail; for a file that is no picture, the cost of finding that out. */
export async function pictureThumbnailMemory(path: string): Promise<number> {
  // eslint-disable-next-line adit/no-lost-errors -- whoever decodes it says what is wrong
  const metadata = await pictureMetadata(path, Number.MAX_SAFE_INTEGER).catch(() => null);
  return memoryForSizes(path, metadata === null ? 0 : metadata.width * metadata.height, 1);
}

async function memoryForSizes(path: string, pixels: number, sizes: number): Promise<number> {
  // The file is read whole whatever its size: in parts, joined, and as it goes into a pack.
  const read = BASE_BYTES + FILE_COPIES * (await barePictureBytes(path));
  if (pixels <= SMALL_PIXELS) return read + pixels * 12;
  // eslint-disable-next-line adit/no-lost-errors -- whoever decodes it says what is wrong
  const metadata = await pictureMetadata(path, Number.MAX_SAFE_INTEGER).catch(() => null);
  // The encoded output takes about one byte per pixel.
  const files = read + pixels;
  if (metadata === null) return files;
  const { format, channels = 3, orientation = 1 } = metadata;
  const decoded = pixels * channels * sampleBytes(metadata);
  let each = PICTURE_FORMATS.find(({ name }) => name === format)?.held(metadata) ?? 0;
  // Rotation needs all rows at once.
  if (orientation > 1) each += decoded;
  // A large picture is decoded at the same time for each output size; a smaller one once, and kept.
  if (pixels <= MAX_SHARED_PIXELS) return files + each + decoded;
  return files + each * sizes;
}

/** Returns the peak bytes of ffmpeg for a chunk of a film: pictures as they are stored, in 4:2:0 or a little more. */
export function chunkMemory({ width, height, bitDepth }: Pick<VideoFacts, 'width' | 'height' | 'bitDepth'>): number {
  const frame = width * height * 1.5 * (bitDepth > 8 ? 2 : 1);
  return 2 * BASE_BYTES + frame * (KEPT_FRAMES + FRAMES_A_THREAD * Math.min(availableParallelism(), 16));
}
