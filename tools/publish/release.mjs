// What one release is: its version, which is written in several places, and the commit that it is made of.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';

/** Files that name the version, and how. */
const NAMED = {
  'package.json': /"version": "([^"]+)"/,
  'libs/client/package.json': /"version": "([^"]+)"/,
  'libs/client-python/pyproject.toml': /^version = "([^"]+)"/m,
  'deploy/Dockerfile': /image\.version="([^"]+)"/,
  'helm/adit/Chart.yaml': /^appVersion: (\S+)/m,
};

/** The version that all of them name. Throws a SetupError where one differs. */
export function releaseVersion(read = (file) => readFileSync(join(repositoryRoot, file), 'utf8')) {
  const found = Object.entries(NAMED).map(([file, pattern]) => [file, pattern.exec(read(file))?.[1] ?? 'no version']);
  const [[, version]] = found;
  const other = found.find(([, named]) => named !== version);
  if (other === undefined) return version;
  throw new SetupError(`package.json is of version ${version}, but ${other[0]} says ${other[1]}: give both the same.`);
}

/** The commit of the clone, and whether anything in it differs; `unknown` for sources without a history. */
export function revisionOf(folder = repositoryRoot) {
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return { revision: git('rev-parse', 'HEAD'), isClean: git('status', '--porcelain') === '' };
  } catch {
    return { revision: 'unknown', isClean: true };
  }
}

/** `adit-0.1.0.tgz (31 kB)`. */
export function described(file) {
  const { size } = statSync(file);
  return `${basename(file)} (${size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`})`;
}
