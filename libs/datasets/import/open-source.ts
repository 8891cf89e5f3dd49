import { buffer } from 'node:stream/consumers';
import { AditError } from '@adit/contracts';
import { headerOf } from '@adit/csv';
import { StorageEntryEntity, type DatasetImportEntity } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { openStoredFile } from '@adit/storage';
import type { EntityManager } from 'typeorm';
import { archiveSource } from './archive-source.js';
import { csvSource, isReferenceList, MAX_CSV_BYTES } from './csv-source.js';
import { folderSource } from './folder-source.js';
import type { ImportSource } from './import-item.js';
import { listAlone } from './lists/kinds.js';
import { MAX_MANIFEST_BYTES } from './manifest.js';
import { StoredZip } from './stored-zip.js';

/** Bytes at a file's beginning that contain the first line of a list. */
const HEAD_BYTES = 64 << 10;
/** Limit of bytes that one archive unpacks to. */
const MAX_UNPACKED_BYTES = 200 * 1024 ** 3;

interface Places {
  manager: EntityManager;
  objects: ObjectStore;
  /** Remaining storage quota of the workspace in bytes. */
  left: number;
}

/**
 * Opens the input of an import: a folder of the storage, a zip archive or a CSV, by content. Throws SOURCE_REFUSED when
 * the file does not exist (any more), MEDIA_INVALID or TOO_LARGE for an input that cannot be imported.
 */
export async function openImportSource(row: DatasetImportEntity, places: Places): Promise<ImportSource> {
  const { workspaceId, storageKey, folder } = row;
  const { manager, objects, left } = places;
  if (storageKey === null) return folderSource({ manager, objects, workspaceId, folder: folder ?? '/' });
  const entry = await manager.findOneBy(StorageEntryEntity, { workspaceId, key: storageKey, uploaded: true });
  if (entry === null) throw new AditError('SOURCE_REFUSED', `storage://${storageKey} was deleted.`);
  const size = Number(entry.size);
  const read = async (start: number, end: number) =>
    size === 0 ? Buffer.alloc(0) : buffer(await openStoredFile(manager, objects, entry, { start, end }));
  const head = await read(0, Math.min(size, HEAD_BYTES) - 1);
  if (head.subarray(0, 2).toString('latin1') === 'PK') {
    // Images imported before a crash already use their quota.
    const most = row.cursor === null ? Math.min(left, MAX_UNPACKED_BYTES) : MAX_UNPACKED_BYTES;
    return archiveSource(() => StoredZip.open(read, size), most);
  }
  if (!isReferenceList(head)) {
    const end = endOfList(head);
    const isRead = end !== null && size <= MAX_MANIFEST_BYTES;
    const list = isRead ? await listAlone(entry.name, await read(0, size - 1), end) : null;
    throw new AditError('MEDIA_INVALID', list ?? `${entry.name} is ${otherFile(head)}`);
  }
  if (size > MAX_CSV_BYTES) throw new AditError('TOO_LARGE', `A CSV has at most ${MAX_CSV_BYTES} bytes here.`);
  return csvSource(await read(0, size - 1));
}

/** Returns the extension of a list of pictures, by its beginning; null for another file. */
function endOfList(head: Buffer): string | null {
  if (archiveOf(head) !== null || head.includes(0)) return null;
  const text = head.toString().trimStart();
  if (/^[[{]/.test(text)) return '.json';
  if (/^<(\?xml|annotation)/i.test(text)) return '.xml';
  return headerOf(head, (columns) => columns.size > 1) === null ? null : '.csv';
}

function otherFile(head: Buffer): string {
  const archive = archiveOf(head);
  return archive === null
    ? 'neither a zip archive nor a CSV whose first line names file_uri and label.'
    : `${archive}: pack it as a zip archive.`;
}

function archiveOf(head: Buffer): string | null {
  const isBegun = (mark: string, at: number) => head.toString('latin1', at, at + mark.length) === mark;
  return ARCHIVES.find(([mark, , at = 0]) => isBegun(mark, at))?.[1] ?? null;
}

/** Signatures of other archives, their names, and offsets. */
const ARCHIVES: readonly [string, string, number?][] = [
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['BZh', 'a bzip2 archive'],
  ['\xfd7zXZ', 'an xz archive'],
  ['\x28\xb5\x2f\xfd', 'a zstd archive'],
  ['ustar', 'a tar archive', 257],
];
