import { counter, gauge, histogram, secondsBetween } from '@adit/runtime';
import type { Bus } from './port.js';

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

export const deadLetters = counter('adit_bus_dead_letters_total', 'Messages given up.', ['topic', 'group', 'code']);

const observed = new Set<Bus>();

/** Adds the bus's lag to the metrics page until the returned function is called. */
export function observeLag(bus: Bus): () => void {
  observed.add(bus);
  gauge('adit_bus_lag_messages', 'Messages accepted and not yet handled.', ['topic', 'group'], async (lag) => {
    lag.reset();
    // A bus that is away says nothing of its lag; the page still has everything else.
    const lags = await Promise.all([...observed].map((one) => one.lag().catch(() => [])));
    for (const { topic, group, messages } of lags.flat()) {
      lag.inc({ topic, group }, messages);
    }
  });
  return () => observed.delete(bus);
}
