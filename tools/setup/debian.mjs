// Debian's packages, where this process may install them.
import { execFileSync } from 'node:child_process';
import { onPath } from './on-path.mjs';
import { SetupError } from './step.mjs';

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

/** Whether apt knows a package of exactly this name, as of its last update. */
export function debianHas(name) {
  try {
    return execFileSync('apt-cache', ['policy', name], { encoding: 'utf8' }).match(/Candidate: (?!\(none\))/) !== null;
  } catch {
    return false;
  }
}

async function install(step, title, packages) {
  if (!canInstallFromDebian()) return false;
  step.begin(title);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another program's apt-get, such as the nightly upgrade, is waited for.
  const wait = ['-q', '-o', 'DPkg::Lock::Timeout=120'];
  try {
    await step.exec('apt-get', ['update', ...wait], { env });
    const names = typeof packages === 'function' ? packages() : packages;
    if (names.length === 0) return false;
    await step.exec('apt-get', ['install', '-y', '--no-install-recommends', ...wait, ...names], { env });
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return false;
  }
}
