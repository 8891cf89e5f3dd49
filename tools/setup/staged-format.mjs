// Refuses a commit with a file that `npm run lint` would call unformatted. What counts is what is staged, not what lies in
// the folder: a file may have been put right after `git add`, or be staged in part.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binOf } from './program.mjs';

const git = (args, input) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 30, input });
const staged = git(['diff', '--cached', '--name-only', '-z', '--diff-filter=ACMR']);

if (staged !== '') {
  const folder = mkdtempSync(join(tmpdir(), 'adit-staged-'));
  try {
    git(['checkout-index', '-z', '--stdin', `--prefix=${folder}/`], staged);
    for (const name of ['.oxfmtrc.jsonc', '.editorconfig']) if (existsSync(name)) cpSync(name, join(folder, name));
    const args = [binOf('oxfmt'), '--list-different', '--no-error-on-unmatched-pattern'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    process.exitCode = status === 0 ? 0 : 1;
    process.stderr.write(stderr);
    const names = stdout.split('\n').filter(Boolean);
    if (names.length > 0) {
      const quoted = names.map((file) => (/^[\w./@-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`));
      console.error(`Staged files are not formatted. Put them right with\n  npx oxfmt ${quoted.join(' ')}`);
      console.error('and stage them again.');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
