import { formatTimecode, type TimecodeRate } from '@adit/contracts';
import { latinBytes } from './latin.js';

const BLOCK = 128;
const TEXT_AT = 16;
const TEXT_LENGTH = BLOCK - TEXT_AT;
const NEW_LINE = 0x8a;
const UNUSED = 0x8f;
/** The number of the last block of a subtitle, and of its only one. */
const LAST = 0xff;
const CENTRED = 0x02;
/** Row of the last line, of 23. */
const LAST_ROW = 22;

export interface StlSubtitle {
  /** From 0. */
  number: number;
  /** Frames since 00:00:00:00. */
  start: number;
  /** Exclusive. */
  end: number;
  /** Of characters of the code table. */
  lines: readonly string[];
}

/** Returns the blocks of text and timing of a subtitle: its text goes on in extension blocks where one does not take it. */
export function ttiBlocks(subtitle: StlSubtitle, counting: TimecodeRate): Buffer[] {
  const { number, start, end, lines } = subtitle;
  const texts = pieces(lines);
  return texts.map((text, at) => {
    const block = Buffer.alloc(BLOCK, UNUSED);
    block.writeUInt8(0, 0);
    block.writeUInt16LE(number, 1);
    block.writeUInt8(at === texts.length - 1 ? LAST : at, 3);
    block.writeUInt8(0, 4);
    block.set(timeBytes(start, counting), 5);
    block.set(timeBytes(end, counting), 9);
    block.writeUInt8(LAST_ROW + 1 - lines.length, 13);
    block.writeUInt8(CENTRED, 14);
    block.writeUInt8(0, 15);
    block.set(text, TEXT_AT);
    return block;
  });
}

/** Cuts the text by blocks; an accent and its letter stay together. */
function pieces(lines: readonly string[]): number[][] {
  const found: number[][] = [];
  let piece: number[] = [];
  const characters = lines.flatMap((line, at) => [...(at === 0 ? [] : [[NEW_LINE]]), ...latinBytes(line)]);
  for (const bytes of characters) {
    if (piece.length + bytes.length > TEXT_LENGTH) {
      found.push(piece);
      piece = [];
    }
    piece.push(...bytes);
  }
  return [...found, piece];
}

/** Hours, minutes, seconds and frames, a byte each. */
function timeBytes(frame: number, counting: TimecodeRate): number[] {
  return formatTimecode(frame, counting).split(/[:;]/).map(Number);
}
