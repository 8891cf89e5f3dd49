// Dependencies, through a pnpm of one exact version that never touches the machine's own.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cacheDirectory } from '../places.mjs';

export const PNPM_VERSION = '12.21.0';

const home = join(cacheDirectory, `pnpm-${PNPM_VERSION}`);
const cachedPnpm = join(home, 'node_modules/.bin/pnpm');

export async function installPackages(step) {
  const pnpm = await pnpmProgram(step);
  step.begin('Installing packages');
  await step.exec(pnpm, ['install', '--frozen-lockfile', '--reporter=append-only'], {
    env: { ...process.env, CI: 'true' },
    advice:
      'If package.json files were changed, run "pnpm install" to bring pnpm-lock.yaml along; otherwise check the network and run this again.',
  });
}

/** The environment of whoever asks for pnpm by its name, as Nx does; a pnpm of the machine's own comes first. */
export function environmentWithPnpm() {
  const PATH = [process.env.PATH ?? '', dirname(cachedPnpm)].join(delimiter);
  return { ...process.env, PATH };
}

/** The pnpm of that version: the machine's own, or one in the cache. */
export async function pnpmProgram(step) {
  return pnpmOnPath() ?? (await pnpmInCache(step));
}

function pnpmOnPath() {
  try {
    const version = execFileSync('pnpm', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return version.trim() === PNPM_VERSION ? 'pnpm' : null;
  } catch {
    return null;
  }
}

async function pnpmInCache(step) {
  if (existsSync(cachedPnpm)) return cachedPnpm;
  step.begin(`Fetching pnpm ${PNPM_VERSION}`);
  await step.exec('npm', ['install', '--no-audit', '--no-fund', '--prefix', home, `pnpm@${PNPM_VERSION}`], {
    cwd: cacheDirectory,
    advice: 'Check that npm reaches its registry ("npm ping"), then run this again.',
  });
  return cachedPnpm;
}
