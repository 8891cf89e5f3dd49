import { counter, gauge, type Collect } from '@adit/runtime';

export const streams = (collect: Collect<'state'>) =>
  gauge(
    'adit_streams',
    'Live streams by state: read by a recorder, waiting for one, or held back by the limit of their workspace',
    ['state'],
    collect,
  );

/** One value, since KEDA cannot add those of several series. */
export const streamsToRead = (collect: Collect<never>) =>
  gauge(
    'adit_streams_to_read',
    'Live streams that recorders read, or should: those that wait for one count as well',
    [],
    collect,
  );

export const streamsWaiting = (collect: Collect<never>) =>
  gauge('adit_streams_waiting_seconds', 'Age of the live stream that waits longest for a recorder', [], collect);

export const streamGaps = counter('adit_stream_gaps_total', 'Gaps in live streams', []);
