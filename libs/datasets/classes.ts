import { randomUUID } from 'node:crypto';
import { AditError, type ClassRequest } from '@adit/contracts';
import { inTransaction, tooMany } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';

export interface NewClass extends Partial<Omit<ClassRequest, 'label'>> {
  id?: string;
  label: string;
}

interface DatasetPlace {
  workspaceId: string;
  datasetId: string;
}

/**
 * Creates classes of a dataset, in order, except for taken references; returns the ids of existing ones by reference.
 * Throws NOT_FOUND without the dataset, CONFLICT beyond the quota `most`.
 */
export function insertClasses(
  db: DataSource,
  place: DatasetPlace,
  classes: readonly NewClass[],
  most = Infinity,
): Promise<{ id: string; reference: string }[]> {
  return inTransaction(db, (manager) => insertClassesWithin(manager, place, classes, most));
}

interface Answer {
  isThere: boolean;
  made: { id: string; reference: string }[] | null;
}

/** Creates classes within a transaction. */
export async function insertClassesWithin(
  manager: EntityManager,
  place: DatasetPlace,
  classes: readonly NewClass[],
  most = Infinity,
): Promise<{ id: string; reference: string }[]> {
  const { workspaceId, datasetId } = place;
  await lockDataset(manager, place);
  await refuseClassesBeyond(manager, datasetId, classes.length, most);
  const rows = classes.map(({ id = randomUUID(), ...one }) => ({
    id,
    reference: one.reference ?? id,
    label: one.label,
    active: one.active ?? true,
    notes: one.notes ?? '',
    expiration: one.expiration_date ?? null,
    level: one.level ?? 0,
    custom_fields: one.custom_fields ?? [],
  }));
  const [answer]: Answer[] = await manager.query(
    `WITH open AS (
       UPDATE datasets SET time_updated = now()
        WHERE id = $1 AND workspace_id = $2 AND time_deleted IS NULL RETURNING id, workspace_id),
     made AS (
       INSERT INTO dataset_classes
         (id, workspace_id, dataset_id, reference, label, active, notes, expiration_date, level, custom_fields, state)
       SELECT (one->>'id')::uuid, open.workspace_id, open.id, one->>'reference', one->>'label', (one->>'active')::boolean,
              one->>'notes', (one->>'expiration')::timestamptz, (one->>'level')::float8, one->'custom_fields', 'completed'
         FROM open, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS list(one, place) ORDER BY place
       ON CONFLICT DO NOTHING RETURNING id, reference)
     SELECT EXISTS (SELECT 1 FROM open) AS "isThere", (SELECT json_agg(made) FROM made) AS made`,
    [datasetId, workspaceId, JSON.stringify(rows)],
  );
  if (answer?.isThere !== true) throw noDataset(datasetId);
  return answer.made ?? [];
}

/**
 * Locks the dataset against additions until the transaction ends. Call it before locking classes, to avoid deadlocks.
 * Throws NOT_FOUND.
 */
export async function lockDataset(manager: EntityManager, { workspaceId, datasetId }: DatasetPlace): Promise<void> {
  const rows: unknown[] = await manager.query(
    'SELECT 1 FROM datasets WHERE id = $1 AND workspace_id = $2 AND time_deleted IS NULL FOR NO KEY UPDATE',
    [datasetId, workspaceId],
  );
  if (rows.length === 0) throw noDataset(datasetId);
}

/** Throws CONFLICT when a locked dataset would exceed its quota of classes. */
async function refuseClassesBeyond(manager: EntityManager, datasetId: string, more: number, most: number) {
  if (most === Infinity) return;
  const [row]: { count: number }[] = await manager.query(
    'SELECT count(*)::int AS count FROM dataset_classes WHERE dataset_id = $1 AND time_deleted IS NULL',
    [datasetId],
  );
  if ((row?.count ?? 0) + more > most) {
    throw tooMany(`A dataset has at most ${most} classes; delete some, or make another dataset.`);
  }
}

function noDataset(id: string): AditError {
  return new AditError('NOT_FOUND', `There is no dataset ${id}.`);
}

export function referenceTaken(reference: string): AditError {
  const message = `The dataset has a class with the reference ${JSON.stringify(reference.slice(0, 100))} already.`;
  return new AditError('CONFLICT', message, { errors: [{ pointer: '/reference', code: 'exists', message }] });
}
