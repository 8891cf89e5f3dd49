import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The sources of the workspace's packages as jest's `moduleNameMapper` has them. Node resolves what runs; jest needs these to
 * find the suites that a change reaches.
 */
export function workspaceSources(root) {
  const folders = ['apps', 'libs', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return Object.fromEntries([...folders, 'models'].flatMap((folder) => entriesOf(root, folder)));
}

function entriesOf(root, folder) {
  const manifest = join(root, folder, 'package.json');
  if (!existsSync(manifest)) return [];
  const { name, exports = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.entries(exports).flatMap(([path, target]) => {
    const source = target['@adit/source'];
    if (source === undefined) return [];
    const asked = `^${`${name}${path.slice(1)}`.replace('*', '(.+)')}$`;
    return [[asked, `<rootDir>/${folder}/${source.slice(2).replace('*', '$1')}`]];
  });
}
