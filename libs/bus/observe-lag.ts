import { busLag } from './metrics.js';
import type { Bus } from './port.js';

const observed = new Set<Bus>();

/** Adds the bus's lag to the metrics page until the returned function is called. */
export function observeLag(bus: Bus): () => void {
  observed.add(bus);
  busLag(async (lag) => {
    lag.reset();
    // A bus that is away says nothing of its lag; the page still has everything else.
    const lags = await Promise.all([...observed].map((one) => one.lag().catch(() => [])));
    for (const { topic, group, messages } of lags.flat()) {
      lag.inc({ topic, group }, messages);
    }
  });
  return () => observed.delete(bus);
}
