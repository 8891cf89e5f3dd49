// The places that name the version of a release. That of the root's package.json counts; the others follow it.
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';
import { workspaceFolders } from '../setup/workspace-folders.mjs';

/** Each finds the version alone, so that it can be replaced. */
const PACKAGE = /(?<=^ {2}"version": ")[^"]+/m;
const PLACES = {
  'libs/client-python/pyproject.toml': /(?<=^version = ")[^"]+/m,
  'deploy/Dockerfile': /(?<=org\.opencontainers\.image\.version=")[^"]+/,
  'helm/adit/Chart.yaml': /(?<=^(?:version|appVersion): )\S+/gm,
  'helm/adit/tests/gpu_test.yaml': /(?<=adit:)[\d.]+(?=-cuda')/,
};
/** Pages with examples that somebody pastes. */
const PAGES = {
  'docs/guides/for-data-scientists.md': /(?<=# \[\(')[\d.]+(?=')/g,
  'docs/internals/publishing.md': /(?<=(?:\badit(?:[_-]client)?[:-]|\brelease-|charts\/adit --version ))\d+\.\d+\.\d+/g,
  'docs/operating/kubernetes.md': /(?<=\badit:)\d+\.\d+\.\d+/g,
};

/**
 * Every file that names the version, from the root; package.json comes first. openapi.json is not among them: it is
 * generated, by a gateway that reads its own package.json.
 */
export function versionFiles(root = repositoryRoot) {
  const packages = workspaceFolders(root).map((folder) => `${folder}/package.json`);
  return ['package.json', ...packages, ...Object.keys(PLACES), ...Object.keys(PAGES)];
}

/**
 * The versions in the text of a file, in their order. Throws a SetupError where a file has none; pages may have none.
 *
 * @param {string} file
 * @param {string} text
 * @returns {string[]}
 */
export function namedVersions(file, text) {
  const found = [...text.matchAll(new RegExp(patternOf(file), 'gm'))].map(([version]) => version);
  if (found.length === 0 && !Object.hasOwn(PAGES, file)) throw new SetupError(`${file} names no version.`);
  return file.endsWith('package.json') ? found.slice(0, 1) : found;
}

/**
 * The text of a file with another version in its place.
 *
 * @param {string} file
 * @param {string} text
 * @param {string} version
 */
export function withVersion(file, text, version) {
  namedVersions(file, text);
  return text.replace(patternOf(file), version);
}

function patternOf(file) {
  return PLACES[file] ?? PAGES[file] ?? PACKAGE;
}

/**
 * The version that somebody asks for: `patch`, `minor`, `major`, or one that is later than `current`. Throws a SetupError.
 *
 * @param {string} current
 * @param {string} asked
 */
export function nextVersion(current, asked) {
  const [major, minor, patch] = numbersOf(current);
  if (asked === 'major') return `${major + 1}.0.0`;
  if (asked === 'minor') return `${major}.${minor + 1}.0`;
  if (asked === 'patch') return `${major}.${minor}.${patch + 1}`;
  const given = numbersOf(asked);
  const [first] = given.map((number, index) => number - [major, minor, patch][index]).filter((step) => step !== 0);
  if (first === undefined || first < 0) throw new SetupError(`${asked} is not later than ${current}, which this is.`);
  return asked;
}

/** npm, pip and Helm write versions of trials differently, so that a release is three numbers. */
function numbersOf(version) {
  const found = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version);
  if (found === null) throw new SetupError(`A version is three numbers, such as 1.4.0, not "${version}".`);
  return found.slice(1).map(Number);
}
