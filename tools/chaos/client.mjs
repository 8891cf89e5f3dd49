// A client as the documentation asks for: it tries again what was refused for now, with the same Idempotency-Key.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const TERMINAL = ['completed', 'failed', 'stopped'];

export class ChaosClient {
  /** Replies that broke a promise: a 5xx that is no 503, a 503 without Retry-After. */
  violations = [];
  /** Requests that were answered 503, and that nobody answered. */
  refused = 0;
  unanswered = 0;

  constructor(url, key) {
    this.url = `${url}/api/v1`;
    this.headers = { authorization: `Key ${key}`, 'content-type': 'application/json' };
  }

  /** The job, however long it takes until it is accepted. */
  async submit(order, idempotencyKey) {
    const headers = { 'idempotency-key': idempotencyKey };
    return await this.#patient('POST', '/jobs/', { headers, body: JSON.stringify(order) });
  }

  async ended(id, deadline) {
    for (;;) {
      const job = await this.#patient('GET', `/jobs/${id}/`, { headers: { prefer: 'wait=10' } });
      if (TERMINAL.includes(job.state)) return job;
      if (Date.now() > deadline) return job;
    }
  }

  /** Number of the job's segments, how many of them differ from each other, and a digest over all of them in order. */
  async results(id) {
    const segments = [];
    for (let next = `/jobs/${id}/detailed-results/?limit=1000`; next !== null;) {
      const page = await this.#patient('GET', next);
      segments.push(...page.data.map((segment) => JSON.stringify(segment)));
      next = page.next;
    }
    const digest = createHash('sha256').update(segments.join('\n')).digest('hex');
    return { count: segments.length, distinct: new Set(segments).size, digest };
  }

  /** One request as it is answered now: its status, or null when nobody answers within `seconds`. */
  async probe(method, path, options = {}, seconds = 30) {
    try {
      const reply = await this.#send(method, path, options, seconds);
      await reply.arrayBuffer();
      return reply.status;
    } catch {
      return null;
    }
  }

  async #patient(method, path, options = {}) {
    for (;;) {
      let wait = 500;
      try {
        const reply = await this.#send(method, path, options, 40);
        if (reply.ok) return await reply.json();
        const problem = await reply.text();
        if (reply.status < 500 && reply.status !== 409 && reply.status !== 429) {
          throw Object.assign(new Error(`${method} ${path}: ${reply.status} ${problem}`), { final: true });
        }
        wait = Math.min(2_000, Number(reply.headers.get('retry-after') ?? 1) * 1000);
      } catch (error) {
        if (error.final) throw error;
        this.unanswered += 1;
      }
      await sleep(wait);
    }
  }

  async #send(method, path, { headers = {}, body } = {}, seconds) {
    const reply = await fetch(path.startsWith('http') ? path : `${this.url}${path}`, {
      method,
      headers: { ...this.headers, ...headers },
      body,
      signal: AbortSignal.timeout(seconds * 1000),
    });
    if (reply.status === 503) {
      this.refused += 1;
      if (!reply.headers.has('retry-after')) this.violations.push(`${method} ${path}: 503 without Retry-After`);
    } else if (reply.status >= 500) this.violations.push(`${method} ${path}: ${reply.status}`);
    return reply;
  }
}
