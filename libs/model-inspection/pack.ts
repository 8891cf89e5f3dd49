import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { create } from 'tar';
import { sidecars } from './inspect.js';
import type { ExternalFile } from './weights.js';

/**
 * Writes a tar archive into `folder`, which is empty, with a graph and what belongs to it: weights beside it, labels, and what its
 * exporter wrote. `unpackModel` reads it. Answers its path.
 */
export async function packModel(graph: string, external: readonly ExternalFile[], folder: string): Promise<string> {
  const beside = dirname(graph);
  const stage = join(folder, 'files');
  await mkdir(stage);
  const files = new Map([['model.onnx', resolve(graph)]]);
  for (const [name, at] of Object.entries(sidecars(beside).at)) files.set(name, resolve(beside, at));
  for (const { name } of external) {
    files.set(name, resolve(beside, name));
    await mkdir(dirname(join(stage, name)), { recursive: true });
  }
  for (const [name, path] of files) await symlink(path, join(stage, name));
  const archive = join(folder, 'model.tar');
  await create({ file: archive, cwd: stage, follow: true, portable: true }, [...files.keys()]);
  return archive;
}
