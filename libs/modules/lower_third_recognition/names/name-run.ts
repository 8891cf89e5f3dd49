import { foldName } from './fold-name.js';
import { isFunction, isSaint } from './functions.js';

/** Consecutive words of a line that may be one name, as written. */
export type NameRun = readonly string[];

/** Lower-case words between the parts of a name. */
const PARTICLES = new Set(
  (
    'af al av bin d da das de degli dei del della den der di do dos du e el het ibn la las le los of op ten ter ' +
    "'t und van vom von y zu zum zur"
  ).split(' '),
);
/** Titles before a name. */
const TITLES = new Set(
  (
    'bc dipl doc docteur doctor dott dottssa dr dra dres fr frau gen herr hr ing lic m mag mdr mgr mme mr mrs ms mudr ' +
    'phd phdr prof professor professorin rndr sir sr sra sra'
  ).split(' '),
);

/** Words that link a function to its place, beside particles. */
const LINKS = new Set(
  'a al alla am at au aux bei beim ds en for fra fran fur i im in na no nos o od of para por pour pro the u v ve w we z ze'.split(
    ' ',
  ),
);
/** Words of the longest place of a function. */
const MAX_PLACE_WORDS = 6;

/**
 * Returns the runs of words of a line that are written like a name: two to five capitalised words, with particles
 * between them. A comma, a dash or a bracket ends a run. Titles before a run are skipped, and so is the place of a
 * function: the one that `places` knows, else a word, behind a particle (Mayor of San Diego, maire de Saint-Denis), and
 * text behind a comma after a function (Ärztin, Charité Berlin), unless `isPerson` is sure of it (Economist, Jane
 * Miller).
 */
export function nameRuns(
  line: string,
  places: ReadonlySet<string> = new Set(),
  isPerson: (run: NameRun) => boolean = () => false,
): NameRun[] {
  const runs: NameRun[] = [];
  let held = false;
  let behind = false;
  for (const piece of line.split(/([,;:|/()[\]·•*]|\s[-–—]\s)/u)) {
    behind ||= piece === ',' && held;
    const words = piece.split(/\s+/u).filter((each) => each !== '');
    runs.push(...runsOf(words, places).filter((run) => !behind || isPerson(run)));
    held = words.some(isFunction);
  }
  return runs;
}

function runsOf(words: readonly string[], places: ReadonlySet<string>): NameRun[] {
  let run: string[] = [];
  const runs = [run];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (isTitle(word) && run.length === 0) continue;
    const behind = isFunction(word) ? behindPlace(words, at + 1, places) : null;
    if (behind !== null) {
      // The name stands before or behind it: John Smith Mayor of Leeds, Mayor of Leeds John Smith.
      runs.push((run = []));
      at = behind - 1;
    } else if (isNameWord(word) || (run.length > 0 && isParticle(word))) run.push(word);
    else if (run.length > 0) runs.push((run = []));
  }
  return runs.map(withoutLooseParticles).filter((each) => each.length > 0);
}

/** Returns the position behind the places that particles link to a function, which ends at `from`; null for none. */
function behindPlace(words: readonly string[], from: number, places: ReadonlySet<string>): number | null {
  const loud = isLoud(words[from - 1] ?? '');
  let behind: number | null = null;
  // One leads to the next: director of the hospital of Molina de Segura.
  for (let at = from; at < words.length;) {
    const link = at;
    while (isLink(words[at] ?? '', loud)) at += 1;
    const first = words[at];
    const elided = first !== undefined && /^(?:d|l|dell|all)['’]\p{L}/iu.test(first);
    if (at === link && !elided) break;
    at += first === undefined ? 0 : placeLength(words.slice(at), places);
    behind = at;
  }
  return behind;
}

/** Returns the number of words of the place at the start; an unknown one has one word, or two as San Benito. */
function placeLength(words: readonly string[], places: ReadonlySet<string>): number {
  for (let length = Math.min(MAX_PLACE_WORDS, words.length); length > 1; length--) {
    if (places.has(foldName(words.slice(0, length).join(' ')))) return length;
  }
  const [first = ''] = words;
  return isSaint(first) && !first.includes('-') ? 2 : 1;
}

/** In lower case, or in capitals where the function is: MAYOR OF LEEDS, but not Président De Gaulle. */
function isLink(word: string, loud: boolean): boolean {
  const folded = foldName(word);
  return (word === word.toLowerCase() || (loud && isLoud(word))) && (PARTICLES.has(folded) || LINKS.has(folded));
}

function isLoud(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase();
}

export function isParticle(word: string): boolean {
  return word === word.toLowerCase() && PARTICLES.has(foldName(word).replace(/'$/u, ''));
}

function isTitle(word: string): boolean {
  return TITLES.has(foldName(word).replaceAll('.', ''));
}

/** Tests for a capitalised word of letters, also Anna-Lena, O’Neill, d’Encausse, J. */
function isNameWord(word: string): boolean {
  return /^(?:d['’])?\p{Lu}[\p{L}'’-]*\.?$/u.test(word) && !/['’-]{2}/u.test(word);
}

function withoutLooseParticles(run: string[]): string[] {
  return run.slice(0, run.findLastIndex((word) => !isParticle(word)) + 1);
}
