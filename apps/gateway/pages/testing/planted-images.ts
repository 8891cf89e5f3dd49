/** Images of datasets as analysis and evaluation leave them, for the specs of the console. */
import { readFile } from 'node:fs/promises';
import type { FaceClustering } from '@adit/contracts';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { storageThumbnailKey } from '@adit/storage';
import { sampleMedia } from '@adit/testing';
import type { World } from '../../contract/world.js';

/** A dataset of people with these classes; answers its id and theirs by name. */
export async function dataset(
  world: World,
  name: string,
  labels: readonly string[],
): Promise<{ id: string; classes: Record<string, string> }> {
  const { id } = (await world.ask('POST', '/api/v1/datasets/', { name, type: 'face' })).json<{ id: string }>();
  const classes: Record<string, string> = {};
  for (const label of labels) {
    const made = await world.ask('POST', `/api/v1/datasets/${id}/classes/`, { label });
    classes[label] = made.json<{ id: string }>().id;
  }
  return { id, classes };
}

/** Adds images to a class, evaluated, each with this finding; all show one photo. */
export async function plantImages(
  world: World,
  { datasetId, classId }: { datasetId: string; classId: string },
  findings: readonly FaceClustering[],
): Promise<void> {
  const { app, db, workspaceId } = world.gateway;
  const key = (await world.picture()).replace('storage://', '');
  const jpeg = await readFile(String(sampleMedia().faces['audrey']));
  await app.get<ObjectStore>(OBJECT_STORE).put(storageThumbnailKey(workspaceId, key), jpeg);
  await db.query(`UPDATE storage_entries SET thumbnail = 'made' WHERE key = $1`, [key]);
  await db.query(
    `INSERT INTO dataset_images
       (id, workspace_id, dataset_id, class_id, storage_key, notes, state, clustering, time_evaluated)
     SELECT gen_random_uuid(), $1, $2, $3, $4, '', 'completed', one.finding, now()
       FROM unnest($5::text[]) WITH ORDINALITY AS one(finding, place) ORDER BY place`,
    [workspaceId, datasetId, classId, key, findings],
  );
  await db.query(
    `UPDATE dataset_classes c
        SET images = n.images, active_images = n.images, evaluated_images = n.images, faulty_images = n.faulty,
            state = 'completed', time_evaluated = now()
       FROM (SELECT count(*)::int AS images, (count(*) FILTER (WHERE clustering <> 'match'))::int AS faulty
               FROM dataset_images WHERE class_id = $1) n
      WHERE c.id = $1`,
    [classId],
  );
}
