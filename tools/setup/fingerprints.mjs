// Fingerprints of the inputs of each set-up step. They cover names, sizes and times of files but not their content, since they are
// computed before every command.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryRoot } from './places.mjs';
import { workspaceFolders } from './workspace-folders.mjs';

const SKIPPED = new Set(['node_modules', 'dist', '.nx', '.git', '.adit', 'coverage', 'out']);

export function packagesFingerprint() {
  const hash = createHash('sha256').update(`node ${process.versions.node.split('.')[0]}`);
  const manifests = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'];
  for (const folder of workspaceFolders(repositoryRoot)) manifests.push(join(folder, 'package.json'));
  for (const file of manifests) {
    const path = join(repositoryRoot, file);
    if (existsSync(path)) hash.update(`\n${file}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

export function sourcesFingerprint() {
  return listingHash(
    ['apps', 'libs', 'models', 'tools'],
    (name) => /\.(tsx?|js|css|html|svg)$/.test(name) && !name.endsWith('.spec.ts'),
    ['.swcrc', 'nx.json', 'tsconfig.base.json'],
  );
}

export function weightsFingerprint() {
  return listingHash(['models'], (name) => /\.(ts|ya?ml|json|pbtxt)$/.test(name) && !name.endsWith('.spec.ts'), []);
}

function listingHash(folders, wanted, files) {
  const lines = files
    .filter((file) => existsSync(join(repositoryRoot, file)))
    .map((file) => line(join(repositoryRoot, file)));
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(path);
      else if (entry.isFile() && wanted(entry.name)) lines.push(line(path));
    }
  };
  for (const folder of folders) visit(join(repositoryRoot, folder));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

function line(path) {
  const { size, mtimeMs } = statSync(path);
  return `${relative(repositoryRoot, path)} ${size} ${mtimeMs}`;
}
