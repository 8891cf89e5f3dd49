import { elementAt, type CustomFields } from '@adit/contracts';
import type { TrainingEntity } from '@adit/database';
import { FaceInference, inferenceQuery, PlaceInference, TRAINED_CLASS } from '@adit/datasets';
import type { EntityManager } from 'typeorm';

/** Classes, and images with their observations, read together. */
const CLASSES_PER_BATCH = 500;
const IMAGES_PER_BATCH = 1_000;

/** A class in a training. */
export interface TrainedRow {
  id: string;
  label: string;
  customFields: CustomFields;
}

export interface TrainedImageRow {
  /** Place of its class among those that were opened last. */
  of: number;
  id: string;
  digest: string | null;
  /** Observations; null for an image that could not be read, or was analysed by an older build. */
  inference: FaceInference | PlaceInference | null;
}

/** Images of classes, those of one class in their order, however those of several are mixed. */
export interface TrainedPage {
  /** Classes that begin here, in order; empty where the images belong to those before. */
  opened: TrainedRow[];
  images: TrainedImageRow[];
}

type Training = Pick<TrainingEntity, 'datasetId' | 'type' | 'timeCreated'>;

/**
 * Reads the active images that have not expired, as they were when the training was posted: in pages of images,
 * however they are spread over classes, and only the columns that a training needs. Each is read at most once: one that moves to
 * another class meanwhile may be left out.
 */
export async function* trainedImages(manager: EntityManager, training: Training): AsyncGenerator<TrainedPage, void> {
  const seen = new Set<number>();
  for (let after = '0'; ;) {
    const rows: (TrainedRow & { seq: string; count: number })[] = await manager.query(
      `SELECT c.id, c.label, c.seq, c.images AS count, c.custom_fields AS "customFields" FROM dataset_classes c
         JOIN datasets d ON d.id = c.dataset_id AND d.time_deleted IS NULL
        WHERE c.dataset_id = $1 AND c.seq > $2 AND ${TRAINED_CLASS}
        ORDER BY c.seq LIMIT ${CLASSES_PER_BATCH}`,
      [training.datasetId, after],
    );
    let few: TrainedRow[] = [];
    let images = 0;
    for (const { count, id, label, customFields } of rows) {
      few.push({ id, label, customFields });
      images += count;
      if (images < IMAGES_PER_BATCH) continue;
      yield* imagesOf(manager, training, few, seen);
      [few, images] = [[], 0];
    }
    if (few.length > 0) yield* imagesOf(manager, training, few, seen);
    if (rows.length < CLASSES_PER_BATCH) return;
    after = elementAt(rows, -1).seq;
  }
}

/** Leaves out the images whose numbers are in `seen`, and adds the others there. */
async function* imagesOf(
  manager: EntityManager,
  training: Training,
  classes: TrainedRow[],
  seen: Set<number>,
): AsyncGenerator<TrainedPage, void> {
  const schema = training.type === 'face' ? FaceInference : PlaceInference;
  const ids = classes.map(({ id }) => id);
  const places = new Map(ids.map((id, place) => [id, place]));
  let opened = classes;
  for (let after = '0'; ;) {
    const rows: { id: string; classId: string; seq: string; digest: string | null; inference: unknown }[] =
      await manager.query(
        `SELECT i.id, i.class_id AS "classId", i.seq, i.digest, l.look AS inference
           FROM (SELECT * FROM dataset_images
                  WHERE class_id = ANY($1::uuid[]) AND active AND time_created <= $2 AND seq > $3
                  ORDER BY seq LIMIT ${IMAGES_PER_BATCH}) i
           LEFT JOIN LATERAL (${inferenceQuery('$4')}) l ON i.state = 'completed'
          ORDER BY i.seq`,
        [ids, training.timeCreated, after, training.type],
      );
    const images = rows.flatMap(({ id, classId, seq, digest, inference }) => {
      const of = places.get(classId);
      const number = Number(seq);
      if (of === undefined || seen.has(number)) return [];
      seen.add(number);
      return [{ of, id, digest, inference: schema.safeParse(inference).data ?? null }];
    });
    yield { opened, images };
    if (rows.length < IMAGES_PER_BATCH) return;
    opened = [];
    after = elementAt(rows, -1).seq;
  }
}
