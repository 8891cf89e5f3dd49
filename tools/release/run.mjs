// `npm run release`: one version in every place that names it, the changelog, a commit and a tag. Nothing leaves the machine.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';
import { releasedChangelog } from './changelog.mjs';
import { namedVersions, nextVersion, versionFiles, withVersion } from './versions.mjs';

const BRANCH = 'main';
const CHANGELOG = 'CHANGELOG.md';

const USAGE = `Makes a release in this clone: a commit and a tag. It never pushes.

  npm run release -- <version|patch|minor|major> [--dry-run]

  <version>    three numbers, later than the present ones
  --dry-run    check, and say what would be done
  --help       this text

It takes a clone of ${BRANCH} without changes. What stands under "Unreleased" in ${CHANGELOG} comes under the version and
today's date; the version is written into packages, clients, chart, image and examples; "npm run docs" writes the OpenAPI
document and the pages that are generated. docs/internals/publishing.md has what comes after it.`;

/** Answers the exit code. */
export async function runRelease(args) {
  const options = optionsOf(args);
  if (options === null) {
    console.log(USAGE);
    return 0;
  }
  for (const line of makeRelease(options)) console.log(line);
  return 0;
}

function optionsOf(args) {
  const options = { 'dry-run': { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help) return null;
    const [asked, ...rest] = positionals;
    if (asked === undefined || rest.length > 0) throw new Error('It takes one version.');
    return { asked, isDryRun: values['dry-run'] };
  } catch (error) {
    throw new SetupError(`${error.message}\n\n${USAGE}`);
  }
}

/**
 * Makes the commit and the tag; answers what there is to say. Throws a SetupError before anything is written, and one that
 * says how to go back afterwards.
 *
 * @param {{ asked: string, isDryRun: boolean }} options
 * @param {{ root?: string, date?: string, regenerate?: (root: string) => void }} [place]
 */
export function makeRelease({ asked, isDryRun }, place = {}) {
  const { root = repositoryRoot, date = new Date().toISOString().slice(0, 10), regenerate = writeDocs } = place;
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const files = versionFiles(root);
  const [current] = namedVersions('package.json', read('package.json'));
  const version = nextVersion(current, asked);
  const tag = `v${version}`;
  check(git, tag);
  const written = files.map((file) => [file, withVersion(file, read(file), version)]);
  const changelog = releasedChangelog(read(CHANGELOG), version, date);
  if (isDryRun) return plan({ current, version, tag, date, files });
  try {
    for (const [file, text] of [...written, [CHANGELOG, changelog]]) writeFileSync(join(root, file), text);
    regenerate(root);
    git('commit', '--all', '--message', `chore(release): ${version}`);
  } catch (error) {
    throw new SetupError(
      `${error.message}\n${error.stderr ?? ''}\nNothing was committed. "git restore --staged --worktree ." takes back what was written.`,
    );
  }
  git('tag', '--annotate', tag, '--message', `Adit ${version}`);
  return [
    `Adit ${version} is committed and tagged ${tag}; nothing was pushed. Next:`,
    `  bash .ci/run                                     every check, on the commit of the release`,
    `  git push --atomic origin ${BRANCH} ${tag}`,
    `  npm run publish -- --registry <host/path>        images, chart and clients as files; --push sends them`,
    `To take it back: git tag --delete ${tag} && git reset --hard HEAD~1`,
  ];
}

function check(git, tag) {
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  if (branch !== BRANCH) throw new SetupError(`A release is made on ${BRANCH}; this is ${branch}.`);
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new SetupError(`There are changes that are not committed:\n${changes}`);
  if (git('tag', '--list', tag) !== '') throw new SetupError(`There is a tag ${tag} already.`);
}

function plan({ current, version, tag, date, files }) {
  const packages = files.filter((file) => file.endsWith('package.json'));
  return [
    `Adit ${current} would become ${version}:`,
    `  ${CHANGELOG}: "Unreleased" becomes "${version} - ${date}"`,
    `  ${packages.length} files package.json`,
    ...files.filter((file) => !packages.includes(file)).map((file) => `  ${file}`),
    '  npm run docs: docs/api/openapi.json and what else is generated',
    `  git commit --message "chore(release): ${version}", git tag ${tag}`,
    'Nothing was changed.',
  ];
}

function writeDocs(root) {
  execFileSync(process.execPath, ['tools/setup/run.mjs', 'docs'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
