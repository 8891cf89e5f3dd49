import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The process's metrics; the gateway and each worker answer /metrics from it. */
export const metrics = new Registry();

let defaultsCollected = false;

/** Adds memory, CPU, event loop and garbage collection of this process. Any number of calls adds them once. */
export function collectProcessMetrics(): void {
  if (defaultsCollected) return;
  defaultsCollected = true;
  collectDefaultMetrics({ register: metrics });
}

/** The Prometheus text format and its content type. */
export async function metricsPage(): Promise<{ contentType: string; body: string }> {
  return { contentType: metrics.contentType, body: await metrics.metrics() };
}

/** A counter; the same name gives the same one. Names: `adit_<part>_<what>_total`. */
export function counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
  return existing(name, Counter<L>) ?? new Counter({ name, help, labelNames, registers: [metrics] });
}

/** A gauge, set by hand or, with `collect`, read when the page is asked for; the first `collect` of a name stays. */
export function gauge<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[] = [],
  collect?: (gauge: Gauge<L>) => void | Promise<void>,
): Gauge<L> {
  const found = existing(name, Gauge<L>);
  if (found !== undefined) return found;
  return new Gauge<L>({
    name,
    help,
    labelNames,
    registers: [metrics],
    ...(collect && {
      collect() {
        return collect(this);
      },
    }),
  });
}

/** From 5 ms to 5 minutes, for work that is a photo's inference at one end and a chunk's decode at the other. */
export const DURATION_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** A histogram, of seconds unless the name says otherwise; the same name gives the same one. */
export function histogram<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[] = [],
  buckets: number[] = DURATION_BUCKETS,
): Histogram<L> {
  return existing(name, Histogram<L>) ?? new Histogram({ name, help, labelNames, buckets, registers: [metrics] });
}

function existing<M>(name: string, type: new (...args: never[]) => M): M | undefined {
  const found: unknown = metrics.getSingleMetric(name);
  if (found === undefined) return undefined;
  if (found instanceof type) return found;
  throw new TypeError(`The metric ${name} exists already and is no ${type.name}.`);
}
