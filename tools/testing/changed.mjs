import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { binOf } from '../setup/program.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { workspaceFolders } from '../setup/workspace-folders.mjs';

/** Documentation outside of packages, which the specs of tools/docs hold to the code. */
const DOCUMENTATION = /\.md$|^docs\//;

/**
 * Folders of the packages that a change since `base` reaches, itself and by what imports it, in order; null where a changed
 * file belongs to no package and so may matter to all, such as a setting of the compiler.
 */
export function changedFolders(base) {
  const packages = packageFolders();
  const files = changedFiles(base);
  const outside = files.filter((file) => ![...packages.values()].some((folder) => file.startsWith(`${folder}/`)));
  if (outside.some((file) => !DOCUMENTATION.test(file))) return null;
  const named = new Set(affected(base));
  if (outside.length > 0) named.add('@adit/docs');
  return [...named].flatMap((name) => packages.get(name) ?? []).sort();
}

/** Base that changes are compared with: main, or on main itself its upstream, so that commits on it count. */
export function usualBase() {
  const git = (...args) => execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', stdio: 'pipe' }).trim();
  if (git('branch', '--show-current') !== 'main') return 'main';
  try {
    return git('rev-parse', '--abbrev-ref', 'main@{upstream}');
  } catch {
    // Main has no upstream: only uncommitted changes count.
    return 'main';
  }
}

/** Files changed since the branch left `base`, uncommitted and untracked ones included. */
function changedFiles(base) {
  const git = (...args) => execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' }).split('\n');
  const left = git('merge-base', base, 'HEAD')[0];
  const files = [...git('diff', '--name-only', left), ...git('ls-files', '--others', '--exclude-standard')];
  return files.filter((file) => file !== '');
}

function affected(base) {
  const said = execFileSync(
    process.execPath,
    [binOf('nx'), 'show', 'projects', '--affected', `--base=${base}`, '--json'],
    {
      cwd: repositoryRoot,
      encoding: 'utf8',
      env: { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false' },
    },
  );
  return JSON.parse(said);
}

/** Folder by name of the package. */
function packageFolders() {
  const nameOf = (folder) => JSON.parse(readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8')).name;
  return new Map(workspaceFolders(repositoryRoot).map((folder) => [nameOf(folder), folder]));
}
