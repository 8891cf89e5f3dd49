import { counter, gauge, histogram, secondsBetween, type Collect } from '@adit/runtime';

/** Messages whose handler resolved. */
export const messagesHandled = counter('adit_bus_messages_handled_total', 'Messages handled.', ['topic', 'group']);

export const messagesFailed = counter('adit_bus_messages_failed_total', 'Deliveries that failed.', [
  'topic',
  'group',
  'code',
]);

export const handlingSeconds = histogram(
  'adit_bus_handling_seconds',
  'Time a handler took, in seconds.',
  ['topic', 'group'],
  // From noting an event to decoding a chunk.
  secondsBetween(0.001, 500),
);

/** Look into `<topic>.dead-letters`. */
export const deadLetters = counter('adit_bus_dead_letters_total', 'Messages given up.', ['topic', 'group', 'code']);

export const busLag = (collect: Collect<'topic' | 'group'>) =>
  gauge('adit_bus_lag_messages', 'Messages accepted and not yet handled.', ['topic', 'group'], collect);
