import { firstOutput, floatsOf, inputOf, outputNamed, type NetworkSession, type RgbImage } from '@adit/inference';
import { blankOf, CtcDecoding, likelihoodsOf } from '@adit/inference/families/text-recognition/decoding';
import { withAccents, type Reading } from './accents.js';
import { charactersOf } from './characters.js';
import { confidenceOf, greedyReading, textOf, type Letter } from './ctc.js';
import { lineTensor, stretchedLine } from './line-picture.js';
import type { Corners } from './rotated-rect.js';

/** Recognisers by language, each trained on its letters. */
export const LANGUAGE_RECOGNISERS = (['ces', 'deu', 'eng', 'fra', 'pol', 'por', 'spa', 'swe', 'tur'] as const).map(
  (language) => `text-reader-${language}` as const,
);
/** Least share of Latin letters at which the language recognisers are useful. */
const LATIN_SHARE = 0.5;

/** Confidence below which a reading is no text. */
const MIN_CONFIDENCE = 0.5;

/** Text of a line, and the mean confidence in its letters, 0..1. */
interface ReadLine {
  text: string;
  confidence: number;
}

/**
 * Reads a line; null where it is no text. `accents` are language recognisers, for a recogniser that knows base letters
 * only; without any, its reading stands.
 */
export async function readLine(
  picture: RgbImage,
  line: Corners,
  recogniser: NetworkSession,
  accents: readonly NetworkSession[],
): Promise<ReadLine | null> {
  const input = inputOf(recogniser);
  const outputs = floatsOf(await recogniser.run({ [input.tensor]: lineTensor(picture, line, input) }));
  const characters = await charactersOf(recogniser);
  // The built-in models predate the manifest's field for decodings.
  const blank = blankOf(characters, CtcDecoding.parse(recogniser.manifest.decoding ?? 'ctc'));
  const ofOthers = recogniser.manifest.family !== undefined;
  const likely = ofOthers ? 'first' : 'surest';
  const reading = greedyReading(likelihoodsOf(firstOutput(outputs)), characters, blank, likely);
  const letters = trimmed(reading);
  if (confidenceOf(reading) < MIN_CONFIDENCE || letters.length === 0) return null;
  return {
    text: await withReaders(picture, line, letters, accents),
    confidence: confidenceOf(ofOthers ? reading : letters),
  };
}

/** Adds the accents that the language recognisers see to a recognised line. */
async function withReaders(
  picture: RgbImage,
  line: Corners,
  letters: readonly Letter[],
  recognisers: readonly NetworkSession[],
): Promise<string> {
  const [first, ...others] = recognisers;
  if (first === undefined || !isLatin(letters)) return textOf(letters);
  const [dark, light] = await Promise.all([read(picture, line, first, false), read(picture, line, first, true)]);
  // The networks were trained on dark text on light ground: the polarity that reads more like the recognised text is
  // right.
  const isLight = alike(light.letters, letters) > alike(dark.letters, letters);
  const rest = await Promise.all(others.map((recogniser) => read(picture, line, recogniser, isLight)));
  return textOf(withAccents(letters, [isLight ? light : dark, ...rest]));
}

async function read(picture: RgbImage, line: Corners, network: NetworkSession, light: boolean): Promise<Reading> {
  const { tensor, height } = inputOf(network);
  const labels = await charactersOf(network);
  const outputs = floatsOf(await network.run({ [tensor]: stretchedLine(picture, line, height, light) }));
  const characters = outputNamed(outputs, 'characters');
  return { letters: greedyReading(characters, labels, labels.length - 1), known: knownOf(labels) };
}

/** Returns the share of the letters that were read, in any order. */
function alike(read: readonly Letter[], wanted: readonly Letter[]): number {
  const left = read.map(({ character }) => plain(character));
  let common = 0;
  for (const { character } of wanted) {
    const place = left.indexOf(plain(character));
    if (place < 0) continue;
    left.splice(place, 1);
    common++;
  }
  return (2 * common) / Math.max(1, read.length + wanted.length);
}

function plain(character: string): string {
  return character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function isLatin(letters: readonly Letter[]): boolean {
  const latin = letters.filter(({ character }) => /\p{Script=Latin}/u.test(character)).length;
  return latin > 1 && latin >= letters.length * LATIN_SHARE;
}

const known = new WeakMap<readonly string[], ReadonlySet<string>>();

function knownOf(labels: readonly string[]): ReadonlySet<string> {
  const set = known.get(labels) ?? new Set(labels);
  known.set(labels, set);
  return set;
}

function trimmed(letters: Letter[]): Letter[] {
  const isSpace = ({ character }: Letter): boolean => character.trim() === '';
  const first = letters.findIndex((letter) => !isSpace(letter));
  if (first < 0) return [];
  return letters.slice(first, letters.findLastIndex((letter) => !isSpace(letter)) + 1);
}
