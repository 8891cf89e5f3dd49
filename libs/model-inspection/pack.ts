import { mkdir, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { nullIfNoFile } from '@adit/contracts';
import { create } from 'tar';
import { sidecars } from './inspect.js';
import type { ExternalFile } from './weights.js';

/**
 * Writes a tar archive into the empty `folder`, with a graph and related files: external weights, labels, exporters'
 * files, and `model.yaml`. `unpackModel` reads it. Returns its path.
 */
export async function packModel(graph: string, external: readonly ExternalFile[], folder: string): Promise<string> {
  const beside = dirname(graph);
  const stage = join(folder, 'files');
  await mkdir(stage);
  const files = new Map([['model.onnx', resolve(graph)]]);
  for (const [name, at] of Object.entries(sidecars(beside).at)) files.set(name, resolve(beside, at));
  const manifest = await manifestOf(beside);
  if (manifest !== null) files.set('model.yaml', manifest);
  for (const { name } of external) {
    files.set(name, resolve(beside, name));
    await mkdir(dirname(join(stage, name)), { recursive: true });
  }
  for (const [name, path] of files) await symlink(path, join(stage, name));
  const archive = join(folder, 'model.tar');
  await create({ file: archive, cwd: stage, follow: true, portable: true }, [...files.keys()]);
  return archive;
}

/** Finds `model.yaml` beside a graph, or beside the folder of its version. */
async function manifestOf(folder: string): Promise<string | null> {
  const places = /^[1-9]\d{0,8}$/.test(basename(folder)) ? [folder, dirname(folder)] : [folder];
  for (const place of places) {
    const path = resolve(place, 'model.yaml');
    const found = await stat(path).catch(nullIfNoFile);
    if (found?.isFile() === true) return path;
  }
  return null;
}
