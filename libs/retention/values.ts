/** Retention of workspaces, and its changes, which the sweeper applies in steps to what is there. */
import { RETENTION_KINDS, type RetentionKind } from '@adit/contracts';
import {
  inTransaction,
  installationSeconds,
  RetentionChangeEntity,
  type RowsOfWorkspace,
  rowsOfWorkspace,
} from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';

/** Rows that go with their workspace. */
export const RETENTION_ROWS: readonly RowsOfWorkspace[] = [rowsOfWorkspace('retention_changes')];

/** Kinds whose rows carry the time of their expiry. */
const STAMPED = ['observations', 'artifacts'] as const satisfies RetentionKind[];

export type RetentionValues = Record<RetentionKind, number | null>;

/** For how long a workspace keeps something, and what is under a legal hold there. */
export interface WorkspaceRetention {
  workspaceId: string;
  seconds: number;
  heldTags: readonly string[];
}

/** Returns the workspaces that have something of the kind to go, with the seconds for which they keep it. */
export async function workspacesWith(
  db: Pick<EntityManager, 'query'>,
  kind: RetentionKind,
): Promise<WorkspaceRetention[]> {
  const rows: { workspaceId: string; seconds: string; heldTags: string[] }[] = await db.query(
    `SELECT * FROM (
       SELECT id AS "workspaceId", coalesce((retention ->> $1)::bigint, ${installationSeconds(kind)}) AS seconds, held_tags AS "heldTags"
         FROM workspaces WHERE time_deleted IS NULL) w
      WHERE seconds IS NOT NULL ORDER BY "workspaceId"`,
    [kind],
  );
  return rows.map((row) => ({ ...row, seconds: Number(row.seconds) }));
}

/** Returns the values of the installation that the sweeping process has stored, and those that are built in. */
export async function installationValues(db: Pick<EntityManager, 'query'>): Promise<RetentionValues> {
  const columns = RETENTION_KINDS.map((kind) => `${installationSeconds(kind)} AS ${kind}`).join(', ');
  const [row]: Partial<Record<RetentionKind, string | null>>[] = await db.query(`SELECT ${columns}`);
  const valueOf = (kind: RetentionKind): number | null => {
    const value = row?.[kind] ?? null;
    return value === null ? null : Number(value);
  };
  return {
    observations: valueOf('observations'),
    results: valueOf('results'),
    artifacts: valueOf('artifacts'),
    uploads: valueOf('uploads'),
    recordings: valueOf('recordings'),
    audit_lines: valueOf('audit_lines'),
    receipts: valueOf('receipts'),
    faces: valueOf('faces'),
  };
}

/** Notes, in the transaction that changes the retention of a workspace, that rows which carry their expiry need another. */
export async function noteChanges(
  manager: EntityManager,
  workspaceId: string,
  kinds: readonly RetentionKind[],
): Promise<void> {
  const stamped = STAMPED.filter((kind) => kinds.includes(kind));
  if (stamped.length > 0) await begin(manager, 'SELECT $1::uuid', stamped, [workspaceId]);
}

/** Returns the kinds whose last change is not applied to all rows yet. */
export async function pendingChanges(db: DataSource, workspaceId: string): Promise<RetentionKind[]> {
  const rows = await db.manager.find(RetentionChangeEntity, { where: { workspaceId }, order: { kind: 'ASC' } });
  return rows.map(({ kind }) => kind);
}

/** Stores the values of the sweeping process; a changed one is applied to the workspaces without one of their own. */
export async function storeInstallationValues(
  db: DataSource,
  values: Partial<Record<RetentionKind, number | null>>,
): Promise<void> {
  const known = await installationValues(db);
  for (const kind of RETENTION_KINDS) {
    const seconds = values[kind];
    if (seconds === undefined || seconds === known[kind]) continue;
    await inTransaction(db, async (manager) => {
      await manager.query(
        `INSERT INTO retention_defaults (kind, seconds) VALUES ($1, $2)
         ON CONFLICT (kind) DO UPDATE SET seconds = excluded.seconds`,
        [kind, seconds],
      );
      const stamped = STAMPED.filter((each) => each === kind);
      if (stamped.length > 0) {
        await begin(manager, 'SELECT id FROM workspaces WHERE NOT retention ? $1 AND time_deleted IS NULL', stamped, [
          kind,
        ]);
      }
    });
  }
}

/** `workspaces`: SQL with parameters from `$1` on. */
async function begin(
  manager: EntityManager,
  workspaces: string,
  kinds: readonly RetentionKind[],
  parameters: readonly string[],
): Promise<void> {
  await manager.query(
    `INSERT INTO retention_changes (workspace_id, kind) SELECT w.id, k.kind FROM (${workspaces}) w (id), unnest($2::text[]) k (kind)
     ON CONFLICT (workspace_id, kind)
     DO UPDATE SET revision = retention_changes.revision + 1, position = NULL, time_changed = now()`,
    [...parameters, kinds],
  );
}
