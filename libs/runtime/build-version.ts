import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The release that this process was built from; all packages have the same. */
export function buildVersion(): string {
  // Beside the sources, one folder above the build.
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return version;
}
