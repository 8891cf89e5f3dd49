import { counter, gauge, histogram, secondsBetween, type Collect } from '@adit/runtime';

export const chunksAnalysed = counter('adit_chunks_analysed_total', 'Analyses of chunks that ended', ['outcome']);

export const usedSeconds = counter(
  'adit_used_seconds_total',
  'Seconds of analyses whose outcome was recorded: media (its length), wall, cpu and gpu (runs of models)',
  ['kind'],
);

export const foldSeconds = histogram(
  'adit_fold_seconds',
  'Time to fold the chunks that were ready',
  ['module'],
  secondsBetween(0.001, 50),
);

export const diskBytes = (collect: Collect<'kind'>) =>
  gauge('adit_disk_bytes', 'Disk use of the installation, as measured last', ['kind'], collect);
