import { inTurns } from '@adit/runtime';
import { COCO_FILE, readCoco } from './coco.js';
import { ListReader } from './list-reader.js';
import { MANIFEST_FILE, readDataset, type Manifest } from './manifest.js';

/** Whether it is a list of what an archive holds. */
export function isManifest(path: string): boolean {
  return path === MANIFEST_FILE || path === COCO_FILE;
}

/**
 * The list of an archive, read an entry at a time: others have their turn in between. Throws MEDIA_INVALID, which says where
 * something is wrong, and TOO_LARGE.
 */
export async function readManifest(path: string, bytes: Buffer): Promise<Manifest> {
  const list = new ListReader(path, bytes);
  const manifest = await inTurns(path === COCO_FILE ? readCoco(list) : readDataset(list));
  list.json.finish();
  return manifest;
}
