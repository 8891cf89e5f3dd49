import { AditError } from '@adit/contracts';
import type { Metadata } from 'sharp';

/** A kind of picture that is mined. `formats.ts` lists them; everything that has to know them asks there. */
export interface PictureFormat {
  /** As sharp names it, and as a picture's facts do. */
  name: string;
  title: string;
  /** What file-type calls it. */
  sniffedAs: string[];
  contentType: string;
  /** Of file names: lower case, with the dot. */
  extensions: string[];
  /** Whether a file that begins so (16 bytes, if it has so many) is one. */
  begins(head: Buffer): boolean;
  /**
   * What of the file decides about its pixels, in order: the picture, its transparency, colour profile and orientation.
   * Of that `most` bytes are wanted, Infinity for all of it. Throws MEDIA_INVALID for what is not mined. What cannot be followed stays as it is: the decoder says what is wrong with it.
   */
  bare(file: PictureFile, most: number): Promise<Piece[]>;
  /** Bytes that its decoder keeps for the whole picture, beside the rows on their way. */
  held(metadata: Metadata): number;
}

/** A part of the file, from its first byte to the one behind it, or bytes instead of one. */
export type Piece = [from: number, end: number] | Buffer;

export interface PictureFile {
  size: number;
  /** The bytes from `at` on: at least so many, if there are. */
  from(at: number, least: number): Promise<Buffer>;
}

/** Ten times a colour profile with large tables. */
export const MAX_PROFILE_BYTES = 4 << 20;
export const MAX_NOTE_BYTES = 64 << 10;
/** Segments or chunks; a hundred times those of a large PNG in the smallest pieces that are in use. */
export const MAX_PARTS = 1_000_000;

/** Ranges that follow each other are one. */
export function keep(pieces: Piece[], from: number, end: number): void {
  const last = pieces.at(-1);
  if (last !== undefined && !Buffer.isBuffer(last) && last[1] === from) last[1] = end;
  else if (end > from) pieces.push([from, end]);
}

export function tooManyParts(): AditError {
  return new AditError('MEDIA_INVALID', `The picture's file has more than ${MAX_PARTS} parts.`);
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

/** Bytes of one sample of one pixel. */
export function sampleBytes({ depth }: Metadata): number {
  return SAMPLE_BYTES[depth] ?? 8;
}
