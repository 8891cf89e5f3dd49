import type { LabelDictionaries, UsedDictionary } from '@adit/dictionaries';
import { AppliedDictionaries } from '@adit/dictionaries';
import { foldName } from './fold-name.js';
import type { GenericNames } from './generic-names.js';
import { belongsToBefore, isFunction, isGenitive, isInstitution, isKicker, isSaint } from './functions.js';
import { isParticle, nameRuns, type NameRun } from './name-run.js';

export interface FoundName {
  name: string;
  /** True when the generic dictionary found it. */
  fromDictionary: boolean;
}

interface NameSources {
  /** The client's own, applied first. */
  own: readonly UsedDictionary[];
  /** Null when it is not to be applied. */
  generic: GenericNames | null;
  /** Applied to lines without a name. */
  secondary: readonly UsedDictionary[];
  /** A single name counts. */
  single: boolean;
}

/**
 * Finds the name in a line; null when there is none. `below` is the line under it, where there is one: text over a
 * function is a name even without a dictionary. Its dictionaries have to be queried ahead.
 */
export interface NameFinder {
  (line: string, below?: string | null): FoundName | null;
  readonly dictionaries: readonly LabelDictionaries[];
}

/** Least similarity to an entry of a client's dictionary: one letter of seven may be wrong. */
const LIKENESS = 0.85;
/** More capitalised words are a headline. */
const MAX_WORDS = 5;

/** Own dictionaries first, then the generic one, then secondary ones; without any the shape of a line alone. */
export function nameFinder({ own, generic, secondary, single }: NameSources): NameFinder {
  const inOwn = lookUp(own);
  const inSecondary = lookUp(secondary);
  const shapeAlone = generic === null && own.length === 0;
  const find = (line: string, below: string | null = null): FoundName | null => {
    const runs = nameRuns(line, generic?.places, (run) => isFullName(run, generic))
      .map((run) => personIn(run, generic))
      .filter((run) => countOf(run) > 0 && countOf(run) <= MAX_WORDS);
    const texts = [...runs.map((run) => run.join(' ')), ...line.split(/[,;|]/u).map((part) => part.trim()), line];
    const listed = inOwn.find(texts);
    if (listed !== null) return { name: listed, fromDictionary: false };
    for (const run of runs) {
      const name = generic === null ? null : genericName(run, generic, single);
      if (name !== null) return { name, fromDictionary: true };
    }
    if (generic !== null && below !== null && isFunctionLine(below)) {
      const [run] = runs;
      if (run !== undefined && isWholeName(run, line)) return { name: run.join(' '), fromDictionary: false };
    }
    if (shapeAlone) {
      const [run] = runs.filter((each) => countOf(each) >= (single ? 1 : 2));
      if (run !== undefined) return { name: run.join(' '), fromDictionary: false };
    }
    const second = inSecondary.find(texts);
    return second === null ? null : { name: second, fromDictionary: false };
  };
  return Object.assign(find, { dictionaries: [...inOwn.dictionaries, ...inSecondary.dictionaries] });
}

/** Returns the part of a run that may be a person: no institution, no place, and no function behind a name. */
function personIn(run: NameRun, generic: GenericNames | null): NameRun {
  if (run.length < 2) return run;
  const isNamed = (word: string): boolean => isIn(generic?.last, word) || isIn(generic?.first, word);
  const tail = run.at(-1) ?? '';
  if (belongsToBefore(tail) || isGenitive(tail)) return [];
  const institution = run.findIndex((word) => isInstitution(word) && !isNamed(word));
  // Uniwersytet Jana Pawła and Robert Koch-Institut are named after people; Anna Schmidt, Universität Köln, is one.
  if (institution >= 0) return institution < run.length - 1 && institution > 1 ? run.slice(0, institution) : [];
  if (isSaint(run[0] ?? '') || isPlace(run, generic)) return [];
  const shorter = run.slice(0, -1);
  return countOf(shorter) < 2 || !isFunction(tail) || isNamed(tail) ? run : personIn(shorter, generic);
}

/** Tests for a place of several words that is not equally a person: Diego García is both. */
function isPlace(run: NameRun, generic: GenericNames | null): boolean {
  if (generic?.places.has(foldName(run.join(' '))) !== true) return false;
  return !isFullName(run, generic);
}

/** Tests for a known first name at the start and a known last name at the end. */
function isFullName(run: NameRun, generic: GenericNames | null): boolean {
  return run.length > 1 && isIn(generic?.first, run[0] ?? '') && isIn(generic?.last, run.at(-1) ?? '');
}

function isIn(names: ReadonlySet<string> | undefined, word: string): boolean {
  return names?.has(foldName(word)) === true;
}

function isFunctionLine(line: string): boolean {
  return line.split(/[\s,;:|/()]+/u).some(isFunction);
}

/** Tests whether a line is only a name of two to four words, by its shape. */
function isWholeName(run: NameRun, line: string): boolean {
  const words = countOf(run);
  const isOther = (word: string): boolean => isFunction(word) || isKicker(word) || word.length < 2;
  return words >= 2 && words <= 4 && !run.some(isOther) && endsWith(line, run);
}

/** Titles may precede it. */
function endsWith(line: string, run: NameRun): boolean {
  const words = line.trim().split(/\s+/u);
  return nameRuns(line).length === 1 && words.slice(-run.length).join(' ') === run.join(' ');
}

/** Counts words without particles. */
function countOf(run: NameRun): number {
  return run.filter((word) => !isParticle(word)).length;
}

/** Finds a first name and what follows it; a known last name after one other word; a last name before a first name. */
function genericName(run: NameRun, { first, last }: GenericNames, single: boolean): string | null {
  const is = (names: ReadonlySet<string>, word: string | undefined): boolean =>
    word !== undefined &&
    foldName(word)
      .replaceAll('.', '')
      .split('-')
      .some((part) => part.length > 1 && names.has(part));
  if (countOf(run) === 1) {
    const [word] = run;
    return single && word !== undefined && word.length > 2 && is(first, word) ? word : null;
  }
  const begin = run.findIndex((word, i) => i < run.length - 1 && !isParticle(word) && is(first, word));
  // A word before the first name belongs to it when it is a name too (Lena Marie), else it is a function.
  if (begin >= 0) return run.slice(begin).join(' ');
  const [head, tail] = [run[0], run.at(-1)];
  // Particles between an office and a place also occur in names: Vereador da Câmara.
  if (run.length === 2 && (is(last, tail) || (is(last, head) && is(first, tail)))) return run.join(' ');
  return null;
}

interface LookUp {
  dictionaries: readonly LabelDictionaries[];
  find(texts: readonly string[]): string | null;
}

function lookUp(dictionaries: readonly UsedDictionary[]): LookUp {
  const applied = dictionaries.map((dictionary) => ({
    isMap: dictionary.type === 'map',
    labels: new AppliedDictionaries([{ specification: { id: '', mode: 'fuzzy', threshold: LIKENESS }, dictionary }]),
  }));
  const find = (texts: readonly string[]): string | null => {
    for (const { isMap, labels } of applied) {
      for (const text of texts) {
        // A map leaves other labels unchanged.
        const found = isMap ? labels.rename(text) : labels.apply(text);
        if (found !== null && !(isMap && found === text)) return found;
      }
    }
    return null;
  };
  return { dictionaries: applied.map(({ labels }) => labels), find };
}
