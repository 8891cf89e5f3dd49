import { elementAt } from '@adit/contracts';
import { ArtifactEntity, columns, ExportEntity, returned } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { NewArtifact } from './artifacts.js';

/** An export that was asked for. */
export type NewExport = Pick<
  ExportEntity,
  'id' | 'workspaceId' | 'strategy' | 'config' | 'jobId' | 'transcriptId' | 'datasetId'
>;

export async function insertExport(manager: EntityManager, asked: NewExport): Promise<void> {
  await manager.insert(ExportEntity, columns<ExportEntity>(asked));
}

/** Ends an export with the file that it is. */
export async function completeExport(manager: EntityManager, id: string, artifact: NewArtifact): Promise<void> {
  await manager.update(
    ExportEntity,
    { id },
    { state: 'completed', progress: 1, timeCompleted: new Date(), leaseUntil: null, errorMsg: null },
  );
  await manager.insert(ArtifactEntity, artifact);
}

/** Exports hold the results of a job, or a transcript, and go with it, each with its file. Returns their ids. */
export async function deleteExports(
  manager: EntityManager,
  of: { job_id: string } | { transcript_id: string; variant_id?: string } | { dataset_id: string },
  limit: number,
): Promise<string[]> {
  if (limit === 0) return [];
  const [column, id] = elementAt(Object.entries(of), 0);
  // Written as the client wrote it.
  const variant = `AND ($3::text IS NULL OR lower(config ->> 'variant_id') = $3)`;
  const rows = returned<{ id: string }>(
    await manager.query(
      `DELETE FROM exports WHERE id IN (SELECT id FROM exports WHERE ${column} = $1 ${variant} LIMIT $2) RETURNING id`,
      [id, limit, 'variant_id' in of ? of.variant_id : null],
    ),
  );
  const ids = rows.map((row) => row.id);
  // By a statement of its own, which sees the file of one that was being completed meanwhile.
  if (ids.length > 0) await manager.query('DELETE FROM artifacts WHERE export_id = ANY($1::uuid[])', [ids]);
  return ids;
}

/** Takes their files from exports; those that are being written begin anew. Returns the keys. */
export async function removeExported(
  manager: EntityManager,
  of: 'job_id' | 'dataset_id',
  ids: readonly string[],
): Promise<string[]> {
  // Its second attempt, however often: the first has been told of.
  await manager.query(
    `UPDATE exports SET attempts = 1, fencing_token = fencing_token + 1, progress = 0, lease_until = now()
      WHERE ${of} = ANY($1::uuid[]) AND state = 'processing'`,
    [ids],
  );
  const artifacts = returned<{ object_key: string }>(
    await manager.query(
      `DELETE FROM artifacts WHERE export_id IN (SELECT id FROM exports WHERE ${of} = ANY($1::uuid[])) RETURNING object_key`,
      [ids],
    ),
  );
  return artifacts.map((row) => row.object_key);
}
