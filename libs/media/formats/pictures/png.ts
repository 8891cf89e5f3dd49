import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { AditError } from '@adit/contracts';
import {
  keep,
  MAX_NOTE_BYTES,
  MAX_PARTS,
  MAX_PROFILE_BYTES,
  sampleBytes,
  tooManyParts,
  type Piece,
  type PictureFile,
  type PictureFormat,
} from './picture-format.js';

/** A still PNG; an animated one (APNG) is refused, as WebP is. */
export const PNG: PictureFormat = {
  name: 'png',
  title: 'PNG',
  sniffedAs: ['png', 'apng'],
  contentType: 'image/png',
  extensions: ['.png'],
  begins: (head) => head.subarray(0, 8).equals(PNG_SIGNATURE),
  bare: pngPieces,
  // An interlaced PNG is decoded completely before its first row.
  held: (metadata) => {
    const { isProgressive, width, height, channels = 3 } = metadata;
    return isProgressive ? width * height * channels * sampleBytes(metadata) : 0;
  },
};

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Chunk that states the number of pictures of an APNG (PNG specification, third edition, 11.3.6.1). */
const ANIMATION = 'acTL';
/** Ancillary chunks that affect the displayed picture (PNG specification, 11.3); each may occur once. */
const SHOWING = new Set(['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sRGB', 'eXIf']);

async function pngPieces(file: PictureFile): Promise<Piece[]> {
  const kept: Piece[] = [[0, 8]];
  const seen = new Set<string>();
  let at = 8;
  for (let parts = 0; at + 12 <= file.size; parts++) {
    if (parts === MAX_PARTS) throw tooManyParts();
    const head = await file.from(at, 8);
    const type = head.toString('latin1', 4, 8);
    const end = Math.min(at + 12 + head.readUInt32BE(0), file.size);
    if (type === ANIMATION && (await file.from(at + 8, 4)).readUInt32BE(0) > 1) {
      throw new AditError('MEDIA_INVALID', 'The PNG picture is animated: save one picture of it as PNG or JPEG.');
    }
    // An upper-case first letter marks a critical chunk, which every decoder has to understand.
    const critical = (head.readUInt8(4) & 0x20) === 0;
    if (critical || (!seen.has(type) && (await isShowing(type, file, at + 8, end - 4)))) keep(kept, at, end);
    seen.add(type);
    at = end;
    if (type === 'IEND') return kept;
  }
  // The file ends in the middle of a chunk.
  keep(kept, at, file.size);
  return kept;
}

async function isShowing(type: string, file: PictureFile, from: number, end: number): Promise<boolean> {
  const length = end - from;
  if (!SHOWING.has(type)) return false;
  if (type !== 'iCCP') return length <= MAX_NOTE_BYTES;
  if (length > MAX_PROFILE_BYTES) return false;
  const content = (await file.from(from, length)).subarray(0, length);
  // The content is a name of up to 79 characters, a zero, the method, and the compressed profile.
  const start = content.indexOf(0) + 2;
  if (start < 2 || start > 82) return false;
  const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);
  return unpack(content.subarray(start), { maxOutputLength: MAX_PROFILE_BYTES }).then(
    () => true,
    () => false,
  );
}
