// The identity of a release: its version, which is written in several places, and its commit.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namedVersions, versionFiles } from '../release/versions.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';

/** The version that all files name (tools/release/versions.mjs). Throws a SetupError where one differs. */
export function releaseVersion(read = (file) => readFileSync(join(repositoryRoot, file), 'utf8')) {
  const found = versionFiles().flatMap((file) => namedVersions(file, read(file)).map((named) => ({ file, named })));
  const [{ named: version }] = found;
  const other = found.find(({ named }) => named !== version);
  if (other === undefined) return version;
  throw new SetupError(
    `package.json is of version ${version}, but ${other.file} says ${other.named}: give both the same.`,
  );
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

/** `adit-<version>.tgz (31 kB)`. */
export function described(file) {
  const { size } = statSync(file);
  return `${basename(file)} (${size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`})`;
}
