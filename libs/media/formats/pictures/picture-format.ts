import { AditError } from '@adit/contracts';
import type { Metadata } from 'sharp';

/** A picture format that is mined. `formats.ts` lists them, and every lookup goes through that list. */
export interface PictureFormat {
  /** Name in sharp and in a picture's facts. */
  name: string;
  title: string;
  /** Names in file-type. */
  sniffedAs: string[];
  contentType: string;
  /** File name extensions: lower case, with the dot. */
  extensions: string[];
  /** Recognises the format by a file's first 16 bytes, or fewer if it is shorter. */
  begins(head: Buffer): boolean;
  /**
   * Returns the parts of the file that determine its pixels, in order: the picture, its transparency, colour profile
   * and orientation. `most` limits the bytes; Infinity means all. Data that cannot be parsed stays unchanged, so that
   * the decoder reports the error. Throws MEDIA_INVALID for pictures that are not mined.
   */
  bare(file: PictureFile, most: number): Promise<Piece[]>;
  /** Bytes that the decoder keeps for the whole picture, beside the buffered rows. */
  held(metadata: Metadata): number;
}

/** Range of the file from its first byte to the one behind it, or bytes to insert. */
export type Piece = [from: number, end: number] | Buffer;

export interface PictureFile {
  size: number;
  /** Returns the bytes from `at` on, at least `least` of them unless the file ends. */
  from(at: number, least: number): Promise<Buffer>;
}

/** Ten times a colour profile with large tables. */
export const MAX_PROFILE_BYTES = 4 << 20;
export const MAX_NOTE_BYTES = 64 << 10;
/** Segments or chunks: a hundred times those of a large PNG in the smallest pieces in use. */
export const MAX_PARTS = 1_000_000;

/** Adds a range and joins it with an adjacent one. */
export function keep(pieces: Piece[], from: number, end: number): void {
  const last = pieces.at(-1);
  if (last !== undefined && !Buffer.isBuffer(last) && last[1] === from) last[1] = end;
  else if (end > from) pieces.push([from, end]);
}

export function tooManyParts(): AditError {
  return new AditError('MEDIA_INVALID', `The file of the picture has more than ${MAX_PARTS} parts.`);
}

const SAMPLE_BYTES: Partial<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
};

/** Returns the bytes of one sample of one pixel. */
export function sampleBytes({ depth }: Metadata): number {
  return SAMPLE_BYTES[depth] ?? 8;
}
