/** A subtitle as the file has it; times as HHMMSSFF. */
export interface ReadSubtitle {
  number: number;
  start: string;
  end: string;
  lines: string[];
  row: number;
  blocks: number;
}

export interface ReadStl {
  format: string;
  display: string;
  table: string;
  language: string;
  title: string;
  programmeStart: string;
  firstIn: string;
  /** User-defined area. */
  notes: string;
  subtitles: ReadSubtitle[];
}

/** Combining characters by the code of their accent. */
const MARKS = '\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308?\u030a\u0327?\u030b\u0328\u030c';
/** Codes A0 to BF and D0 to FF; question marks where there is nothing. */
const UPPER = '?¡¢£$¥#§¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿????????????????—¹®©™♪¬¦????⅛⅜⅝⅞ΩÆĐªĦ?ĲĿŁØŒºÞŦŊŉĸæđðħıĳŀłøœßþŧŋ?';

/** Reads EBU-STL as EBU Tech 3264 has it, apart from what writes it. Throws for what the format does not allow. */
export function readStl(file: Buffer): ReadStl {
  const gsi = file.subarray(0, 1024).toString('latin1');
  const field = (at: number, length: number): string => gsi.slice(at, at + length);
  if (field(0, 3) !== '850') throw new Error('It has another code page.');
  const count = Number(field(238, 5));
  if (file.length !== 1024 + 128 * count) throw new Error(`${count} blocks are not ${file.length} bytes.`);
  const subtitles = readSubtitles(file.subarray(1024));
  if (subtitles.length !== Number(field(243, 5))) throw new Error('The number of subtitles is another.');
  const [columns, rows] = [Number(field(251, 2)), Number(field(253, 2))];
  for (const { lines, row } of subtitles) {
    const longest = Math.max(...lines.map((line) => [...line].length));
    if (longest > columns || row + lines.length - 1 > rows || row < 1) throw new Error('It is not within its rows.');
  }
  return {
    ...{ format: field(3, 8), display: field(11, 1), table: field(12, 2), language: field(14, 2) },
    ...{ title: field(16, 32).trim(), programmeStart: field(256, 8), firstIn: field(264, 8) },
    notes: field(448, 576).trim(),
    subtitles,
  };
}

function readSubtitles(blocks: Buffer): ReadSubtitle[] {
  const found: ReadSubtitle[] = [];
  let text: number[] = [];
  let extensions = 0;
  for (let at = 0; at < blocks.length; at += 128) {
    const block = blocks.subarray(at, at + 128);
    const [number, extension] = [block.readUInt16LE(1), block.readUInt8(3)];
    if (number !== found.length) throw new Error(`Subtitle ${number} stands at ${found.length}.`);
    const unused = block.indexOf(0x8f, 16);
    text.push(...block.subarray(16, unused === -1 ? 128 : unused));
    if (extension !== 0xff) {
      if (extension !== extensions) throw new Error(`Block ${extension} stands at ${extensions}.`);
      extensions += 1;
      continue;
    }
    const [start, end] = [timeOf(block, 5), timeOf(block, 9)];
    const subtitle = { number, start, end, lines: linesOf(text), row: block.readUInt8(13), blocks: extensions + 1 };
    found.push(subtitle);
    text = [];
    extensions = 0;
  }
  return found;
}

function timeOf(block: Buffer, at: number): string {
  return [...block.subarray(at, at + 4)].map((part) => String(part).padStart(2, '0')).join('');
}

function linesOf(codes: number[]): string[] {
  const lines = [''];
  let mark = '';
  for (const code of codes) {
    if (code === 0x8a) {
      lines.push('');
      continue;
    }
    if (code > 0xc0 && code < 0xd0) {
      mark = MARKS[code - 0xc1] ?? '';
      continue;
    }
    const last = lines.length - 1;
    lines[last] = `${lines[last]}${characterOf(code)}${mark}`.normalize('NFC');
    mark = '';
  }
  return lines;
}

function characterOf(code: number): string {
  if (code >= 0x20 && code < 0x7f && code !== 0x24) return String.fromCharCode(code);
  const character = code >= 0xa0 ? ([...UPPER][code - 0xa0] ?? '?') : '?';
  if (character === '?') throw new Error(`Code ${code.toString(16)} is nothing.`);
  return character;
}
