import { foldName } from './fold-name.js';

/** Consecutive words of a line that may be one name, as written. */
export type NameRun = readonly string[];

/** What stands between the parts of a name in small letters. */
const PARTICLES = new Set(
  (
    'af al av bin d da das de degli dei del della den der di do dos du e el het ibn la las le los of op ten ter ' +
    "'t und van vom von y zu zum zur"
  ).split(' '),
);
/** What stands before a name and is not part of it. */
const TITLES = new Set(
  (
    'bc dipl doc docteur doctor dott dottssa dr dra dres fr frau gen herr hr ing lic m mag mdr mgr mme mr mrs ms mudr ' +
    'phd phdr prof professor professorin rndr sir sr sra sra'
  ).split(' '),
);

/**
 * The runs of words of a line that are written like a name: two to five words with a capital, particles between them. A
 * comma, a dash or a bracket ends a run; titles before it are left out.
 */
export function nameRuns(line: string): NameRun[] {
  return line.split(/[,;:|/()[\]·•*]|\s[-–—]\s/u).flatMap((part) => {
    let run: string[] = [];
    const runs = [run];
    for (const word of part.split(/\s+/u).filter((each) => each !== '')) {
      if (isTitle(word) && run.length === 0) continue;
      if (isNameWord(word) || (run.length > 0 && isParticle(word))) run.push(word);
      else if (run.length > 0) runs.push((run = []));
    }
    return runs.map(withoutLooseParticles).filter((run) => run.length > 0);
  });
}

export function isParticle(word: string): boolean {
  return word === word.toLowerCase() && PARTICLES.has(foldName(word).replace(/'$/u, ''));
}

function isTitle(word: string): boolean {
  return TITLES.has(foldName(word).replaceAll('.', ''));
}

/** Begins with a capital and is made of letters, also Anna-Lena, O’Neill, d’Encausse, J. */
function isNameWord(word: string): boolean {
  return /^(?:d['’])?\p{Lu}[\p{L}'’-]*\.?$/u.test(word) && !/['’-]{2}/u.test(word);
}

function withoutLooseParticles(run: string[]): string[] {
  return run.slice(0, run.findLastIndex((word) => !isParticle(word)) + 1);
}
