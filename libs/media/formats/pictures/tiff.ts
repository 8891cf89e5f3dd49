import { AditError } from '@adit/contracts';
import {
  keep,
  MAX_PROFILE_BYTES,
  sampleBytes,
  type Piece,
  type PictureFile,
  type PictureFormat,
} from './picture-format.js';
import {
  firstPicture,
  flavourOf,
  numbers,
  placesEntry,
  TAG,
  writeDirectory,
  type Directory,
  type Flavour,
  type WrittenEntry,
} from './tiff-directory.js';

/** TIFF or BigTIFF; the first picture that is not a preview of another is read. */
export const TIFF: PictureFormat = {
  name: 'tiff',
  title: 'TIFF',
  sniffedAs: ['tif'],
  contentType: 'image/tiff',
  extensions: ['.tif', '.tiff'],
  begins: (head) => flavourOf(head) !== null,
  bare: tiffPieces,
  // All pixels may lie in one strip, which is decoded as a whole.
  held: (metadata) => metadata.width * metadata.height * metadata.channels * sampleBytes(metadata),
};

/** Tags that determine the pixels, beside those that locate them (TIFF 6.0 and its supplements). */
const SHOWING = [256, 257, 258, 259, 262, 266, 274, 277, 278, 284, 292, 293, 317, 320, 322, 323, 332, 338, 339, 347];
const OF_COLOUR = [529, 530, 531, 532, TAG.profile];
/** Three tables of 65,536 colours of 16 bits take 384 KiB. */
const MAX_TABLE_BYTES = 1 << 20;
/** Four inks, one alpha, and extra samples that are not displayed. */
const MAX_SAMPLES = 8;
/** Bytes of a decoded picture that may have to be held at once: 100 megapixels of CMYK in 16 bits are 800 MB. */
const MAX_BYTES = 2 ** 30;
/** Bytes of a tile, which may be larger than its picture. */
const MAX_TILE_BYTES = 64 * 2 ** 20;

/** None, CCITT (three), LZW, JPEG, Deflate (two), PackBits, WebP. */
const READ = new Set([1, 2, 3, 4, 5, 7, 8, 32_946, 32_773, 50_001]);
const OTHERS: Record<number, string> = {
  6: 'JPEG of before 1995',
  32_766: 'NeXT',
  32_809: 'ThunderScan',
  34_661: 'JBIG',
  34_676: 'SGI LogLuv',
  34_677: 'SGI LogLuv',
  34_712: 'JPEG 2000',
  34_887: 'LERC',
  34_925: 'LZMA',
  50_000: 'Zstandard',
  50_002: 'JPEG XL',
};
/** Black, white, RGB, a palette, a mask, inks, YCbCr, Lab (three). */
const COLOURS = new Set([0, 1, 2, 3, 4, 5, 6, 8, 9, 10]);
const [COLOUR_FILTER, LINEAR_RAW] = [32_803, 34_892];

/** Rebuilds the file with the directory in front of the pixels, so that its head holds all metadata. */
async function tiffPieces(file: PictureFile): Promise<Piece[]> {
  const flavour = flavourOf((await file.from(0, 16)).subarray(0, 16));
  if (flavour === null) return [[0, file.size]];
  const directory = await firstPicture(file, flavour);
  await check(directory, flavour);
  const isTiled = directory.has(TAG.tileOffsets);
  const [offsetTag, bytesTag] = isTiled ? [TAG.tileOffsets, TAG.tileBytes] : [TAG.stripOffsets, TAG.stripBytes];
  const offsets = await numbers(directory.get(offsetTag), flavour);
  const stated = await numbers(directory.get(bytesTag), flavour);
  // A single strip may omit its length.
  const lengths = stated.length === 0 && offsets.length === 1 ? [file.size] : stated;
  if (offsets.length === 0 || offsets.length !== lengths.length) {
    throw new AditError('MEDIA_INVALID', 'The TIFF picture does not say where its pixels lie.');
  }
  const parts = offsets.map((from, at) => partOf(file, from, lengths[at] ?? 0));
  // Without this check a small file could be expanded into a large one.
  if (parts.reduce((sum, { from, end }) => sum + end - from, 0) > file.size) {
    throw new AditError('MEDIA_INVALID', 'The pixel data of the TIFF picture overlaps.');
  }
  const entries = await shownEntries(directory);
  const written = (places: readonly number[]): Buffer => {
    entries.set(offsetTag, placesEntry(places, flavour));
    const kept = parts.map(({ from, end }) => end - from);
    entries.set(bytesTag, placesEntry(kept, flavour));
    return writeDirectory(entries, flavour);
  };
  let place = written(offsets).length;
  const places = parts.map(({ from, end }) => {
    const own = place;
    place += end - from;
    return own;
  });
  const pieces: Piece[] = [written(places)];
  for (const { from, end } of parts) keep(pieces, from, end);
  return pieces;
}

/** Clips a strip or tile to the file. */
function partOf({ size }: PictureFile, from: number, length: number): { from: number; end: number } {
  const start = Math.min(from, size);
  return { from: start, end: Math.min(start + length, size) };
}

async function shownEntries(directory: Directory): Promise<Map<number, WrittenEntry>> {
  const entries = new Map<number, WrittenEntry>();
  for (const tag of [...SHOWING, ...OF_COLOUR]) {
    const entry = directory.get(tag);
    if (entry === undefined || entry.length > (tag === TAG.profile ? MAX_PROFILE_BYTES : MAX_TABLE_BYTES)) continue;
    entries.set(tag, { type: entry.type, count: entry.count, bytes: await entry.bytes() });
  }
  return entries;
}

/** Throws MEDIA_INVALID, naming the feature, for unsupported pictures. */
async function check(directory: Directory, flavour: Flavour): Promise<void> {
  const one = async (tag: number, otherwise: number): Promise<number> =>
    (await numbers(directory.get(tag), flavour))[0] ?? otherwise;
  const photometric = await one(TAG.photometric, 1);
  const isPreview = ((await one(TAG.kind, 0)) & 1) === 1 && directory.has(TAG.subDirectories);
  if (isPreview || directory.has(TAG.digitalNegative) || [COLOUR_FILTER, LINEAR_RAW].includes(photometric)) {
    throw new AditError('MEDIA_INVALID', `The file is ${RAW_PICTURE}.`);
  }
  const compression = await one(TAG.compression, 1);
  if (!READ.has(compression)) {
    const name = OTHERS[compression] ?? `number ${compression}`;
    const message = `The TIFF picture is compressed in a way that is not read here (${name}): save it as PNG, or with LZW.`;
    throw new AditError('MEDIA_INVALID', message);
  }
  if (!COLOURS.has(photometric)) {
    const message = `The TIFF picture has colours of a kind that is not read here (number ${photometric}): save it as PNG.`;
    throw new AditError('MEDIA_INVALID', message);
  }
  const samples = await one(TAG.samples, 1);
  if (samples > MAX_SAMPLES) {
    const message = `The TIFF picture has ${samples} values a pixel; at most ${MAX_SAMPLES} are read: save it as PNG.`;
    throw new AditError('MEDIA_INVALID', message);
  }
  const bits = Math.max(1, ...(await numbers(directory.get(TAG.bits), flavour)));
  const bytesOf = async (width: number, height: number): Promise<number> =>
    Math.ceil(((await one(width, 0)) * (await one(height, 0)) * samples * bits) / 8);
  const picture = await bytesOf(TAG.width, TAG.height);
  const tile = await bytesOf(TAG.tileWidth, TAG.tileHeight);
  if (picture > MAX_BYTES || tile > Math.max(picture, MAX_TILE_BYTES)) {
    const [what, most] = picture > MAX_BYTES ? ['pixels', MAX_BYTES] : ['tiles', Math.max(picture, MAX_TILE_BYTES)];
    const message = `The ${what} of the TIFF picture take ${Math.max(picture, tile)} bytes; at most ${most} are decoded.`;
    throw new AditError('MEDIA_INVALID', message);
  }
}

/** Camera raw formats are TIFF files with a small preview in front. */
export const RAW_PICTURE = 'a camera’s raw picture: save it as JPEG';
