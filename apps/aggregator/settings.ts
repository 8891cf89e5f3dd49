import { DatasetSettings } from '@adit/datasets';
import { IndexSettings } from '@adit/indexes';
import { BaseConfig } from '@adit/runtime';
import { StorageSettings } from '@adit/storage';

/** Limits of stored results of jobs and imports, and of memory for searching them. */
export const AggregatorSettings = StorageSettings.extend({
  ...DatasetSettings.pick({ maxClasses: true, maxDatasetImages: true, trainingMemoryBytes: true }).shape,
  ...IndexSettings.pick({ maxIdentities: true, indexMemoryBytes: true }).shape,
  ...BaseConfig.pick({ dataDir: true }).shape,
});
export type AggregatorSettings = StorageSettings &
  Pick<DatasetSettings, 'maxClasses' | 'maxDatasetImages' | 'trainingMemoryBytes'> &
  Pick<IndexSettings, 'maxIdentities' | 'indexMemoryBytes'> &
  Pick<BaseConfig, 'dataDir'>;

/** Injection token of the AggregatorSettings. */
export const AGGREGATOR_SETTINGS = Symbol('AggregatorSettings');
