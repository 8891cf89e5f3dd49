import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { AditError } from '@adit/contracts';

/** 100 megapixels in 16 bits and four channels, not compressed at all, are fewer. */
const MAX_FILE_BYTES = 2 ** 30;
/** Ten times a colour profile with large tables. */
const MAX_PROFILE_BYTES = 4 << 20;
const MAX_NOTE_BYTES = 64 << 10;

/**
 * The JPEG or PNG file with what decides about its pixels and nothing else, so that no decoder reads comments, previews,
 * animations and texts that may unpack to gigabytes: the picture, its transparency, colour profile and orientation. Other
 * files, and what cannot be followed, as they are: the decoder says what is wrong with them.
 */
export async function barePicture(input: string | Buffer): Promise<Buffer> {
  if (typeof input === 'string' && (await stat(input)).size > MAX_FILE_BYTES) {
    throw new AditError('MEDIA_INVALID', `The picture's file is larger than ${MAX_FILE_BYTES} bytes.`);
  }
  const file = typeof input === 'string' ? await readFile(input) : input;
  if (file.subarray(0, 8).equals(PNG_SIGNATURE)) return barePng(file);
  if (file.length > 4 && file.readUInt16BE(0) === 0xffd8) return bareSegments(file);
  return file;
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Ancillary chunks that change what is shown (PNG specification, 11.3); each may occur once. */
const SHOWING = new Set(['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sRGB', 'eXIf']);

async function barePng(file: Buffer): Promise<Buffer> {
  const kept: Buffer[] = [file.subarray(0, 8)];
  const seen = new Set<string>();
  let from = 8;
  let at = 8;
  /** Ranges of chunks that follow each other are one piece. */
  const keepTo = (end: number): void => {
    if (end > from) kept.push(file.subarray(from, end));
  };
  while (at + 12 <= file.length) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    // An upper-case first letter: a chunk that no decoder may do without.
    const critical = (file[at + 4]! & 0x20) === 0;
    if (
      !critical &&
      (seen.has(type) || !(await isShowing(type, file.subarray(at + 8, Math.min(end - 4, file.length)))))
    ) {
      keepTo(at);
      from = Math.min(end, file.length);
    }
    seen.add(type);
    at = end;
    if (type === 'IEND') break;
  }
  keepTo(Math.min(at, file.length));
  return kept.length === 2 ? file : Buffer.concat(kept);
}

async function isShowing(type: string, content: Buffer): Promise<boolean> {
  if (!SHOWING.has(type)) return false;
  if (type !== 'iCCP') return content.length <= MAX_NOTE_BYTES;
  // A name of up to 79 characters, a zero, the method, and the profile, compressed.
  const start = content.indexOf(0) + 2;
  if (start < 2 || start > 82) return false;
  const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);
  return unpack(content.subarray(start), { maxOutputLength: MAX_PROFILE_BYTES }).then(
    () => true,
    () => false,
  );
}

const SOS = 0xda;
const [APP0, APP1, APP2, APP14, APP15, COM] = [0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe];

/** A JPEG without the application segments and comments in front of its picture that no decoder needs. */
function bareSegments(file: Buffer): Buffer {
  const kept: Buffer[] = [file.subarray(0, 2)];
  let profile = 0;
  let exif = false;
  let at = 2;
  while (at + 4 <= file.length && file[at] === 0xff) {
    const marker = file[at + 1] as number;
    // Fill bytes, and markers without a length, which do not belong here.
    if (marker === 0xff || marker === 0 || (marker >= 0xd0 && marker <= 0xd9)) break;
    if (marker === SOS) break;
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) break;
    const name = file.toString('latin1', at + 4, Math.min(at + 16, end));
    let keep = marker !== COM && (marker < APP0 || marker > APP15);
    if (marker === APP0 || marker === APP14) keep = true;
    if (marker === APP1 && name.startsWith('Exif\0') && !exif) keep = exif = true;
    if (marker === APP2 && name.startsWith('ICC_PROFILE\0')) keep = (profile += end - at) <= MAX_PROFILE_BYTES;
    if (keep) kept.push(file.subarray(at, end));
    at = end;
  }
  kept.push(file.subarray(at));
  return Buffer.concat(kept);
}
