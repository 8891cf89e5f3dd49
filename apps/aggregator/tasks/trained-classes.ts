import { elementAt, type CustomFields } from '@adit/contracts';
import type { TrainingEntity } from '@adit/database';
import { FaceLook, lookQuery, PlaceLook } from '@adit/datasets';
import type { EntityManager } from 'typeorm';

/** Classes, and images of theirs with what was seen in them, that are read together. */
const CLASSES_AT_ONCE = 500;
const IMAGES_AT_ONCE = 1_000;

/** A class that a training takes. */
export interface TrainedRow {
  id: string;
  label: string;
  customFields: CustomFields;
  /** In their order; `look` is null for one that could not be read, or was seen by an older build. */
  images: { id: string; digest: string | null; look: FaceLook | PlaceLook | null }[];
}

type Training = Pick<TrainingEntity, 'datasetId' | 'type' | 'timeCreated'>;

/**
 * What is active and has not expired, as it was when the training was posted. It is read in pages of images, however they are spread
 * over classes, and only what a training asks of a picture is kept.
 */
export async function trainedClasses(manager: EntityManager, training: Training): Promise<TrainedRow[]> {
  const classes: TrainedRow[] = [];
  for (let after = '0'; ;) {
    const rows: (Omit<TrainedRow, 'images'> & { seq: string; count: number })[] = await manager.query(
      `SELECT c.id, c.label, c.seq, c.images AS count, c.custom_fields AS "customFields" FROM dataset_classes c
         JOIN datasets d ON d.id = c.dataset_id AND d.time_deleted IS NULL
        WHERE c.dataset_id = $1 AND c.time_deleted IS NULL AND c.active AND c.seq > $2
          AND (c.expiration_date IS NULL OR c.expiration_date > now())
        ORDER BY c.seq LIMIT ${CLASSES_AT_ONCE}`,
      [training.datasetId, after],
    );
    let few: TrainedRow[] = [];
    let images = 0;
    for (const { count, id, label, customFields } of rows) {
      few.push({ id, label, customFields, images: [] });
      images += count;
      if (images < IMAGES_AT_ONCE) continue;
      classes.push(...(await withImages(manager, training, few)));
      [few, images] = [[], 0];
    }
    classes.push(...(await withImages(manager, training, few)));
    if (rows.length < CLASSES_AT_ONCE) return classes;
    after = elementAt(rows, -1).seq;
  }
}

/** The same classes with their images. */
async function withImages(manager: EntityManager, training: Training, classes: TrainedRow[]): Promise<TrainedRow[]> {
  if (classes.length === 0) return [];
  const schema = training.type === 'face' ? FaceLook : PlaceLook;
  const byId = new Map(classes.map((one) => [one.id, one]));
  for (let after = '0'; ;) {
    const rows: { id: string; classId: string; seq: string; digest: string | null; look: unknown }[] =
      await manager.query(
        `SELECT i.id, i.class_id AS "classId", i.seq, i.digest, l.look
           FROM (SELECT * FROM dataset_images
                  WHERE class_id = ANY($1::uuid[]) AND active AND time_created <= $2 AND seq > $3
                  ORDER BY seq LIMIT ${IMAGES_AT_ONCE}) i
           LEFT JOIN LATERAL (${lookQuery('$4')}) l ON i.state = 'completed'
          ORDER BY i.seq`,
        [[...byId.keys()], training.timeCreated, after, training.type],
      );
    for (const { id, classId, digest, look } of rows) {
      byId.get(classId)?.images.push({ id, digest, look: schema.safeParse(look).data ?? null });
    }
    if (rows.length < IMAGES_AT_ONCE) return classes;
    after = elementAt(rows, -1).seq;
  }
}
