import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm test` has just built everything, and a process that has nothing to compile starts in half the time. On its own a spec runs
 * the sources, never a stale build.
 */
const BUILT = process.env['ADIT_BUILT'] !== undefined;

/** Options of Node to run a program that `runnable` names. */
export const RUNNABLE_FLAGS: readonly string[] = BUILT
  ? []
  : ['--conditions=@adit/source', '--import', new URL('./source-loader.mjs', import.meta.url).href];

/**
 * The file of a source of ours that a process of its own can run or import: as it was built, or itself.
 * @param source a path from `relativeTo`, which is the caller's `import.meta.url`
 */
export function runnable(source: string, relativeTo: string): string {
  const path = fileURLToPath(new URL(source, relativeTo));
  if (!BUILT) return path;
  let home = dirname(path);
  while (!existsSync(join(home, 'package.json'))) home = dirname(home);
  return join(home, 'dist', relative(home, path)).replace(/\.ts$/, '.js');
}
