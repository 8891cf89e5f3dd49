import { AditError } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** Of a class (`c`) that a training takes. */
export const TRAINED_CLASS = `c.time_deleted IS NULL AND c.active AND (c.expiration_date IS NULL OR c.expiration_date > now())`;

/** Of the process of a training beside what it holds, as the kernel counts it: Node, stacks of threads, and what is not collected yet. */
const BASE_BYTES = 192 * 2 ** 20;
/** Of an image beside the values of its vector. */
const IMAGE_BYTES = 512;
/** Vectors of a class beside those of its images: its mean, and that of a trial. */
const CLASS_VECTORS = 2;

/** Images and classes of a dataset that a training would take now. */
interface TrainedCounts {
  images: number;
  classes: number;
}

/** Memory that a training of so many images takes whose vectors have so many values. */
export function trainingBytes({ images, classes }: TrainedCounts, dimensions: number): number {
  return BASE_BYTES + images * IMAGE_BYTES + (images + CLASS_VECTORS * classes) * dimensions * 4;
}

/** What a training of a dataset would take. Throws VALIDATION, with the number, when that is more memory than there is for one. */
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
