import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The process's metrics; the gateway and each worker answer /metrics from it, and tools/bench reads it. */
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

/** Sets a gauge when the page is asked for. */
export type Collect<L extends string = string> = (gauge: Gauge<L>) => void | Promise<void>;

const collectors = new WeakMap<object, () => unknown>();

/**
 * A gauge, set by hand or, with `collect`, read when the page is asked for; of several `collect` of a name the last is
 * asked, since what the others asked may be closed. One that fails leaves no value: none of any label, or NaN.
 */
export function gauge<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[] = [],
  collect?: Collect<L>,
): Gauge<L> {
  const made = existing(name, Gauge<L>) ?? newGauge(name, help, labelNames);
  if (collect) collectors.set(made, () => collect(made));
  return made;
}

function newGauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
  return new Gauge<L>({
    name,
    help,
    labelNames,
    registers: [metrics],
    async collect() {
      try {
        await collectors.get(this)?.();
      } catch {
        // A gauge that cannot be read, for example without the database, must not fail the whole page.
        this.reset();
        if (labelNames.length === 0) this.set(NaN);
      }
    },
  });
}

/**
 * Buckets in seconds for what takes between `from` and `to`: 1, 2.5 and 5 of each power of ten, so that a quantile is read to
 * about a factor of two wherever it lies.
 */
export function secondsBetween(from: number, to: number): number[] {
  const buckets: number[] = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power += 1) {
    for (const step of [1, 2.5, 5]) {
      const bucket = Number(`${step}e${power}`);
      if (bucket >= from && bucket <= to) buckets.push(bucket);
    }
  }
  return buckets;
}

/** A histogram over buckets that fit what it measures; the same name gives the same one. */
export function histogram<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  buckets: number[],
): Histogram<L> {
  return existing(name, Histogram<L>) ?? new Histogram({ name, help, labelNames, buckets, registers: [metrics] });
}

/** What a metric of this process says now, by labels; empty where there is no such metric. */
export async function metricValues(name: string): Promise<{ labels: Record<string, string>; value: number }[]> {
  const { values } = (await metrics.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.map(({ labels, value }) => ({
    labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
    value,
  }));
}

function existing<M>(name: string, type: new (...args: never[]) => M): M | undefined {
  const found: unknown = metrics.getSingleMetric(name);
  if (found === undefined) return undefined;
  if (found instanceof type) return found;
  throw new TypeError(`The metric ${name} exists already and is no ${type.name}.`);
}
