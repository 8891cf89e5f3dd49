import { open, type FileHandle } from 'node:fs/promises';
import { AditError } from '@adit/contracts';
import { PICTURE_FORMATS } from '../formats/pictures/formats.js';
import type { Piece, PictureFile } from '../formats/pictures/picture-format.js';

/** 100 megapixels in 16 bits and four channels take less, even uncompressed. */
const MAX_FILE_BYTES = 2 ** 30;
/** Bytes that are read at once from a file. */
const WINDOW_BYTES = 64 << 10;

/**
 * Returns a picture's file reduced to the data that determines its pixels: the picture, its transparency, colour
 * profile and orientation. No decoder then reads comments, previews, animations, texts that may unpack to gigabytes, or
 * trailing data. Other formats and unparsable data stay unchanged, so that the decoder reports the error. A file given
 * by path is never held in memory beyond that.
 * @param most bytes wanted from its beginning.
 */
export function barePicture(input: string | Buffer, most = Infinity): Promise<Buffer> {
  return reading(input, async (file) => {
    const pieces: Buffer[] = [];
    let left = most;
    for (const piece of await barePieces(file, most)) {
      const length = Math.min(lengthOf(piece), left);
      if (length <= 0) break;
      const bytes = Buffer.isBuffer(piece) ? piece : await file.from(piece[0], length);
      pieces.push(bytes.subarray(0, length));
      left -= length;
    }
    const [only, ...others] = pieces;
    return only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
  });
}

/** Returns the size of the bare picture in bytes; reads the file in small parts. */
export function barePictureBytes(path: string): Promise<number> {
  return reading(path, async (file) =>
    (await barePieces(file, Infinity)).reduce((sum, piece) => sum + lengthOf(piece), 0),
  );
}

async function reading<T>(input: string | Buffer, work: (file: PictureFile) => Promise<T>): Promise<T> {
  if (typeof input !== 'string') {
    return work({ size: input.length, from: (at) => Promise.resolve(input.subarray(at)) });
  }
  const file = await open(input);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) {
      throw new AditError('MEDIA_INVALID', `The file of the picture is larger than ${MAX_FILE_BYTES} bytes.`);
    }
    return await work(windowOn(file, size));
  } finally {
    await file.close();
  }
}

function windowOn(file: FileHandle, size: number): PictureFile {
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

async function barePieces(file: PictureFile, most: number): Promise<Piece[]> {
  const head = (await file.from(0, 16)).subarray(0, 16);
  const format = PICTURE_FORMATS.find((each) => each.begins(head));
  return format === undefined ? [[0, file.size]] : format.bare(file, most);
}

function lengthOf(piece: Piece): number {
  return Buffer.isBuffer(piece) ? piece.length : piece[1] - piece[0];
}
