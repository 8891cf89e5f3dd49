import { AditError } from '@adit/contracts';
import type { Model } from '@adit/client';
import { importInto } from '../dataset/dataset-import.js';
import { createDataset } from '../dataset/datasets.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import type { EngineOptions } from '../../engine/engine-options.js';
import type { GalleryBuildOptions } from './gallery-build.js';
import { printable, textTable } from '../../output/text-table.js';
import { train } from '../train/train.js';

/**
 * A gallery of an engine that runs elsewhere: its photos become a dataset of that name, which a training makes the next version
 * of. Throws VALIDATION for what only a gallery of this machine can have.
 */
export async function buildGalleryOn(
  folder: string,
  { name, server, description, embedding, default: isDefault }: GalleryBuildOptions & EngineOptions,
): Promise<void> {
  const local = embedding !== undefined ? '--embedding' : isDefault !== undefined ? '--default' : null;
  if (local !== null) {
    throw new AditError('VALIDATION', `${local} is for galleries of this machine, which are built without --server.`);
  }
  const at: EngineOptions = { ...(server !== undefined && { server }) };
  const names = new Set<string>();
  await onEngine(at, async ({ client }) => {
    for await (const dataset of client.items('GET /v1/datasets/')) names.add(dataset.name);
  });
  if (!names.has(name)) await createDataset(name, { ...at, type: 'face' });
  await importInto(name, folder, at);
  await train(name, { ...at, name, ...(description !== undefined && { description }) });
}

/** Prints the galleries that jobs of an engine may name. */
export function listGalleriesOn(options: EngineOptions & { json?: boolean }): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const found: Model[] = [];
    for await (const model of client.items('GET /v1/models', { query: { kind: 'gallery' } })) found.push(model);
    if (options.json) return printJson(found);
    const rows = found.map(({ name, default_version: version, type, scope }) => [
      printable(name),
      String(version),
      type,
      scope,
    ]);
    const table = textTable(['Name', 'Version', 'Of', 'Scope'], rows, ['left', 'right']);
    process.stdout.write(rows.length === 0 ? 'There is none.\n' : `${table}\n`);
  });
}
