import { formatTimecode } from '@adit/contracts';
import { languageCode } from './language-codes.js';
import type { StlClock } from './stl-clock.js';

const BLOCK = 1024;
/** Subtitles are numbered by two bytes, blocks counted by five digits. */
export const MAX_SUBTITLES = 65_536;
export const MAX_BLOCKS = 99_999;

export interface StlHeader {
  clock: StlClock;
  title: string;
  language: string | null;
  subtitles: number;
  blocks: number;
  /** Characters that the code table lacks. */
  replaced: number;
  /** Start of the first subtitle, in frames since 00:00:00:00. */
  firstIn: number;
}

/** Returns the block of general information at the beginning of a file, its fields by their names in EBU Tech 3264. */
export function gsiBlock(header: StlHeader): Buffer {
  const { clock, title, language, subtitles, blocks, replaced, firstIn } = header;
  const block = Buffer.alloc(BLOCK, ' ');
  const put = (at: number, length: number, text: string): void => {
    block.write(text.slice(0, length).padEnd(length), at, 'latin1');
  };
  const today = new Date().toISOString().slice(2, 10).replaceAll('-', '');
  put(0, 3, '850'); // CPN: code page of this block
  put(3, 8, clock.format); // DFC
  put(11, 1, '0'); // DSC: open subtitling
  put(12, 2, '00'); // CCT: Latin
  put(14, 2, languageCode(language)); // LC
  put(16, 32, asciiOf(title)); // OPT
  put(224, 6, today); // CD
  put(230, 6, today); // RD
  put(236, 2, '00'); // RN
  put(238, 5, digits(blocks, 5)); // TNB
  put(243, 5, digits(subtitles, 5)); // TNS
  put(248, 3, '001'); // TNG
  put(251, 2, '40'); // MNC
  put(253, 2, '23'); // MNR
  put(255, 1, '1'); // TCS: time codes are meant to be used
  put(256, 8, timeDigits(clock.first, clock)); // TCP
  put(264, 8, timeDigits(firstIn, clock)); // TCF
  put(272, 1, '1'); // TND
  put(273, 1, '1'); // DSN
  if (replaced > 0) put(448, 576, `Characters that code table 00 lacks, replaced: ${replaced}`); // UDA
  return block;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

/** HHMMSSFF. */
function timeDigits(frame: number, { counting }: StlClock): string {
  return formatTimecode(frame, counting).replace(/[:;]/g, '');
}

function asciiOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[^\x20-\x7e]/gu, '?');
}
