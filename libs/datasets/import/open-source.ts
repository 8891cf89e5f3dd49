import { buffer } from 'node:stream/consumers';
import { AditError } from '@adit/contracts';
import { StorageEntryEntity, type DatasetImportEntity } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { openStoredFile } from '@adit/storage';
import type { EntityManager } from 'typeorm';
import { archiveSource } from './archive-source.js';
import { csvSource, isReferenceList, MOST_CSV_BYTES } from './csv-source.js';
import { folderSource } from './folder-source.js';
import type { ImportSource } from './import-item.js';
import { StoredZip } from './stored-zip.js';

/** Of a file: enough for the first line of a list. */
const HEAD_BYTES = 64 << 10;
/** Bytes that one archive unpacks to. */
const MOST_UNPACKED_BYTES = 200 * 1024 ** 3;

interface Places {
  manager: EntityManager;
  objects: ObjectStore;
  /** Bytes that the workspace may still store. */
  left: number;
}

/**
 * What an import reads: a folder of the storage, a zip archive or a CSV, which is told by its content. Throws SOURCE_REFUSED when
 * the file is not there (any more), MEDIA_INVALID or TOO_LARGE for what cannot be imported.
 */
export async function openImportSource(row: DatasetImportEntity, places: Places): Promise<ImportSource> {
  const { workspaceId, storageKey, folder } = row;
  const { manager, objects, left } = places;
  if (storageKey === null) return folderSource(manager, workspaceId, folder ?? '/');
  const entry = await manager.findOneBy(StorageEntryEntity, { workspaceId, key: storageKey, uploaded: true });
  if (entry === null) throw new AditError('SOURCE_REFUSED', `storage://${storageKey} was deleted.`);
  const size = Number(entry.size);
  const read = async (start: number, end: number) =>
    size === 0 ? Buffer.alloc(0) : buffer(await openStoredFile(manager, objects, entry, { start, end }));
  const head = await read(0, Math.min(size, HEAD_BYTES) - 1);
  if (head.subarray(0, 2).toString('latin1') === 'PK') {
    // What was imported of it before a crash takes its place already.
    const most = row.cursor === null ? Math.min(left, MOST_UNPACKED_BYTES) : MOST_UNPACKED_BYTES;
    return archiveSource(() => StoredZip.open(read, size), most);
  }
  if (!isReferenceList(head)) {
    throw new AditError(
      'MEDIA_INVALID',
      `${entry.name} is neither a zip archive nor a CSV whose first line names file_uri and label.`,
    );
  }
  if (size > MOST_CSV_BYTES) throw new AditError('TOO_LARGE', `A CSV has at most ${MOST_CSV_BYTES} bytes here.`);
  return csvSource(await read(0, size - 1));
}
