import { hangsOn, inStatement, returned, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';

/** A version found in a models folder. */
export interface SeenVersion {
  /** Id of the model. */
  id: string;
  name: string;
  type: string;
  number: number;
  digest: string;
}

/** Several processes write the same rows: the first one's time stands, and nobody removes any. */
const RECORD = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($1) AS v (id uuid, name text, type text, number integer, digest text) ORDER BY id, number
  ), model AS (
    INSERT INTO models (id, name, type) SELECT DISTINCT ON (id) id, name, type FROM given
    ON CONFLICT (id) DO UPDATE SET type = excluded.type WHERE models.type <> excluded.type
  ), version AS (
    INSERT INTO model_versions (model_id, version_number, digest) SELECT id, number, digest FROM given
    ON CONFLICT DO NOTHING
  )
  SELECT 1`;

/** Writes versions down that lie in folders. */
export async function recordVersions(db: DataSource, versions: readonly SeenVersion[]): Promise<void> {
  await inStatement(db, RECORD, [JSON.stringify(versions)]);
}

/** Replaces what a workspace says of a model. */
export async function describeModel(
  manager: EntityManager,
  { workspaceId, modelId }: { workspaceId: string; modelId: string },
  { description, customFields }: { description: string | null; customFields: readonly Record<string, unknown>[] },
): Promise<void> {
  await manager.query(
    `INSERT INTO workspace_models (workspace_id, model_id, description, custom_fields) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, model_id) DO UPDATE
       SET description = excluded.description, custom_fields = excluded.custom_fields, time_updated = now()`,
    [workspaceId, modelId, description, JSON.stringify(customFields)],
  );
}

/** Takes versions of a model from a workspace, with what it said of it. */
export async function hideVersions(
  manager: EntityManager,
  { workspaceId, modelId }: { workspaceId: string; modelId: string },
  versions: readonly string[],
): Promise<void> {
  await manager.query(
    `INSERT INTO workspace_models (workspace_id, model_id, deleted_versions) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, model_id) DO UPDATE
       SET description = NULL, custom_fields = '[]', deleted_versions = excluded.deleted_versions, time_updated = now()`,
    [workspaceId, modelId, JSON.stringify(versions)],
  );
}

/** Deletes pictures of jobs that versions on trial differ in: nobody wrote down who is on them. Returns their keys. */
export async function deleteCanaryPictures(manager: EntityManager, jobs: readonly string[]): Promise<string[]> {
  const gone = returned<{ object_key: string }>(
    await manager.query('DELETE FROM canary_pictures WHERE job_id = ANY($1::uuid[]) RETURNING object_key', [jobs]),
  );
  return gone.map((row) => row.object_key);
}

/** The same of one job, at most `limit`. */
export async function deleteSomeCanaryPictures(
  manager: EntityManager,
  jobId: string,
  limit: number,
): Promise<string[]> {
  if (limit === 0) return [];
  const rows = returned<{ object_key: string }>(
    await manager.query(
      `DELETE FROM canary_pictures WHERE id IN (SELECT id FROM canary_pictures WHERE job_id = $1 LIMIT $2)
       RETURNING object_key`,
      [jobId, limit],
    ),
  );
  return rows.map(({ object_key: key }) => key);
}

/** SQL: the run is of a canary of a model of the workspace. */
const OF_CANARY = `canary_id IN (
  SELECT c.id FROM model_canaries c JOIN models m ON m.id = c.model_id WHERE m.workspace_id = $1)`;

/**
 * Rows erased with their workspace, in this order: referencing rows before referenced ones. They include canaries of its own
 * models, and pictures of its jobs from canaries of shared models.
 */
export const MODEL_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('canary_runs', { where: OF_CANARY }),
  rowsOfWorkspace('canary_pictures'),
  rowsOfWorkspace('model_canaries', { where: hangsOn('model_id', 'models') }),
  rowsOfWorkspace('model_versions', { where: hangsOn('model_id', 'models') }),
  rowsOfWorkspace('workspace_models', { kind: 'models' }),
  rowsOfWorkspace('models', { kind: 'models', folder: 'models/' }),
];
