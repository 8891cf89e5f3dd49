import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the packages as pnpm-workspace.yaml names them, relative to `root`. */
export function workspaceFolders(root) {
  const nested = ['apps', 'libs', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return [...nested, 'models'].filter((folder) => existsSync(join(root, folder, 'package.json'))).sort();
}
