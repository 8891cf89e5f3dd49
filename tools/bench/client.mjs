// A client of one workspace: what the rows ask of an API, in one process or behind many.
import { setTimeout as sleep } from 'node:timers/promises';
import { timed } from './measure.mjs';

const ENDED = ['completed', 'failed', 'stopped'];

export class Client {
  #api;
  #key;

  /** `api` is the address down to its version. */
  constructor(api, key) {
    this.#api = api;
    this.#key = key;
  }

  get url() {
    return this.#api;
  }

  /** Any request with a body; answers the status. */
  async send(path, { body, type }) {
    const headers = { authorization: `Key ${this.#key}`, ...(type && { 'content-type': type }) };
    const reply = await fetch(`${this.#api}${path}`, { method: 'POST', headers, body });
    await reply.arrayBuffer();
    return reply.status;
  }

  /** Face recognition alone; see `ask`. */
  mine(sources, args = {}) {
    return this.ask(sources, { face_recognition: args });
  }

  /** Mines and waits; `seconds` are those from POST to completed. Throws when the job did not complete. */
  async ask(sources, modules) {
    const body = JSON.stringify({ sources, modules });
    const { seconds, value: job } = await timed(async () => {
      let last = await this.get('/jobs/', { method: 'POST', body });
      while (!ENDED.includes(last.state)) last = await this.get(`/jobs/${last.id}/`);
      return last;
    });
    if (job.state !== 'completed') throw new Error(`The job of ${sources[0]} ${job.state}: ${job.errors.join(' ')}`);
    return { id: job.id, seconds };
  }

  /** Posts a job and waits until it has ended, however; when nobody wants it any more, stops it. */
  async occupy(sources, modules, over) {
    const body = JSON.stringify({ sources, modules });
    let job = await this.get('/jobs/', { method: 'POST', body, wait: 0 });
    while (!ENDED.includes(job.state)) {
      if (over.aborted) await this.get(`/jobs/${job.id}/stop/`, { method: 'POST', wait: 0 }).catch(() => undefined);
      else await sleep(100);
      job = await this.get(`/jobs/${job.id}/`, { wait: 0 });
    }
    return job;
  }

  /** Posts a job whose end nobody waits for, such as that of a live stream. */
  begin(sources, modules, webhook) {
    return this.get('/jobs/', { method: 'POST', body: JSON.stringify({ sources, modules, webhook }), wait: 0 });
  }

  /** Stops a job and waits until it has ended. */
  async stop(id) {
    let job = await this.get(`/jobs/${id}/stop/`, { method: 'POST', wait: 0 });
    while (!ENDED.includes(job.state)) job = await this.get(`/jobs/${id}/`);
    return job;
  }

  /** A reply of the API as JSON; what waits for a job waits up to `wait` seconds. */
  async get(path, { wait = 60, ...init } = {}) {
    const headers = { authorization: `Key ${this.#key}` };
    if (wait > 0) headers.prefer = `wait=${wait}`;
    // A form names its own type, with what lies between its parts.
    if (typeof init.body === 'string') headers['content-type'] = 'application/json';
    const reply = await fetch(`${this.#api}${path}`, { ...init, headers });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${JSON.stringify(answer)}`);
    return answer;
  }
}
