import { AditError } from '@adit/contracts';
import {
  MAX_NOTE_BYTES,
  MAX_PARTS,
  MAX_PROFILE_BYTES,
  tooManyParts,
  type Piece,
  type PictureFile,
  type PictureFormat,
} from './picture-format.js';

/** A still WebP; an animated one is refused. */
export const WEBP: PictureFormat = {
  name: 'webp',
  title: 'WebP',
  sniffedAs: ['webp'],
  contentType: 'image/webp',
  extensions: ['.webp'],
  begins: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
  bare: webpPieces,
  // Lossy pictures are decoded completely before the first row: 4.1 bytes per pixel, measured for 64 megapixels.
  held: ({ width, height }) => width * height * 4.1,
};

// Flags of VP8X (RFC 9649, 2.7).
const [HAS_PROFILE, HAS_ALPHA, HAS_EXIF, IS_ANIMATED] = [0x20, 0x10, 0x08, 0x02];
/** Bytes that hold the frame's header where only the head is needed. */
const HEAD_BYTES = 64 << 10;
const EXTENDED_BYTES = 18;
/** Largest length that a container can state. */
const MAX_RIFF_BYTES = 0xffff_fffe;

/**
 * Rebuilds the container around the chunks that affect the displayed picture. Its decoder refuses a chunk shorter than
 * stated: where only the head is needed the picture's chunk states its short length, and where the file is truncated
 * the container states the missing bytes.
 */
async function webpPieces(file: PictureFile, most: number): Promise<Piece[]> {
  const chunks = new Map<string, { pieces: Piece[]; length: number }>();
  let flags: number | null = null;
  const riffEnd = Math.min(file.size, 8 + (await file.from(4, 4)).readUInt32LE(0));
  let at = 12;
  for (let parts = 0; at + 8 <= riffEnd; parts++) {
    if (parts === MAX_PARTS) throw tooManyParts();
    const head = await file.from(at, EXTENDED_BYTES);
    const type = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    const pictured = chunks.has('VP8 ') || chunks.has('VP8L');
    if (type === 'VP8X' && at === 12 && head.length >= EXTENDED_BYTES) {
      flags = head.readUInt8(8);
      if ((flags & IS_ANIMATED) !== 0) {
        throw new AditError('MEDIA_INVALID', 'The WebP picture is animated: save one picture of it as PNG or JPEG.');
      }
      chunks.set(type, { pieces: [Buffer.from(head.subarray(0, EXTENDED_BYTES))], length: EXTENDED_BYTES });
    } else if (!chunks.has(type) && isShowing(type, length, flags, pictured)) {
      const wanted = most === Infinity || length <= HEAD_BYTES ? length : HEAD_BYTES;
      chunks.set(type, { pieces: chunkOf(head, at, wanted, riffEnd), length: 8 + wanted + (wanted & 1) });
    }
    at += 8 + length + (length & 1);
  }
  return containerOf(chunks, flags);
}

/**
 * Tests whether a chunk affects the displayed picture. `flags` are those of an extended file; a simple file has only
 * the picture.
 */
function isShowing(type: string, length: number, flags: number | null, pictured: boolean): boolean {
  switch (type) {
    case 'VP8 ':
    case 'VP8L':
      return !pictured;
    case 'ALPH':
      return flags !== null && !pictured;
    case 'ICCP':
      return flags !== null && !pictured && length <= MAX_PROFILE_BYTES;
    case 'EXIF':
      return flags !== null && length <= MAX_NOTE_BYTES;
    default:
      return false;
  }
}

function chunkOf(head: Buffer, at: number, length: number, fileEnd: number): Piece[] {
  const start = Buffer.from(head.subarray(0, 8));
  start.writeUInt32LE(length, 4);
  const end = Math.min(at + 8 + length, fileEnd);
  const pieces: Piece[] = end > at + 8 ? [start, [at + 8, end]] : [start];
  if (length % 2 === 1 && end === at + 8 + length) pieces.push(Buffer.alloc(1));
  return pieces;
}

function containerOf(chunks: Map<string, { pieces: Piece[]; length: number }>, flags: number | null): Piece[] {
  const extended = chunks.get('VP8X')?.pieces[0];
  if (Buffer.isBuffer(extended) && flags !== null) {
    extended.writeUInt32LE(EXTENDED_BYTES - 8, 4);
    const has = (type: string, flag: number): number => (chunks.has(type) ? flag : 0);
    extended[8] = (flags & HAS_ALPHA) | has('ICCP', HAS_PROFILE) | has('EXIF', HAS_EXIF);
  }
  const kept = [...chunks.values()];
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  const length = kept.reduce((sum, chunk) => sum + chunk.length, 4);
  head.writeUInt32LE(Math.min(length, MAX_RIFF_BYTES), 4);
  return [head, ...kept.flatMap(({ pieces }) => pieces)];
}
