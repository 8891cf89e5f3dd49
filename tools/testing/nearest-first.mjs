// The order of `npm run test:unit`: suites beside a file that is not committed first, then the smallest, which answer soonest.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import sequencer from '@jest/test-sequencer';
import { repositoryRoot } from '../setup/places.mjs';

const Sequencer = sequencer.default ?? sequencer;

export default class NearestFirst extends Sequencer {
  sort(tests) {
    const changed = changedFolders();
    const size = ({ path, context }) => context.hasteFS.getSize(path) ?? 0;
    const isNear = ({ path }) => Number(changed.has(dirname(path)));
    return [...tests].sort((a, b) => isNear(b) - isNear(a) || size(a) - size(b) || (a.path < b.path ? -1 : 1));
  }
}

/** None outside of git. */
function changedFolders() {
  try {
    const said = execFileSync('git', ['status', '--porcelain', '--no-renames', '-uall'], {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const files = said.split('\n').map((line) => line.slice(3));
    return new Set(files.filter((file) => file !== '').map((file) => dirname(join(repositoryRoot, file))));
  } catch {
    return new Set();
  }
}
