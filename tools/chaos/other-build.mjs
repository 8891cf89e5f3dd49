// Another commit of this repository, set up and built in a folder of the cache named by commit and Node version.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withLock } from '../setup/lock.mjs';
import { cacheDirectory, repositoryRoot } from '../setup/places.mjs';

/**
 * Builds the commit that `revision` names, once; answers its root folder. Throws when git does not know it or it does not build.
 *
 * @param {string} revision
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<{ root: string, commit: string }>}
 */
export async function buildOf(revision, { log = () => undefined } = {}) {
  const commit = commitOf(revision);
  const builds = join(cacheDirectory, 'builds');
  const root = join(builds, `${commit}-node${process.versions.node}`);
  const done = join(root, '.built');
  mkdirSync(builds, { recursive: true });
  await withLock(`${root}.lock`, async () => {
    if (existsSync(done)) return;
    log(`Building ${commit.slice(0, 10)}; this is done once.`);
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    exportTree(commit, root);
    await setUp(root, log);
    writeFileSync(done, `${new Date().toISOString()}\n`);
  });
  return { root, commit };
}

/** The commit that `revision` names, in full. Throws when git does not know it. */
export function commitOf(revision) {
  const args = ['rev-parse', '--verify', `${revision}^{commit}`];
  return execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' }).trim();
}

/** Writes the files of a commit, or of some of its `paths`, into a folder. */
export function exportTree(commit, folder, ...paths) {
  const args = ['archive', '--format=tar', commit, ...paths];
  const archive = execFileSync('git', args, { cwd: repositoryRoot, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
}

function setUp(root, log) {
  const child = spawn(process.execPath, ['tools/setup/run.mjs', 'setup'], {
    cwd: root,
    env: { ...process.env, ADIT_CACHE_DIR: cacheDirectory, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', log);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(
            new Error(`${root} cannot be built (exit code ${code}): see the lines above, or name another revision.`),
          ),
    );
  });
}
