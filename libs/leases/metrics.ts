import { counter, gauge, type Collect } from '@adit/runtime';

export const triesPostponed = counter('adit_tries_postponed_total', 'Attempts put off because a dependency was away', [
  'work',
]);

export const leasesLost = counter(
  'adit_leases_lost_total',
  'Attempts stopped because another process took over or nobody waits',
  ['work'],
);

/** Exports, reports, imports, trainings, images. */
export const tasks = (collect: Collect<'task' | 'state'>) =>
  gauge('adit_tasks', 'Tasks that somebody could begin now, and those that are worked on', ['task', 'state'], collect);

/** KEDA scales by them. */
export const datasetImages = (collect: Collect<'family'>) =>
  gauge(
    'adit_dataset_images',
    'Images of datasets that the inference of a family has still to look at, or looks at',
    ['family'],
    collect,
  );
