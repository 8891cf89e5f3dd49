import { readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * Circles of imports between files, those of types included: every file of one can be read only with all the others.
 * eslint-plugin-import-x's `no-cycle` passes over imports of types, and takes ten times as long.
 *
 * Returns a map from each file in a circle to the imports of it that stay in the circle: by the text of the import, the
 * file that it leads to. Paths are absolute.
 *
 * @param {string[]} files absolute paths
 * @param {ts.CompilerOptions} options which decide what an import leads to
 * @returns {Map<string, Map<string, string>>}
 */
export function circlesAmong(files, options) {
  const known = new Set(files);
  const cache = ts.createModuleResolutionCache(process.cwd(), (name) => name, options);
  /** @type {Map<string, Map<string, string>>} */
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
  const circleOf = stronglyConnected(imports);
  const circles = new Map();
  for (const [file, targets] of imports) {
    const within = [...targets].filter(([, target]) => target === file || circleOf.get(target) === circleOf.get(file));
    if (within.length > 0) circles.set(file, new Map(within));
  }
  return circles;
}

/** The number of each file's strongly connected component (Tarjan, SIAM Journal on Computing 1(2), 1972). */
function stronglyConnected(imports) {
  const component = new Map();
  const index = new Map();
  const low = new Map();
  const stack = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const target of imports.get(file).values()) {
      if (!index.has(target)) visit(target);
      // One that has a component lies behind us.
      if (!component.has(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== index.get(file)) return;
    const number = component.size;
    for (let member; member !== file;) component.set((member = stack.pop()), number);
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return component;
}
