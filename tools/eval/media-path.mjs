// Paths of media that packages deliver.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Absolute path of `package/path/in/it`, where the package is a dependency of this one. */
export function mediaPath(name) {
  const parts = name.split('/');
  const packageName = parts.splice(0, name.startsWith('@') ? 2 : 1).join('/');
  return join(dirname(require.resolve(`${packageName}/package.json`)), ...parts);
}
