import { elementAt } from '@adit/contracts';
import { ArtifactEntity, columns, ExportEntity, returned, type BorderLook } from '@adit/database';
import { updateHeld, type Held } from '@adit/leases';
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
export async function completeExport(
  manager: EntityManager,
  id: string,
  artifact: NewArtifact,
  notes: string[] = [],
): Promise<void> {
  await manager.update(
    ExportEntity,
    { id },
    { state: 'completed', progress: 1, timeCompleted: new Date(), leaseUntil: null, errorMsg: null, notes },
  );
  await manager.insert(ArtifactEntity, artifact);
}

/** Where jobs look for the true borders of an export's segments; null before it is known. */
export async function looksOf(manager: EntityManager, id: string): Promise<BorderLook[] | null> {
  const [row]: [{ looks: BorderLook[] | null }?] = await manager.query('SELECT looks FROM exports WHERE id = $1', [id]);
  return row?.looks ?? null;
}

export async function keepLooks(manager: EntityManager, id: string, looks: readonly BorderLook[]): Promise<void> {
  await manager.update(ExportEntity, { id }, columns<ExportEntity>({ looks: [...looks] }));
}

/** SQL: the export holds what a search found in the job or transcript `$1`, of which `$3` may name one variant. */
const FOUND_IN = {
  job_id: 'found_in @> ARRAY[$1::uuid]',
  transcript_id: `found_in && ARRAY(
    SELECT v.id FROM transcript_variants v WHERE v.transcript_id = $1 AND ($3::text IS NULL OR v.id = ($3::text)::uuid))`,
  dataset_id: 'false',
};

/**
 * Exports hold the results of a job, or a transcript, and go with it, each with its file; those of a search hold results of
 * several, and go with the first of them. Returns their ids.
 */
export async function deleteExports(
  manager: EntityManager,
  of: { job_id: string } | { transcript_id: string; variant_id?: string } | { dataset_id: string },
  limit: number,
): Promise<string[]> {
  if (limit === 0) return [];
  const column = 'job_id' in of ? 'job_id' : 'transcript_id' in of ? 'transcript_id' : 'dataset_id';
  const id = elementAt(Object.values(of), 0);
  // Written as the client wrote it.
  const variant = `($3::text IS NULL OR lower(config ->> 'variant_id') = $3)`;
  const rows = returned<{ id: string }>(
    await manager.query(
      `DELETE FROM exports WHERE id IN (
         SELECT id FROM exports WHERE (${column} = $1 AND ${variant}) OR ${FOUND_IN[column]} LIMIT $2) RETURNING id`,
      [id, limit, 'variant_id' in of ? of.variant_id : null],
    ),
  );
  const ids = rows.map((row) => row.id);
  // By a statement of its own, which sees the file of one that was being completed meanwhile.
  if (ids.length > 0) await manager.query('DELETE FROM artifacts WHERE export_id = ANY($1::uuid[])', [ids]);
  return ids;
}

/**
 * Takes their files from exports; those that are being written begin anew, and so do exports of searches that have not noted
 * yet what they are about to hold. None begins before the transaction ends. Returns the keys.
 */
export async function removeExported(
  manager: EntityManager,
  of: 'job_id' | 'dataset_id',
  ids: readonly string[],
): Promise<string[]> {
  const found = of === 'job_id' ? 'found_in && $1::uuid[]' : 'false';
  const unnoted =
    of === 'job_id'
      ? `workspace_id IN (SELECT j.workspace_id FROM jobs j WHERE j.id = ANY($1::uuid[])) AND config ? 'search' AND found_in IS NULL`
      : 'false';
  // Its second attempt, however often: the first has been told of.
  await manager.query(
    `UPDATE exports SET attempts = least(attempts, 1), fencing_token = fencing_token + 1, progress = 0, lease_until = now()
      WHERE (${of} = ANY($1::uuid[]) OR ${found} OR ${unnoted}) AND state IN ('waiting', 'processing')`,
    [ids],
  );
  const artifacts = returned<{ object_key: string }>(
    await manager.query(
      `DELETE FROM artifacts WHERE export_id IN (SELECT id FROM exports WHERE ${of} = ANY($1::uuid[]) OR ${found})
       RETURNING object_key`,
      [ids],
    ),
  );
  return artifacts.map((row) => row.object_key);
}

/**
 * Notes the jobs and texts that an export of a search is about to hold something of: from then on it goes with each of them.
 * Those of an earlier attempt, which may have left a file, stay noted. Returns what is there, or null when the attempt has lost
 * the export.
 */
export async function noteFoundIn(
  manager: EntityManager,
  held: Held,
  { jobs, variants }: { jobs: readonly string[]; variants: readonly string[] },
): Promise<ReadonlySet<string> | null> {
  // Whoever deletes one of them waits, and sees the export then.
  const there: { id: string }[] = [
    ...(await manager.query(
      'SELECT id FROM jobs WHERE id = ANY($1::uuid[]) AND time_deleted IS NULL ORDER BY id FOR SHARE',
      [jobs],
    )),
    ...(await manager.query(
      `SELECT v.id FROM transcript_variants v JOIN transcripts t ON t.id = v.transcript_id
        WHERE v.id = ANY($1::uuid[]) AND v.time_deleted IS NULL AND t.time_deleted IS NULL ORDER BY t.id, v.id FOR SHARE`,
      [variants],
    )),
  ];
  const ids = there.map(({ id }) => id);
  const isOurs = await updateHeld(
    manager,
    held,
    'found_in = ARRAY(SELECT id FROM unnest(found_in) id UNION SELECT id FROM unnest($1::uuid[]) id)',
    [ids],
  );
  return isOurs ? new Set(ids) : null;
}
