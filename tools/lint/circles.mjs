import { readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

/**
 * Imports of each file among the others, type imports included: the imported file by the text of the import.
 *
 * @param {string[]} files absolute paths
 * @param {ts.CompilerOptions} options which decide what an import leads to
 * @returns {Map<string, Map<string, string>>}
 */
export function importsAmong(files, options) {
  const known = new Set(files);
  const cache = ts.createModuleResolutionCache(process.cwd(), (name) => name, options);
  const imports = new Map();
  for (const file of files) {
    const found = ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles;
    const targets = new Map();
    for (const { fileName: name } of found) {
      if (!/^(\.|@adit\/)/.test(name)) continue;
      const target = ts.resolveModuleName(name, file, options, ts.sys, cache).resolvedModule?.resolvedFileName;
      if (target !== undefined && known.has(target)) targets.set(name, target);
    }
    imports.set(file, targets);
  }
  return imports;
}

/**
 * Circles of imports between files: every file of one can be read only with all the others. eslint-plugin-import-x's `no-cycle`
 * passes over imports of types, and takes ten times as long.
 *
 * Returns a map from each file in a circle to the imports of it that stay in the circle: by the text of the import, the
 * file that it leads to.
 *
 * @param {Map<string, Map<string, string>>} imports as `importsAmong` finds them
 * @returns {Map<string, Map<string, string>>}
 */
export function fileCircles(imports) {
  return edgesInCircles(imports);
}

/**
 * Circles of imports between sibling folders of a package. An import leads from the one folder to the other below the deepest folder
 * that has both files; one that stays in a folder, or leads to a file of a folder above or below, is in no circle. Tests, and what they
 * stand on, may use what they like.
 *
 * Returns what `fileCircles` returns, with the folder that each import leads to.
 *
 * @param {Map<string, Map<string, string>>} imports as `importsAmong` finds them
 * @param {Set<string>} packages folders of packages
 * @returns {Map<string, Map<string, string>>}
 */
export function folderCircles(imports, packages) {
  /** @type {Map<string, Map<string, string>>} */
  const folders = new Map();
  const crossings = [];
  for (const [file, targets] of imports) {
    if (TESTS.test(file)) continue;
    for (const [name, target] of targets) {
      const siblings = siblingsOf(file, target, packages);
      if (siblings === null) continue;
      const [from, to] = siblings;
      for (const folder of siblings) if (!folders.has(folder)) folders.set(folder, new Map());
      folders.get(from).set(to, to);
      crossings.push({ file, name, from, to });
    }
  }
  const circles = edgesInCircles(folders);
  const found = new Map();
  for (const { file, name, from, to } of crossings) {
    if (!circles.get(from)?.has(to)) continue;
    if (!found.has(file)) found.set(file, new Map());
    found.get(file).set(name, to);
  }
  return found;
}

const TESTS = /\.spec\.tsx?$|\/(testing|e2e|contract)\//;

/** The folders of one folder that an import leads from and to; null where it crosses none, or leaves the package. */
function siblingsOf(file, target, packages) {
  const root = packageOf(file, packages);
  if (root === null || root !== packageOf(target, packages)) return null;
  const from = relative(root, file).split(sep);
  const to = relative(root, target).split(sep);
  let same = 0;
  while (same < Math.min(from.length, to.length) - 1 && from[same] === to[same]) same += 1;
  if (same === Math.min(from.length, to.length) - 1) return null;
  return [join(root, ...from.slice(0, same + 1)), join(root, ...to.slice(0, same + 1))];
}

function packageOf(file, packages) {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (packages.has(folder)) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** Edges of a graph that lie on cycles. */
function edgesInCircles(graph) {
  const circleOf = stronglyConnected(graph);
  const circles = new Map();
  for (const [node, targets] of graph) {
    const within = [...targets].filter(([, target]) => target === node || circleOf.get(target) === circleOf.get(node));
    if (within.length > 0) circles.set(node, new Map(within));
  }
  return circles;
}

/** The number of each node's strongly connected component (Tarjan, SIAM Journal on Computing 1(2), 1972). */
function stronglyConnected(graph) {
  const component = new Map();
  const index = new Map();
  const low = new Map();
  const stack = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const target of graph.get(node).values()) {
      if (!index.has(target)) visit(target);
      // One that has a component lies behind us.
      if (!component.has(target)) low.set(node, Math.min(low.get(node), low.get(target)));
    }
    if (low.get(node) !== index.get(node)) return;
    const number = component.size;
    for (let member; member !== node;) component.set((member = stack.pop()), number);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return component;
}
