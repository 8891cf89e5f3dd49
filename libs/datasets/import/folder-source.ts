import { AditError, elementAt } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { MOST_FILES, type ImportItem, type ImportSource } from './import-item.js';
import { byFolder, isLitter } from './pictures-in-folders.js';

const PAGE = 500;

interface FileRow {
  id: number;
  folder: string;
  name: string;
  key: string;
}

/** The uploaded files in a folder $2 of the workspace $1, and below it. */
const BELOW = `FROM storage_entries WHERE workspace_id = $1 AND NOT is_folder AND uploaded
  AND (folder = $2 OR starts_with(folder, CASE WHEN $2 = '/' THEN '/' ELSE $2 || '/' END))`;

/**
 * Pictures in a folder of the storage with a folder for each class, as they were uploaded; what is uploaded there until the import
 * comes by belongs to it. Throws MEDIA_INVALID for a folder without files, TOO_LARGE for one with too many.
 */
export async function folderSource(db: EntityManager, workspaceId: string, folder: string): Promise<ImportSource> {
  const [row]: { files: number }[] = await db.query(`SELECT count(*)::int AS files ${BELOW}`, [workspaceId, folder]);
  const files = row?.files ?? 0;
  if (files === 0) throw new AditError('MEDIA_INVALID', `There is no uploaded file in ${folder}.`);
  if (files > MOST_FILES) throw new AditError('TOO_LARGE', `${folder} has more than ${MOST_FILES} files.`);
  const items = (cursor: string | null) => itemsOf(db, workspaceId, folder, Number(cursor ?? 0));
  return { files, classes: [], type: null, items };
}

/** A cursor is the id of an entry. */
async function* itemsOf(
  db: EntityManager,
  workspaceId: string,
  root: string,
  cursor: number,
): AsyncGenerator<ImportItem> {
  for (let after = cursor; ;) {
    const rows: FileRow[] = await db.query(
      `SELECT id, folder, name, key ${BELOW} AND id > $3 ORDER BY id LIMIT ${PAGE}`,
      [workspaceId, root, after],
    );
    for (const row of rows) {
      const name = `${row.folder === '/' ? '' : row.folder}/${row.name}`;
      const inside = name.slice(root === '/' ? 1 : root.length + 1);
      if (isLitter(inside)) continue;
      const said = byFolder(inside);
      yield {
        ...{ cursor: String(row.id), name },
        what: 'fault' in said ? said : { ...said, file: { storageKey: row.key } },
      };
    }
    if (rows.length < PAGE) return;
    after = elementAt(rows, -1).id;
  }
}
