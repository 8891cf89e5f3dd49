import { randomUUID } from 'node:crypto';
import { AditError, type ClassRequest } from '@adit/contracts';
import { inStatement } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';

export interface NewClass extends Partial<Omit<ClassRequest, 'label'>> {
  id?: string;
  label: string;
}

/**
 * Makes classes of a dataset, in their order; answers the ids of those that are there now by reference. Those whose reference is
 * taken are left out. Throws NOT_FOUND when the dataset is not there.
 */
export function insertClasses(
  db: DataSource,
  place: { workspaceId: string; datasetId: string },
  classes: readonly NewClass[],
): Promise<{ id: string; reference: string }[]> {
  return addClasses((sql, parameters) => inStatement(db, sql, parameters), place, classes);
}

/** The same within a transaction. */
export function insertClassesWithin(
  manager: EntityManager,
  place: { workspaceId: string; datasetId: string },
  classes: readonly NewClass[],
): Promise<{ id: string; reference: string }[]> {
  return addClasses((sql, parameters) => manager.query(sql, parameters), place, classes);
}

interface Answer {
  isThere: boolean;
  made: { id: string; reference: string }[] | null;
}

async function addClasses(
  query: (sql: string, parameters: unknown[]) => Promise<Answer[]>,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  classes: readonly NewClass[],
): Promise<{ id: string; reference: string }[]> {
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
  const [answer] = await query(
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
  if (answer?.isThere !== true) throw new AditError('NOT_FOUND', `There is no dataset ${datasetId}.`);
  return answer.made ?? [];
}

export function referenceTaken(reference: string): AditError {
  const message = `The dataset has a class with the reference ${JSON.stringify(reference.slice(0, 100))} already.`;
  return new AditError('CONFLICT', message, { errors: [{ pointer: '/reference', code: 'exists', message }] });
}
