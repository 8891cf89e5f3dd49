import { buffer } from 'node:stream/consumers';
import { AditError, elementAt } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { openStoredFile } from '@adit/storage';
import type { EntityManager } from 'typeorm';
import type { FileTree, TreeFile } from './file-tree.js';
import { MAX_FILES, type ImportSource } from './import-item.js';
import { isLitter } from './path-faults.js';
import { treeSource } from './tree-source.js';

const PAGE = 500;

interface FileRow {
  id: number;
  folder: string;
  name: string;
  key: string;
  size: string | null;
}

/** SQL: uploaded files in and below a folder $2 of the workspace $1. */
const BELOW = `FROM storage_entries WHERE workspace_id = $1 AND NOT is_folder AND uploaded
  AND (folder = $2 OR starts_with(folder, CASE WHEN $2 = '/' THEN '/' ELSE $2 || '/' END))`;

interface Place {
  manager: EntityManager;
  objects: ObjectStore;
  workspaceId: string;
  folder: string;
}

/**
 * Pictures in a folder of the storage with a folder per class, or with a list of labels, as they were uploaded;
 * includes files uploaded until the import reaches them. Throws MEDIA_INVALID for a folder without files, TOO_LARGE for
 * one with too many.
 */
export async function folderSource(place: Place): Promise<ImportSource> {
  const { manager, workspaceId, folder } = place;
  const [row]: { files: number }[] = await manager.query(`SELECT count(*)::int AS files ${BELOW}`, [
    workspaceId,
    folder,
  ]);
  const files = row?.files ?? 0;
  if (files === 0) throw new AditError('MEDIA_INVALID', `There is no uploaded file in ${folder}.`);
  const tree = new StorageTree(place);
  tree.refuseMore(files);
  return treeSource(tree);
}

/** A cursor is the id of an entry. */
class StorageTree implements FileTree {
  /** Ids are less. */
  readonly end = 2 ** 31;

  constructor(private readonly place: Place) {}

  get what(): string {
    return this.place.folder;
  }

  refuseMore(files: number): void {
    if (files <= MAX_FILES) return;
    throw new AditError('TOO_LARGE', `${this.place.folder} has more than ${MAX_FILES} files.`);
  }

  async *files(after: number): AsyncGenerator<TreeFile> {
    const { manager, workspaceId, folder: root } = this.place;
    for (let behind = Math.max(0, after); ;) {
      const rows: FileRow[] = await manager.query(
        `SELECT id, folder, name, key, size ${BELOW} AND id > $3::bigint ORDER BY id LIMIT ${PAGE}`,
        [workspaceId, root, behind],
      );
      for (const row of rows) {
        const name = `${row.folder === '/' ? '' : row.folder}/${row.name}`;
        const path = name.slice(root === '/' ? 1 : root.length + 1);
        if (isLitter(path)) continue;
        const size = Number(row.size ?? 0);
        const read = (most: number) => this.read(row.key, size, most);
        yield { cursor: row.id, path, name, size, fault: null, picture: { storageKey: row.key }, read };
      }
      if (rows.length < PAGE) return;
      behind = elementAt(rows, -1).id;
    }
  }

  private async read(key: string, size: number, most: number): Promise<Buffer> {
    const { manager, objects, workspaceId } = this.place;
    if (size > most) throw new AditError('MEDIA_INVALID', `It has ${size} bytes, at most ${most} are taken.`);
    const entry = await manager.findOneBy(StorageEntryEntity, { workspaceId, key, uploaded: true });
    if (entry === null) throw new AditError('MEDIA_INVALID', 'It was deleted.');
    return size === 0 ? Buffer.alloc(0) : buffer(await openStoredFile(manager, objects, entry));
  }
}
