import { counter, gauge, type Collect } from '@adit/runtime';

export const jobsEnded = counter('adit_jobs_ended_total', 'Jobs that ended', ['state']);

export const redispatched = counter('adit_redispatched_total', 'Work dispatched again after its lease ran out', [
  'kind',
]);

/** At most `adit_slots`. */
export const chunksInFlight = gauge('adit_chunks_in_flight', 'Chunks and sources that hold a concurrency slot', []);

/** `ADIT_MAX_CHUNKS_IN_FLIGHT`, or what live workers call for. */
export const slots = gauge('adit_slots', 'Concurrency slots of the installation', []);

export const jobs = (collect: Collect<'state'>) => gauge('adit_jobs', 'Jobs that have not ended', ['state'], collect);

export const outboxMessages = (collect: Collect<never>) =>
  gauge('adit_outbox_messages', 'Messages that wait to be handed to the bus', [], collect);

export const outboxAge = (collect: Collect<never>) =>
  gauge('adit_outbox_age_seconds', 'Age of the oldest message that waits to be handed to the bus', [], collect);
