// Load from this process: as many requests at a time as asked for, each sent as soon as the one before is answered.
import { Client } from 'undici';
import { percentile } from './measure.mjs';

/**
 * Calls `work(worker)` from `workers` loops for `seconds`. Answers how many a second ended, and percentiles of their times
 * in milliseconds.
 */
export async function load(workers, seconds, work) {
  const times = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let began = performance.now(); began < end;) {
        await work(worker);
        const now = performance.now();
        times.push(now - began);
        began = now;
      }
    }),
  );
  const took = (performance.now() - start) / 1000;
  return { rate: times.length / took, p50: percentile(times, 0.5), p99: percentile(times, 0.99), count: times.length };
}

/** One kept connection for each worker; a reply that is no success is an error. */
export class HttpLoad {
  #clients;

  constructor(url, workers) {
    this.#clients = Array.from({ length: workers }, () => new Client(url));
  }

  /** Answers the reply's text. */
  async send(worker, { path, method = 'GET', headers, body }) {
    const reply = await this.#clients[worker].request({ path, method, headers, body });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    return text;
  }

  async close() {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
