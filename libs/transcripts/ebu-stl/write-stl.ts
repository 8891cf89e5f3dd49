import { AditError } from '@adit/contracts';
import { lineText } from '../cue-lines.js';
import { cuesOf, type Cue } from '../cues.js';
import type { SpokenParagraph, Transcript } from '../transcript.js';
import { gsiBlock, MAX_BLOCKS, MAX_SUBTITLES } from './gsi-block.js';
import { latinOf } from './latin.js';
import type { StlClock } from './stl-clock.js';
import { ttiBlocks } from './tti-blocks.js';

/** Characters of a row. */
const LINE = 40;
/** Share of characters that may be question marks: a text in another script is none. */
const MOST_UNKNOWN = 0.1;

export interface StlOptions {
  clock: StlClock;
  /** Of the programme; may be empty. */
  title: string;
  /** ISO 639-1; null where it is not known. */
  language: string | null;
}

/** Counts what the code table lacks. */
interface Lack {
  characters: number;
  replaced: number;
  unknown: number;
}

/**
 * Subtitles as EBU-STL (EBU Tech 3264), for open subtitling, in the Latin code table. The file says at its beginning how many there
 * are, so it is written when all are known: at most 12.8 MB are held. Throws VALIDATION for more subtitles than the format numbers,
 * and for a text in another script.
 */
export async function* writeStl(
  paragraphs: Transcript['paragraphs'],
  { clock, title, language }: StlOptions,
): AsyncGenerator<Buffer> {
  const lack: Lack = { characters: 0, replaced: 0, unknown: 0 };
  const blocks: Buffer[] = [];
  let subtitles = 0;
  let firstIn: number | null = null;
  let free = clock.first;
  for await (const cue of cuesOf(inLatin(paragraphs, lack), LINE)) {
    if (subtitles >= MAX_SUBTITLES) throw tooMany();
    const start = Math.max(free, frameOf(cue.start, clock));
    free = Math.max(start + 1, frameOf(cue.end, clock));
    firstIn ??= start;
    blocks.push(...ttiBlocks({ number: subtitles, start, end: free, lines: linesOf(cue) }, clock.counting));
    subtitles += 1;
    if (blocks.length > MAX_BLOCKS) throw tooMany();
  }
  if (lack.unknown > lack.characters * MOST_UNKNOWN) throw otherScript(lack);
  const counts = { subtitles, blocks: blocks.length, replaced: lack.replaced, firstIn: firstIn ?? clock.first };
  yield gsiBlock({ clock, title, language, ...counts });
  yield* blocks;
}

async function* inLatin(paragraphs: Transcript['paragraphs'], lack: Lack): AsyncGenerator<SpokenParagraph> {
  for await (const paragraph of paragraphs) {
    const { text, replaced, unknown } = latinOf(paragraph.text);
    lack.characters += text.replaceAll(' ', '').length;
    lack.replaced += replaced;
    lack.unknown += unknown;
    const words = paragraph.words.map((word) => ({ ...word, text: latinOf(word.text).text }));
    yield { ...paragraph, text, words };
  }
}

function linesOf({ lines }: Cue): string[] {
  return lines.map(lineText);
}

function frameOf(milliseconds: number, { fps, first }: StlClock): number {
  return first + Math.round((milliseconds * fps.num) / (fps.den * 1_000));
}

function tooMany(): AditError {
  return new AditError(
    'VALIDATION',
    `EBU-STL holds ${MAX_SUBTITLES} subtitles at most (${MAX_BLOCKS} blocks of text), and there are more: take another format.`,
  );
}

function otherScript({ unknown, characters }: Lack): AditError {
  return new AditError(
    'VALIDATION',
    `EBU-STL is written in Latin script, which ${unknown} of ${characters} characters are not in: take ttml, srt or vtt.`,
  );
}
