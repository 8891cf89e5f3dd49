import type { EntityManager } from 'typeorm';

/** Rows that go with their workspace; the package that writes the table names them. */
export interface RowsOfWorkspace {
  table: string;
  /** SQL: those of the workspace `$1`. */
  where: string;
  /** Key of their count in the receipt of an erasure. */
  kind?: string;
  /** Where the bytes of one lie, in a folder of its id. */
  folder?: string;
}

/** The rows of a table by their `workspace_id`, unless `where` says otherwise. */
export function rowsOfWorkspace(table: string, more: Partial<Omit<RowsOfWorkspace, 'table'>> = {}): RowsOfWorkspace {
  return { table, where: 'workspace_id = $1', ...more };
}

/** SQL: a row's column names a row of the table `on` that is the workspace's. */
export function hangsOn(column: string, on: string): string {
  return `${column} IN (SELECT id FROM ${on} WHERE workspace_id = $1)`;
}

/**
 * Deletes at most `most` of the rows and answers how many. `noteFolder` gives SQL that notes the folders of rows that are
 * `gone` to be removed from the object store.
 */
export async function deleteRowsOfWorkspace(
  db: Pick<EntityManager, 'query'>,
  { table, where, folder }: RowsOfWorkspace,
  { workspaceId, most }: { workspaceId: string; most: number },
  noteFolder: (folder: string) => string,
): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `WITH gone AS (
       DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT $2))
       RETURNING ${folder === undefined ? '1' : 'id'})
       ${folder === undefined ? '' : `, noted AS (${noteFolder(folder)})`}
     SELECT count(*)::int AS count FROM gone`,
    [workspaceId, most],
  );
  return row?.count ?? 0;
}
