import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A file that defines what its folder is named after. */
export interface Found<Definition> {
  /** The folder's name. */
  name: string;
  file: string;
  /** Undefined where the file has no default export. */
  definition: Definition | undefined;
}

/**
 * Loads the entries of a registry: the default exports of `<folder>/<name>/<base>.ts` (from source) or `.js` (built),
 * in the order of names. Folders without such a file are skipped. The registry itself checks the exports.
 */
export async function scanFolder<Definition>(folder: string, base: string): Promise<Found<Definition>[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: Found<Definition>[] = [];
  for (const name of entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()) {
    const names = new Set(await readdir(join(folder, name)));
    const own = [`${base}.ts`, `${base}.js`].find((each) => names.has(each));
    if (own === undefined) continue;
    const file = join(folder, name, own);
    const { default: definition }: { default?: Definition } = await import(pathToFileURL(file).href);
    found.push({ name, file, definition });
  }
  return found;
}
