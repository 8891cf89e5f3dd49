import { readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['apps', 'libs', 'models'];
const SKIPPED = new Set(['node_modules', 'dist', '.nx', 'console', 'client-python', 'testing', 'e2e']);

/** Editors write a file in several steps. */
const SETTLED_MS = 30;

/**
 * Calls `changed` with the path of a source of the engine that was written, some 30 ms after the last of several. Answers
 * what ends it. A folder is watched by itself: a watch of a whole tree, packages included, takes seconds to set up.
 */
export function watchSources(root, changed) {
  const watchers = new Map();
  let timer;
  const visit = (folder) => {
    if (watchers.has(folder)) return;
    const onChange = (_event, name) => {
      if (name === null || SKIPPED.has(name)) return;
      const path = join(folder, name);
      if (isFolder(path)) return visit(path);
      if (!/\.(ts|js|json|yaml|pbtxt)$/.test(name) || name.endsWith('.spec.ts')) return;
      clearTimeout(timer);
      timer = setTimeout(() => changed(path), SETTLED_MS);
    };
    watchers.set(
      folder,
      watch(folder, onChange).on('error', () => watchers.delete(folder)),
    );
    for (const entry of entriesOf(folder)) {
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(join(folder, entry.name));
    }
  };
  for (const folder of FOLDERS) visit(join(root, folder));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}

function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
