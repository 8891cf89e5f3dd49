import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Dependencies on packages of the workspace that a manifest states and no source names, neither `@adit/x` nor `@adit/x/part`. */
export function unusedIn(manifest, sources) {
  const { dependencies = {}, devDependencies = {} } = manifest;
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, range]) => range.startsWith('workspace:'))
    .map(([name]) => name)
    .filter((name) => !sources.some((text) => new RegExp(`['"\`]${name}['"\`/]`).test(text)));
}

/** The same of all packages: `folder: dependency`. */
export function unusedDependencies(folder = root) {
  const git = (...args) =>
    execFileSync('git', ['ls-files', '-z', ...args], { cwd: folder, encoding: 'utf8' }).split('\0');
  const removed = new Set(git('-d'));
  const files = [...new Set(git('-co', '--exclude-standard'))].filter((path) => !removed.has(path));
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  return files
    .filter((path) => /^(apps\/[^/]+|libs\/[^/]+|tools\/[^/]+|models)\/package\.json$/.test(path))
    .flatMap((path) => {
      const own = dirname(path);
      const sources = files.filter((each) => each.startsWith(`${own}/`) && /\.(tsx?|[cm]?js)$/.test(each));
      return unusedIn(JSON.parse(read(path)), sources.map(read)).map((name) => `${own}: ${name}`);
    });
}
