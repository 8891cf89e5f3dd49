import { AditError } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** SQL: true for a class (`c`) that a training uses. */
export const TRAINED_CLASS = `c.time_deleted IS NULL AND c.active AND (c.expiration_date IS NULL OR c.expiration_date > now())`;

/**
 * Bytes of a training process beside its data, as the kernel counts them: Node, stacks of threads, and uncollected
 * garbage.
 */
const BASE_BYTES = 192 * 2 ** 20;
/** Bytes per image beside its vector. */
const IMAGE_BYTES = 512;
/** Vectors per class beside those of its images: its mean, and that of a trial. */
const CLASS_VECTORS = 2;

/** Images and classes of a dataset that a training would use now. */
interface TrainedCounts {
  images: number;
  classes: number;
}

/** Returns the bytes that a training needs for that many images, classes and dimensions. */
export function trainingBytes({ images, classes }: TrainedCounts, dimensions: number): number {
  return BASE_BYTES + images * IMAGE_BYTES + (images + CLASS_VECTORS * classes) * dimensions * 4;
}

/**
 * Returns the size of a dataset's training. Throws VALIDATION, with the number, when it needs more memory than there
 * is.
 */
export async function trainedCounts(
  manager: Pick<EntityManager, 'query'>,
  { datasetId, dimensions, memoryBytes }: { datasetId: string; dimensions: number; memoryBytes: number },
): Promise<TrainedCounts> {
  const [counts = { images: 0, classes: 0 }]: TrainedCounts[] = await manager.query(
    `SELECT coalesce(sum(c.active_images), 0)::int AS images, count(*)::int AS classes FROM dataset_classes c
      WHERE c.dataset_id = $1 AND c.active_images > 0 AND ${TRAINED_CLASS}`,
    [datasetId],
  );
  const bytes = trainingBytes(counts, dimensions);
  if (bytes <= memoryBytes) return counts;
  const { images, classes } = counts;
  const mebibytes = (of: number): number => Math.ceil(of / 2 ** 20);
  const message =
    `A training of ${images} images of ${classes} classes takes ${mebibytes(bytes)} MiB of memory, and may take ` +
    `${mebibytes(memoryBytes)} MiB (ADIT_TRAINING_MEMORY_BYTES). Make some of them inactive, or train them in several datasets.`;
  throw new AditError('VALIDATION', message, {
    errors: [{ pointer: '/source_dataset_id', code: 'too_many_images', message }],
  });
}
