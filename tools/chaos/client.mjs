// A client as the documentation asks for: it tries again what was refused for now, with the same Idempotency-Key.
import { setTimeout as sleep } from 'node:timers/promises';

const TERMINAL = ['completed', 'failed', 'stopped'];
/** Of a request that may wait for a job for 10 s. */
const HANGS_SECONDS = 150;

export class ChaosClient {
  /** Replies that broke a promise: a 5xx that is no 503, a 503 without Retry-After, a request that hangs. */
  violations = [];
  /** Ids of the jobs that were accepted. */
  accepted = new Set();
  /** Requests that were answered 503, and that nobody answered. */
  refused = 0;
  unanswered = 0;
  /** Something has no room: 507 breaks no promise, and is asked again as 503 is. */
  mayBeFull = false;

  constructor(url, key) {
    this.url = url;
    this.headers = { authorization: `Key ${key}`, 'content-type': 'application/json' };
  }

  /** Address of a path outside of the API. */
  root(path) {
    return `${this.url}${path}`;
  }

  /** The job, however long it takes until it is accepted. */
  async submit(order, idempotencyKey) {
    const headers = { 'idempotency-key': idempotencyKey };
    const job = await this.#patient('POST', '/jobs/', { headers, body: JSON.stringify(order) });
    this.accepted.add(job.id);
    return job;
  }

  /** What a POST makes, once, however long it takes until it is answered. */
  make(path, body, idempotencyKey) {
    return this.#patient('POST', path, { headers: { 'idempotency-key': idempotencyKey }, body: JSON.stringify(body) });
  }

  /** What a path answers, however long it takes. */
  get(path) {
    return this.#patient('GET', path);
  }

  /** The address of a file that is put into the storage while nothing breaks. */
  async upload(name, type, bytes) {
    const body = new FormData();
    body.append('file', new Blob([bytes], { type }), name);
    const options = { headers: { 'content-type': undefined }, body };
    const { status, text } = await this.probe('POST', `/storage/?folder=/&name=${name}`, options);
    if (status !== 200) throw new Error(`The upload of ${name} was answered ${status}: ${text}`);
    return JSON.parse(text).url;
  }

  /** Something done to a job, once, however often it takes to be heard; a job that has ended or is gone says no, which is fine. */
  async act(method, path, idempotencyKey) {
    const headers = { 'content-type': undefined, 'idempotency-key': idempotencyKey };
    await this.#patient(method, path, { headers, gone: null, ended: null });
  }

  /** The job when it has ended; its state is `gone` when it was deleted or has expired. */
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

  /** Who is in the job's segments, each once, by name. */
  async people(id) {
    const { data } = await this.#patient('GET', `/jobs/${id}/detailed-results/?limit=1000`);
    return [...new Set(data.map(({ meta }) => meta.person))].sort();
  }

  /** Number of the job's segments, how many of them differ from each other, and all of them as comparable lines. */
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

  /** One request as it is answered now; its status is null when nobody answers within `seconds`. */
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
        // With Retry-After it is the first request of this key that is still under way.
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

/** Films and modules of one job end in any order, and who is seen first gets the lower number; all else has to be the same. */
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
