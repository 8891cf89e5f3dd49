// A client that follows the documentation: it repeats refused requests with the same Idempotency-Key.
import { setTimeout as sleep } from 'node:timers/promises';

const TERMINAL = ['completed', 'failed', 'stopped'];
/** Timeout of a request, which may wait for a job for 10 s. */
const HANGS_SECONDS = 150;

export class ChaosClient {
  /** Replies that broke a promise: a 5xx that is no 503, a 503 without Retry-After, a request that hangs. */
  violations = [];
  /** Ids of the jobs that were accepted. */
  accepted = new Set();
  /** Requests that were answered 503, and those that were not answered. */
  refused = 0;
  unanswered = 0;
  /** While a disk is full, 507 breaks no promise and is repeated as 503 is. */
  mayBeFull = false;

  constructor(url, key) {
    this.url = url;
    this.headers = { authorization: `Key ${key}`, 'content-type': 'application/json' };
  }

  /** The address of a path outside the API. */
  root(path) {
    return `${this.url}${path}`;
  }

  /** Posts a job until it is accepted. */
  async submit(order, idempotencyKey) {
    const headers = { 'idempotency-key': idempotencyKey };
    const job = await this.#patient('POST', '/jobs/', { headers, body: JSON.stringify(order) });
    this.accepted.add(job.id);
    return job;
  }

  /** Sends a POST until it is answered; the key lets it take effect once. */
  make(path, body, idempotencyKey) {
    return this.#patient('POST', path, { headers: { 'idempotency-key': idempotencyKey }, body: JSON.stringify(body) });
  }

  /** Sends a GET until it is answered. */
  get(path) {
    return this.#patient('GET', path);
  }

  /** Uploads a file while nothing breaks; answers its address. */
  async upload(name, type, bytes) {
    const body = new FormData();
    body.append('file', new Blob([bytes], { type }), name);
    const options = { headers: { 'content-type': undefined }, body };
    const { status, text } = await this.probe('POST', `/storage/?folder=/&name=${name}`, options);
    if (status !== 200) throw new Error(`The upload of ${name} was answered ${status}: ${text}`);
    return JSON.parse(text).url;
  }

  /** Acts on a job until that is answered; a refusal by a job that has ended or is gone is fine. */
  async act(method, path, idempotencyKey) {
    const headers = { 'content-type': undefined, 'idempotency-key': idempotencyKey };
    await this.#patient(method, path, { headers, gone: null, ended: null });
  }

  /** Waits for the end of a job; the state is `gone` when it was deleted or has expired. */
  async ended(id, deadline) {
    for (;;) {
      const job = await this.#patient('GET', `/jobs/${id}/`, {
        headers: { prefer: 'wait=10' },
        gone: { state: 'gone' },
      });
      if (job.state === 'gone') return job;
      if (TERMINAL.includes(job.state)) return job;
      if (Date.now() > deadline) return job;
    }
  }

  /** The people in the job's segments, each once, in the order of names. */
  async people(id) {
    const { data } = await this.#patient('GET', `/jobs/${id}/detailed-results/?limit=1000`);
    return [...new Set(data.map(({ meta }) => meta.person))].sort();
  }

  /** The job's segments: their number, the number of distinct ones, and comparable lines. */
  async results(id) {
    const segments = [];
    for (let next = `/jobs/${id}/detailed-results/?limit=1000`; next !== null;) {
      const page = await this.#patient('GET', next);
      segments.push(...page.data);
      next = page.next;
    }
    const lines = comparable(segments);
    return { count: segments.length, distinct: new Set(lines).size, lines };
  }

  /** Sends one request once; the status is null without an answer within `seconds`. */
  async probe(method, path, options = {}, seconds = HANGS_SECONDS) {
    try {
      const reply = await this.#send(method, path, options, seconds);
      return { status: reply.status, text: await reply.text() };
    } catch (error) {
      return { status: null, text: `${error.message} ${error.cause?.message ?? ''}` };
    }
  }

  async #patient(method, path, options = {}) {
    for (;;) {
      let wait = 500;
      try {
        const reply = await this.#send(method, path, options, HANGS_SECONDS);
        if (reply.ok) return reply.status === 204 ? null : await reply.json();
        if (reply.status === 404 && 'gone' in options) return options.gone;
        // Retry-After says that the first request of this key is still running.
        if (reply.status === 409 && 'ended' in options && !reply.headers.has('retry-after')) return options.ended;
        const problem = await reply.text();
        const isOver = reply.status === 409 && !reply.headers.has('retry-after');
        if (isOver || (reply.status < 500 && reply.status !== 409 && reply.status !== 429)) {
          throw Object.assign(new Error(`${method} ${path}: ${reply.status} ${problem}`), { final: true });
        }
        wait = Math.min(2_000, Number(reply.headers.get('retry-after') ?? 1) * 1000);
      } catch (error) {
        if (error.final) throw error;
        if (error.name === 'TimeoutError') this.violations.push(`${method} ${path}: no answer in ${HANGS_SECONDS} s`);
        this.unanswered += 1;
      }
      await sleep(wait);
    }
  }

  async #send(method, path, { headers = {}, body } = {}, seconds) {
    const all = Object.entries({ ...this.headers, ...headers }).filter(([, value]) => value !== undefined);
    const reply = await fetch(path.startsWith('http') ? path : `${this.url}/api/v1${path}`, {
      method,
      headers: Object.fromEntries(all),
      body,
      signal: AbortSignal.timeout(seconds * 1000),
    });
    if (reply.status === 503) {
      this.refused += 1;
      if (!reply.headers.has('retry-after')) this.violations.push(`${method} ${path}: 503 without Retry-After`);
    } else if (reply.status >= 500 && !(reply.status === 507 && this.mayBeFull)) {
      this.violations.push(`${method} ${path}: ${reply.status} ${await reply.clone().text()}`);
    }
    return reply;
  }
}

/** Evens out what may differ: films and modules of one job end in any order, which numbers the unknown people. */
function comparable(segments) {
  const parts = new Map();
  for (const segment of segments) {
    const part = `${segment.source} ${segment.module}`;
    parts.set(part, [...(parts.get(part) ?? []), segment]);
  }
  const ordered = [...parts.keys()].sort().flatMap((part) => parts.get(part));
  const numbers = new Map();
  return ordered.map((segment) =>
    JSON.stringify(segment).replace(/Unknown #\d+/g, (name) => {
      if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
      return `Unknown #${numbers.get(name)}`;
    }),
  );
}
