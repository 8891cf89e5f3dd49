import { AditError, storable } from '@adit/contracts';
import type { z } from 'zod';
import { COCO_FILE, CocoManifest, manifestOfCoco } from './coco.js';
import { DatasetManifest, MANIFEST_FILE, manifestOfDataset, type Manifest } from './manifest.js';

/** Whether it is a list of what an archive holds. */
export function isManifest(path: string): boolean {
  return path === MANIFEST_FILE || path === COCO_FILE;
}

/** Throws MEDIA_INVALID, which says where something is wrong. */
export function readManifest(path: string, bytes: Buffer): Manifest {
  return path === COCO_FILE
    ? manifestOfCoco(parsed(path, CocoManifest, bytes))
    : manifestOfDataset(parsed(path, DatasetManifest, bytes));
}

function parsed<T extends z.ZodType>(path: string, schema: T, bytes: Buffer): z.output<T> {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString());
  } catch (error) {
    throw new AditError('MEDIA_INVALID', `${path} is no JSON.`, { cause: error });
  }
  const { success, data, error } = schema.check(storable).safeParse(json);
  if (success) return data;
  const [issue] = error.issues;
  throw new AditError(
    'MEDIA_INVALID',
    `${path}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as expected'}.`,
  );
}
