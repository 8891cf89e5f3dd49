// Runs suites in a process of their own in which other texts take the place of sources. The working tree is left alone.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { binOf } from '../setup/program.mjs';
import { repositoryRoot } from '../setup/places.mjs';

/** Characters of a failed process's output that are kept for its error message. */
const KEPT_CHARACTERS = 4000;

const running = new Set();

/** Ends what runs, with all that it started. */
export function endSuites() {
  for (const { pid } of running) endGroup(pid);
}

/**
 * @param {string[]} suites below the repository, in the order in which they run
 * @param {{ texts: Map<string, string>, scratch: string, nodeOptions: string[], environment: NodeJS.ProcessEnv,
 *   limitMs?: (suite: string) => number }} options `texts` by the path of the source; after `limitMs` within one suite all is ended
 * @returns {Promise<{ outcome: 'passed' | 'failed' | 'timed out', suite: string, test: string | null, said: string }>}
 *   `suite`: the last that ran, which failed or hung if one did; `test`: the first that failed
 */
export async function runSuites(suites, { texts, scratch, nodeOptions, environment, limitMs }) {
  const folder = mkdtempSync(join(scratch, 'm-'));
  const [overlay, temporary] = [join(folder, 'sources'), join(folder, 't')];
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(overlay, path)), { recursive: true });
    writeFileSync(join(overlay, path), text);
  }
  mkdirSync(temporary);
  const config = join(repositoryRoot, 'tools/mutants/jest.config.mjs');
  const options = ['--config', config, '--runInBand', '--ci', '--bail', '--forceExit', '--runTestsByPath', ...suites];
  const child = spawn(process.execPath, [...nodeOptions, binOf('jest'), ...options], {
    cwd: repositoryRoot,
    env: { ...environment, TMPDIR: temporary, ADIT_SOURCE_OVERLAY: overlay },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own: what a mutant leaves running ends with it.
    detached: true,
  });
  running.add(child);
  let [suite, test, isLate, said, timer] = [suites[0], null, false, '', undefined];
  const watch = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isLate = true;
      endGroup(child.pid);
    }, ms);
  };
  child.on('message', (message) => {
    if (message.failed !== undefined) test = message.failed;
    if (message.suite === undefined) return;
    suite = relative(repositoryRoot, message.suite);
    if (limitMs !== undefined) watch(limitMs(suite));
  });
  if (limitMs !== undefined && suites.length > 0) watch(limitMs(suites[0]));
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-KEPT_CHARACTERS)));
  try {
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
    const outcome = isLate && test === null ? 'timed out' : code === 0 ? 'passed' : 'failed';
    return { outcome, suite, test, said };
  } finally {
    clearTimeout(timer);
    running.delete(child);
    endGroup(child.pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function endGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Nothing of it runs any more.
    if (error.code !== 'ESRCH') throw error;
  }
}
