// Programs inside Python wheels: pip only fetches and unpacks them, no Python runs from them.
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { installFromDebian } from '../setup/debian.mjs';
import { onPath } from '../setup/on-path.mjs';
import { SetupError } from '../setup/step.mjs';
import { here, installOnce } from './installing.mjs';

/**
 * Unpacks a wheel into `folder` of the cache, where `finish(folder)` may check it and remove what is not needed.
 * `wheels/<name>.txt` says which, with the hash of every file that may be it. Answers its path, or null where pip or the
 * wheel for this kind of machine is not to be had.
 */
export async function unpackWheel(step, title, name, folder, finish) {
  if (!(await ensurePip(step))) return null;
  const python = onPath('python3');
  step.begin(title);
  try {
    return await installOnce(folder, async (partial) => {
      const options = ['-q', '--no-deps', '--no-compile', '--retries', '2', '--only-binary', ':all:'];
      const checked = ['--require-hashes', '-r', join(here, 'wheels', `${name}.txt`)];
      await step.exec(python, ['-m', 'pip', 'install', ...options, '--target', partial, ...checked]);
      finish(partial);
      readableByAll(partial);
    });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    return null;
  }
}

/** Debian's Python comes without pip; where this process may install it, it does. */
async function ensurePip(step) {
  const python = onPath('python3');
  if (python !== null && runs(python)) return true;
  return await installFromDebian(step, 'Installing pip from Debian', ['python3-pip']);
}

function runs(python) {
  try {
    execFileSync(python, ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Whatever the umask was: PostgreSQL runs as another user than the one who installs it. */
function readableByAll(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const { mode } = statSync(path);
    chmodSync(path, mode & 0o100 ? 0o755 : 0o644);
  }
  chmodSync(folder, 0o755);
}
