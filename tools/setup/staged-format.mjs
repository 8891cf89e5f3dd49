// Refuses a commit with a file that `npm run lint` would call unformatted. What counts is what is staged, not what lies in
// the folder: a file may have been put right after `git add`, or be staged in part.
import { execFileSync } from 'node:child_process';
import { check, getFileInfo, resolveConfig } from 'prettier';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
const staged = git('diff', '--cached', '--name-only', '-z', '--diff-filter=ACMR').split('\0').filter(Boolean);

const unformatted = [];
const errors = [];
for (const file of staged) {
  const { ignored, inferredParser } = await getFileInfo(file, { ignorePath: '.prettierignore' });
  if (ignored || inferredParser === null) continue;
  try {
    const options = { ...(await resolveConfig(file, { editorconfig: true })), filepath: file };
    if (!(await check(git('show', `:${file}`), options))) unformatted.push(file);
  } catch (error) {
    errors.push(`${file}: ${error.message}`);
  }
}
for (const error of errors) console.error(error);
if (unformatted.length > 0) {
  const names = unformatted.map((file) => (/^[\w./@-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`));
  console.error(`Staged files are not formatted. Put them right with\n  npx prettier --write ${names.join(' ')}`);
  console.error('and stage them again.');
}
process.exitCode = unformatted.length + errors.length > 0 ? 1 : 0;
