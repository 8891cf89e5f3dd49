import { open, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { AditError } from '@adit/contracts';

/** 100 megapixels in 16 bits and four channels, not compressed at all, are fewer. */
const MAX_FILE_BYTES = 2 ** 30;
/** Ten times a colour profile with large tables. */
const MAX_PROFILE_BYTES = 4 << 20;
const MAX_NOTE_BYTES = 64 << 10;
/** Segments or chunks; a hundred times those of a large PNG in the smallest pieces that are in use. */
const MAX_PARTS = 1_000_000;
/** Of a file that is looked at in places. */
const WINDOW_BYTES = 64 << 10;

/** Where something lies: its first byte, and the one behind it. */
type Range = [from: number, end: number];

interface Bytes {
  size: number;
  /** The bytes from `at` on: at least so many, if there are. */
  from(at: number, least: number): Promise<Buffer>;
}

/**
 * The JPEG or PNG file with what decides about its pixels and nothing else, so that no decoder reads comments, previews,
 * animations and texts that may unpack to gigabytes, or what was put behind the picture: the picture, its transparency,
 * colour profile and orientation. Other files, and what cannot be followed, as they are: the decoder says what is wrong with
 * them. Of a file at a path nothing else is held in memory.
 *
 * @param most bytes from its beginning on that are wanted.
 */
export function barePicture(input: string | Buffer, most = Infinity): Promise<Buffer> {
  return reading(input, async (file) => {
    const pieces: Buffer[] = [];
    let left = most;
    for (const [from, end] of await bareRanges(file)) {
      const length = Math.min(end - from, left);
      if (length > 0) pieces.push((await file.from(from, length)).subarray(0, length));
      left -= length;
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  });
}

/** How many bytes that is; reads the file in small parts. */
export function barePictureBytes(path: string): Promise<number> {
  return reading(path, async (file) => (await bareRanges(file)).reduce((sum, [from, end]) => sum + end - from, 0));
}

async function reading<T>(input: string | Buffer, work: (file: Bytes) => Promise<T>): Promise<T> {
  if (typeof input !== 'string') {
    return work({ size: input.length, from: (at) => Promise.resolve(input.subarray(at)) });
  }
  const file = await open(input);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) {
      throw new AditError('MEDIA_INVALID', `The picture's file is larger than ${MAX_FILE_BYTES} bytes.`);
    }
    return await work(windowOn(file, size));
  } finally {
    await file.close();
  }
}

function windowOn(file: FileHandle, size: number): Bytes {
  let window: Buffer = Buffer.alloc(0);
  let start = 0;
  const from = async (at: number, least: number): Promise<Buffer> => {
    const wanted = Math.min(least, size - at);
    if (at < start || at + wanted > start + window.length) {
      window = await readAt(file, at, Math.max(0, Math.min(Math.max(least, WINDOW_BYTES), size - at)));
      start = at;
    }
    return window.subarray(at - start);
  };
  return { size, from };
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function bareRanges(file: Bytes): Promise<Range[]> {
  const head = await file.from(0, 8);
  if (head.subarray(0, 8).equals(PNG_SIGNATURE)) return pngRanges(file);
  if (file.size > 4 && head.readUInt16BE(0) === 0xffd8) return jpegRanges(file);
  return [[0, file.size]];
}

/** Ranges that follow each other are one. */
function keep(ranges: Range[], from: number, end: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === from) last[1] = end;
  else if (end > from) ranges.push([from, end]);
}

function tooManyParts(): AditError {
  return new AditError('MEDIA_INVALID', `The picture's file has more than ${MAX_PARTS} parts.`);
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Ancillary chunks that change what is shown (PNG specification, 11.3); each may occur once. */
const SHOWING = new Set(['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sRGB', 'eXIf']);

async function pngRanges(file: Bytes): Promise<Range[]> {
  const kept: Range[] = [[0, 8]];
  const seen = new Set<string>();
  let at = 8;
  for (let parts = 0; at + 12 <= file.size; parts++) {
    if (parts === MAX_PARTS) throw tooManyParts();
    const head = await file.from(at, 8);
    const type = head.toString('latin1', 4, 8);
    const end = Math.min(at + 12 + head.readUInt32BE(0), file.size);
    // An upper-case first letter: a chunk that no decoder may do without.
    const critical = (head[4]! & 0x20) === 0;
    if (critical || (!seen.has(type) && (await isShowing(type, file, at + 8, end - 4)))) keep(kept, at, end);
    seen.add(type);
    at = end;
    if (type === 'IEND') return kept;
  }
  // It ends in the middle of a chunk.
  keep(kept, at, file.size);
  return kept;
}

async function isShowing(type: string, file: Bytes, from: number, end: number): Promise<boolean> {
  const length = end - from;
  if (!SHOWING.has(type)) return false;
  if (type !== 'iCCP') return length <= MAX_NOTE_BYTES;
  if (length > MAX_PROFILE_BYTES) return false;
  const content = (await file.from(from, length)).subarray(0, length);
  // A name of up to 79 characters, a zero, the method, and the profile, compressed.
  const start = content.indexOf(0) + 2;
  if (start < 2 || start > 82) return false;
  const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);
  return unpack(content.subarray(start), { maxOutputLength: MAX_PROFILE_BYTES }).then(
    () => true,
    () => false,
  );
}

const EOI = 0xd9;
const SOS = 0xda;
const [APP0, APP1, APP2, APP14, APP15, COM] = [0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe];

/** Without the application segments and comments in front of a JPEG's picture that no decoder needs, and what is behind it. */
async function jpegRanges(file: Bytes): Promise<Range[]> {
  const kept: Range[] = [[0, 2]];
  let profile = 0;
  let exif = false;
  let at = 2;
  let parts = 0;
  for (; at + 4 <= file.size; parts++) {
    if (parts === MAX_PARTS) throw tooManyParts();
    const head = await file.from(at, 16);
    const marker = head[1] as number;
    // Fill bytes, and markers without a length, which do not belong here.
    if (head[0] !== 0xff || marker === 0xff || marker === 0 || (marker >= 0xd0 && marker <= 0xd9)) break;
    if (marker === SOS) break;
    const end = at + 2 + head.readUInt16BE(2);
    if (end > file.size) break;
    const name = head.toString('latin1', 4, Math.min(16, end - at));
    let wanted = marker !== COM && (marker < APP0 || marker > APP15);
    if (marker === APP0 || marker === APP14) wanted = true;
    if (marker === APP1 && name.startsWith('Exif\0') && !exif) wanted = exif = true;
    if (marker === APP2 && name.startsWith('ICC_PROFILE\0')) wanted = (profile += end - at) <= MAX_PROFILE_BYTES;
    if (wanted) keep(kept, at, end);
    at = end;
  }
  keep(kept, at, await endOfPicture(file, at, parts));
  return kept;
}

/** Behind the marker that ends a JPEG, beyond which no decoder reads; where there is none, the end of the file. */
async function endOfPicture(file: Bytes, from: number, before: number): Promise<number> {
  let at = from;
  for (let parts = before; at < file.size;) {
    const bytes = await file.from(at, 2);
    if (bytes.length < 2) break;
    const marker = nextMarker(bytes);
    if (marker === null) {
      // The last byte may be the first half of one.
      at += bytes.length - 1;
      continue;
    }
    at += marker;
    if (bytes[marker + 1] === EOI) return at + 2;
    if (parts++ === MAX_PARTS) throw tooManyParts();
    const head = await file.from(at, 4);
    if (head.length < 4) break;
    // Tables and the next scan, which may hold anything.
    at += 2 + head.readUInt16BE(2);
  }
  return file.size;
}

/** Of what begins a segment or ends the picture; zeros that were stuffed in and restarts belong to the data. */
function nextMarker(bytes: Buffer): number | null {
  for (let at = bytes.indexOf(0xff); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1] as number;
    if (code >= 0xc0 && code !== 0xff && (code < 0xd0 || code > 0xd7)) return at;
  }
  return null;
}
