import { AditError } from '@adit/contracts';
import { MAX_PARTS, tooManyParts, type PictureFile } from './picture-format.js';

/** Bytes of a value of each type (TIFF 6.0, 2; BigTIFF adds 16 to 18). */
const TYPE_BYTES = [undefined, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, undefined, undefined, 8, 8, 8] as const;
const [BYTE, SHORT, LONG, LONG8] = [1, 3, 4, 16];
const MAX_ENTRIES = 1000;
const MAX_DIRECTORIES = 100;
/** NewSubfileType of a reduced version of another picture. */
const REDUCED = 1;

export const TAG = {
  kind: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  samples: 277,
  stripBytes: 279,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  subDirectories: 330,
  profile: 34_675,
  digitalNegative: 50_706,
} as const;

/** Number layout of a file: TIFF or BigTIFF, in either byte order. */
export interface Flavour {
  isLittle: boolean;
  isBig: boolean;
}

export interface Entry {
  type: number;
  count: number;
  /** Reads the raw values of the entry. */
  bytes: () => Promise<Buffer>;
  length: number;
}

export type Directory = Map<number, Entry>;

export function flavourOf(head: Buffer): Flavour | null {
  const order = head.toString('latin1', 0, 2);
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) return null;
  const isLittle = order === 'II';
  const version = isLittle ? head.readUInt16LE(2) : head.readUInt16BE(2);
  return version === 42 || version === 43 ? { isLittle, isBig: version === 43 } : null;
}

/**
 * Returns the directory of the first picture that is not a reduced version of another; of the first one where all are.
 * Throws MEDIA_INVALID.
 */
export async function firstPicture(file: PictureFile, flavour: Flavour): Promise<Directory> {
  const head = await exactly(file, flavour.isBig ? 8 : 4, flavour.isBig ? 8 : 4);
  let at = readNumber(head, 0, head.length, flavour);
  let first: Directory | null = null;
  for (let number = 0; at > 0 && number < MAX_DIRECTORIES; number++) {
    const { directory, next } = await readDirectory(file, at, flavour);
    first ??= directory;
    const [kind = 0] = await numbers(directory.get(TAG.kind), flavour);
    if ((kind & REDUCED) === 0) return directory;
    at = next;
  }
  if (first === null) throw damaged();
  return first;
}

async function readDirectory(file: PictureFile, at: number, flavour: Flavour) {
  const { isBig } = flavour;
  const [countBytes, entryBytes, offsetBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const count = readNumber(await exactly(file, at, countBytes), 0, countBytes, flavour);
  if (count === 0 || count > MAX_ENTRIES) throw damaged();
  const body = await exactly(file, at + countBytes, count * entryBytes + offsetBytes);
  const directory: Directory = new Map();
  for (let place = 0; place < count * entryBytes; place += entryBytes) {
    const tag = readNumber(body, place, 2, flavour);
    const type = readNumber(body, place + 2, 2, flavour);
    const values = readNumber(body, place + 4, offsetBytes, flavour);
    const length = values * (TYPE_BYTES[type] ?? NaN);
    if (!Number.isSafeInteger(length) || directory.has(tag)) continue;
    const value = place + 4 + offsetBytes;
    const bytes = async (): Promise<Buffer> =>
      length <= offsetBytes
        ? body.subarray(value, value + length)
        : exactly(file, readNumber(body, value, offsetBytes, flavour), length);
    directory.set(tag, { type, count: values, bytes, length });
  }
  return { directory, next: readNumber(body, count * entryBytes, offsetBytes, flavour) };
}

/**
 * Returns the integers of an entry; empty where there is no such entry. Throws MEDIA_INVALID for more values than a
 * picture has parts.
 */
export async function numbers(entry: Entry | undefined, flavour: Flavour): Promise<number[]> {
  if (entry === undefined || ![BYTE, SHORT, LONG, LONG8].includes(entry.type)) return [];
  if (entry.count > MAX_PARTS) throw tooManyParts();
  const bytes = await entry.bytes();
  const size = entry.length / entry.count;
  return Array.from({ length: entry.count }, (_, at) => readNumber(bytes, at * size, size, flavour));
}

function readNumber(bytes: Buffer, at: number, length: number, { isLittle }: Flavour): number {
  if (length === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  return isLittle ? bytes.readUIntLE(at, length) : bytes.readUIntBE(at, length);
}

/** Copies the bytes because the window on the file moves on. */
async function exactly(file: PictureFile, at: number, length: number): Promise<Buffer> {
  if (at + length > file.size) throw damaged();
  return Buffer.from((await file.from(at, length)).subarray(0, length));
}

function damaged(): AditError {
  return new AditError('MEDIA_INVALID', 'The TIFF picture is damaged: its directory cannot be read.');
}

/** Writes a TIFF of one picture without its pixels: the header, the directory, and the values too long for it. */
export function writeDirectory(entries: ReadonlyMap<number, WrittenEntry>, flavour: Flavour): Buffer {
  const { isLittle, isBig } = flavour;
  const [headBytes, countBytes, entryBytes, offsetBytes] = isBig ? [16, 8, 20, 8] : [8, 2, 12, 4];
  const tags = [...entries.keys()].sort((a, b) => a - b);
  const head = Buffer.alloc(headBytes + countBytes + tags.length * entryBytes + offsetBytes);
  const write = (value: number, at: number, length: number): void => writeNumber(head, value, at, length, flavour);
  head.write(isLittle ? 'II' : 'MM', 'latin1');
  write(isBig ? 43 : 42, 2, 2);
  if (isBig) write(8, 4, 2);
  write(headBytes, headBytes - offsetBytes, offsetBytes);
  write(tags.length, headBytes, countBytes);
  const values: Buffer[] = [];
  let end = head.length;
  tags.forEach((tag, number) => {
    const { type, count, bytes } = entries.get(tag) ?? { type: BYTE, count: 0, bytes: Buffer.alloc(0) };
    const at = headBytes + countBytes + number * entryBytes;
    write(tag, at, 2);
    write(type, at + 2, 2);
    write(count, at + 4, offsetBytes);
    if (bytes.length <= offsetBytes) return void bytes.copy(head, at + 4 + offsetBytes);
    write(end, at + 4 + offsetBytes, offsetBytes);
    const padding = Buffer.alloc(bytes.length % 2);
    values.push(bytes, padding);
    end += bytes.length + padding.length;
  });
  return Buffer.concat([head, ...values]);
}

export interface WrittenEntry {
  type: number;
  count: number;
  bytes: Buffer;
}

/** Offsets or lengths in a file. */
export function placesEntry(places: readonly number[], flavour: Flavour): WrittenEntry {
  const size = flavour.isBig ? 8 : 4;
  const bytes = Buffer.alloc(places.length * size);
  places.forEach((place, at) => writeNumber(bytes, place, at * size, size, flavour));
  return { type: flavour.isBig ? LONG8 : LONG, count: places.length, bytes };
}

function writeNumber(bytes: Buffer, value: number, at: number, length: number, { isLittle }: Flavour): void {
  if (length === 8) {
    if (isLittle) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeBigUInt64BE(BigInt(value), at);
  } else if (isLittle) bytes.writeUIntLE(value, at, length);
  else bytes.writeUIntBE(value, at, length);
}
