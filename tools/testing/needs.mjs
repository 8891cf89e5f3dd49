/**
 * Reads what a suite needs besides the packages from its first line: `/** @needs ffmpeg, weights *\/`. A suite without one needs
 * only the packages, so `npm run test:unit` can run it at once; one that needs time is left to `npm run test:long`.
 */
import { closeSync, openSync, readSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * All that may be needed. `build`: what was compiled; `servers`: Kafka, PostgreSQL or MinIO, without which it is skipped;
 * `time`: a long proof, whose short form is another suite.
 */
export const NEEDS = ['ffmpeg', 'weights', 'build', 'servers', 'time'];

const SKIPPED = new Set(['node_modules', 'dist']);
const FOLDERS = ['apps', 'libs', 'models', 'tools'];
const PRAGMA = /^\/\*\* @needs ([\w, ]+) \*\/\n/;

/** Absolute paths of the suites that need anything. */
export function specsWithNeeds(root) {
  return specsThat(root, (needs) => needs.length > 0);
}

/** Absolute paths of the suites that `npm test` leaves to `npm run test:long`. */
export function longSpecs(root) {
  return specsThat(root, (needs) => needs.includes('time'));
}

/** Matches that one file in a list of patterns of jest's. */
export function asPattern(root, path) {
  return `^<rootDir>/${relative(root, path).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
}

function specsThat(root, accepts) {
  return FOLDERS.flatMap((folder) => specsIn(join(root, folder))).filter((path) => accepts(needsOf(path)));
}

/** Needs that the suite in `path` declares. Throws for an unknown word. */
export function needsOf(path) {
  const words = (PRAGMA.exec(firstBytes(path))?.[1] ?? '').split(',').map((word) => word.trim());
  const needs = words.filter((word) => word !== '');
  const unknown = needs.find((word) => !NEEDS.includes(word));
  if (unknown !== undefined) throw new Error(`${path} needs "${unknown}"; known: ${NEEDS.join(', ')}.`);
  return needs;
}

function specsIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : specsIn(path);
    return entry.name.endsWith('.spec.ts') ? [path] : [];
  });
}

function firstBytes(path) {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(200);
    return buffer.toString('utf8', 0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}
