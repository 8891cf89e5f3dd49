import { gauge, histogram, secondsBetween } from '@adit/runtime';

export const decodeSeconds = histogram(
  'adit_decode_seconds',
  'Time to decode one chunk and store its frame packs',
  ['kind'],
  secondsBetween(0.01, 500),
);

export const admittedBytes = gauge(
  'adit_decode_admitted_bytes',
  'Memory that the decoding under way is estimated to take',
);

export const workBytes = gauge(
  'adit_work_bytes',
  'Bytes of fetched sources and frames on local disk, looked at every ten minutes',
);
