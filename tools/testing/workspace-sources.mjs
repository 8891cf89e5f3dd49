import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceFolders } from '../setup/workspace-folders.mjs';

/**
 * The sources of the workspace's packages as jest's `moduleNameMapper` has them. Node resolves what runs; jest needs these to
 * find the suites that a change reaches.
 */
export function workspaceSources(root) {
  return Object.fromEntries(workspaceFolders(root).flatMap((folder) => entriesOf(root, folder)));
}

function entriesOf(root, folder) {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([path, target]) => {
    const source = target['@adit/source'];
    if (source === undefined) return [];
    const asked = `^${`${name}${path.slice(1)}`.replace('*', '(.+)')}$`;
    return [[asked, `<rootDir>/${folder}/${source.slice(2).replace('*', '$1')}`]];
  });
}
