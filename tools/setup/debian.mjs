// Debian's packages, where this process may install them.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { onPath } from './on-path.mjs';
import { SetupError } from './step.mjs';

/** Another program's apt-get, such as the nightly upgrade or another set-up, is waited for so long. */
const LOCK_SECONDS = 120;

/** apt-get runs one at a time; several set-up steps may ask at once. */
let turn = Promise.resolve();

export const canInstallFromDebian = () => process.getuid?.() === 0 && onPath('apt-get') !== null;

/**
 * Installs the packages, showing `title`; answers whether that worked, so that the caller can try another way.
 * `packages` may be a function, asked once the lists are fresh.
 */
export function installFromDebian(step, title, packages) {
  const mine = turn.then(() => install(step, title, packages));
  turn = mine.catch(() => undefined);
  return mine;
}

/** True if apt knows a package of exactly this name, as of its last update. */
export function debianHas(name) {
  try {
    return execFileSync('apt-cache', ['policy', name], { encoding: 'utf8' }).match(/Candidate: (?!\(none\))/) !== null;
  } catch {
    return false;
  }
}

/**
 * Has the programs on the PATH, of Debian's packages where this process may install them. Throws a SetupError that says what is missing.
 *
 * @param {import('./step.mjs').Step} step
 * @param {string} title
 * @param {Record<string, string>} programs The package by the name of the program.
 * @param {() => string[]} [more] Packages that are missing beside, which are no programs.
 */
export async function ensureFromDebian(step, title, programs, more = () => []) {
  const missing = () => {
    const names = Object.keys(programs).filter((name) => onPath(name) === null);
    return [...names.map((name) => programs[name]), ...more()];
  };
  if (missing().length > 0) await installFromDebian(step, title, missing);
  if (missing().length > 0) {
    throw new SetupError(`These packages are missing and could not be installed: ${missing().join(', ')}.`);
  }
}

async function install(step, title, packages) {
  if (!canInstallFromDebian()) return false;
  step.begin(title);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const wait = ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  try {
    await update(step, title, { env }, wait);
    const names = typeof packages === 'function' ? packages() : packages;
    if (names.length === 0) return false;
    await step.exec('apt-get', ['install', '-y', '--no-install-recommends', ...wait, ...names], { env });
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    // The caller goes on another way, or says what is missing; this says why.
    console.error(error.message);
    return false;
  }
}

/** The time-out of apt's locks is not for that of its lists: it gives up at once. */
async function update(step, title, options, wait) {
  for (const end = Date.now() + LOCK_SECONDS * 1000; ; await sleep(5_000)) {
    try {
      return await step.exec('apt-get', ['update', ...wait], options);
    } catch (error) {
      if (!/Could not get lock \S*lists\/lock/.test(error.message) || Date.now() > end) throw error;
      step.begin(`${title} (another apt-get is at work)`);
    }
  }
}
