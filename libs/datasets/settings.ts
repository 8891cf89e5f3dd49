import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Quotas of a workspace's datasets. */
export const DatasetSettings = z.object({
  maxDatasets: setting(
    'ADIT_MAX_DATASETS',
    z.int().positive().max(1_000_000).default(1_000),
    'Datasets that one workspace may have.',
  ),
  maxClasses: setting(
    'ADIT_MAX_CLASSES',
    z.int().positive().max(10_000_000).default(100_000),
    'Classes that one dataset may have.',
  ),
  maxDatasetImages: setting(
    'ADIT_MAX_DATASET_IMAGES',
    z.int().positive().max(100_000_000).default(1_000_000),
    'Images that the classes of one dataset may have together; a class may have 10,000.',
  ),
  trainingMemoryBytes: setting(
    'ADIT_TRAINING_MEMORY_BYTES',
    z
      .int()
      .min(2 ** 28)
      .default(2 ** 29),
    'Memory of the process that a training has for itself, beside its aggregator; a training that would take more is refused. By default some 85,000 photos of 28,000 people, or 43,000 photos of landmarks.',
  ),
});
export type DatasetSettings = z.infer<typeof DatasetSettings>;
