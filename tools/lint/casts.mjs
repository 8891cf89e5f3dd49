import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** A third of what there once was. Who needs another says why beside it, and finds one to remove. */
export const MAX_COUNTS = { casts: 100, assertions: 113 };

/** True for shipped code. Tests and their helpers may cast freely. */
export function isShipped(path) {
  return (
    /^(apps|libs)\/.*\.tsx?$/.test(path) &&
    !/(\.(spec|d)\.ts|(^|\/)conformance\.ts)$/.test(path) &&
    !/\/(contract|e2e|testing)\//.test(path)
  );
}

/**
 * Where a source says more than its types do: `value as Type`, but for `as const`, and `value!`. A cast through `unknown` is
 * two.
 *
 * @returns {{ casts: number[], assertions: number[] }} lines, from 1
 */
export function saidByHand(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = { casts: [], assertions: [] };
  const visit = (node) => {
    const line = () => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (ts.isNonNullExpression(node)) found.assertions.push(line());
    else if (ts.isTypeAssertionExpression(node) || (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type))) {
      found.casts.push(line());
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The places in the files of a folder that git knows: `path:line`. */
export function placesIn(folder = root) {
  const git = (...args) =>
    execFileSync('git', ['ls-files', '-z', ...args], { cwd: folder, encoding: 'utf8' }).split('\0');
  // It lists those that were removed and not staged, and each version of those in a conflict.
  const removed = new Set(git('-d'));
  const files = new Set(git('-co', '--exclude-standard', 'apps', 'libs').filter((path) => !removed.has(path)));
  const places = { casts: [], assertions: [] };
  for (const path of [...files].filter(isShipped)) {
    const found = saidByHand(path, readFileSync(join(folder, path), 'utf8'));
    for (const kind of ['casts', 'assertions']) places[kind].push(...found[kind].map((line) => `${path}:${line}`));
  }
  return places;
}
