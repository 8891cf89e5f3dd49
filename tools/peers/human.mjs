// Time of @vladmandic/human for the faces of a film, for comparison: npm brings it to the cache, with TensorFlow.js in
// WebAssembly.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../setup/places.mjs';
import { failed } from './python.mjs';

const run = promisify(execFile);
export const HUMAN = '3.3.6';
const PACKAGES = [`@vladmandic/human@${HUMAN}`, '@tensorflow/tfjs@4.22.0', '@tensorflow/tfjs-backend-wasm@4.22.0'];
const INSTALL_MS = 600_000;
const TIMEOUT_MS = 1_200_000;

/** Its package.json; throws PeerError where there is no peer. */
export async function humanPackage() {
  const folder = join(cacheDirectory, `bench-peer-human-${HUMAN}`);
  const file = join(folder, 'package.json');
  const isThere = () => createRequire(file).resolve('@tensorflow/tfjs-backend-wasm/package.json');
  try {
    isThere();
  } catch {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(file, JSON.stringify({ name: 'peer', private: true }));
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...PACKAGES];
    await run('npm', args, { cwd: folder, timeout: INSTALL_MS }).catch((error) =>
      failed('@vladmandic/human was not installed', error),
    );
    isThere();
  }
  return file;
}

/**
 * Seconds by the clock and of CPU time, frames and faces of a film at `rate` frames a second, `width` × `height`, once the peer has been
 * started and has its frames in memory.
 */
export async function humanFaces(film, { width, height, rate }) {
  const args = [join(import.meta.dirname, 'human-process.mjs'), await humanPackage(), film, width, height, rate];
  const { stdout } = await run(process.execPath, args.map(String), { timeout: TIMEOUT_MS, maxBuffer: 1 << 24 });
  // It greets, too.
  return JSON.parse(stdout.trim().split('\n').at(-1));
}
