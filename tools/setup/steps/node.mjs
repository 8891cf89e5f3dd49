// Another Node than the one that runs, from npm's package `node`: what is promised for several is tested on several.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../places.mjs';
import { SetupError } from '../step.mjs';

/** By major: the oldest that is promised, and the long-term release that the image has. */
export const VERSIONS = { 20: '20.19.0', 24: '24.21.0' };

/** Answers the absolute path of the program `node`, in the cache. */
export async function ensureNode(step, major) {
  const version = VERSIONS[major];
  if (version === undefined)
    throw new SetupError(`--node takes ${Object.keys(VERSIONS).join(' or ')}, not "${major ?? ''}".`);
  const home = join(cacheDirectory, `node-${version}`);
  const program = join(home, 'node_modules/node/bin/node');
  if (existsSync(program)) return program;
  mkdirSync(cacheDirectory, { recursive: true });
  step.begin(`Fetching Node ${version}`);
  await step.exec('npm', ['install', '--no-audit', '--no-fund', '--prefix', home, `node@${version}`], {
    cwd: cacheDirectory,
    advice: 'Check that npm reaches its registry ("npm ping"), then run this again.',
  });
  step.end();
  return program;
}
