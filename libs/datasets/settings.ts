import { setting } from '@adit/runtime';
import { z } from 'zod';

/** How much the datasets of a workspace may hold. */
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
});
export type DatasetSettings = z.infer<typeof DatasetSettings>;
