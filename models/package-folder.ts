import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AditError } from '@adit/contracts';
import { z } from 'zod';

const Manifest = z.object({ version: z.string() });

/**
 * Returns the folder of an installed npm package, by Node's own resolution from this file.
 * @throws AditError when it is missing or has another version.
 */
export async function packageFolder(name: string, version: string): Promise<string> {
  const folder = findPackage(name);
  if (folder === undefined) {
    throw new AditError('MODEL_NOT_INSTALLED', `the package ${name} is not installed; run: pnpm install`);
  }
  const found = Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).version;
  if (found !== version) {
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `the catalogue verified ${name}@${version}, but ${found} is installed; run: pnpm install --frozen-lockfile`,
    );
  }
  return folder;
}

function findPackage(name: string): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    // The package's `exports` hide its package.json, so Node's search paths are used.
    return require.resolve
      .paths(name)
      ?.map((folder) => join(folder, name))
      .find((folder) => existsSync(join(folder, 'package.json')));
  }
}
