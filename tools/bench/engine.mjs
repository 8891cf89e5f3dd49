// The engine under test as the rows see it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.mjs';
import { difference, timed } from './measure.mjs';

const API_KEY = 'the-key-of-the-benchmark';
const ENDED = ['completed', 'failed', 'stopped'];

export class Engine {
  #child;
  #folder;
  #api;
  #key = API_KEY;

  /** Boots it over a fresh data folder; jobs may read from `localRoots`. */
  static async start(localRoots, execArgv = []) {
    const engine = new Engine();
    engine.#folder = await mkdtemp(join(tmpdir(), 'adit-bench-'));
    const args = [join(engine.#folder, 'data'), API_KEY, ...localRoots];
    engine.#child = new Child(join(import.meta.dirname, 'engine-process.mjs'), { args, execArgv });
    engine.#api = `${await engine.#child.ask('url')}/api/v1`;
    return engine;
  }

  get url() {
    return this.#api;
  }

  /** The same engine as a client of another workspace has it; it need not be closed. */
  async neighbour() {
    const other = new Engine();
    other.#api = this.#api;
    other.#key = await this.#child.ask('neighbour');
    return other;
  }

  /** Any request; answers the status. */
  async send(path, { body, type }) {
    const headers = { authorization: `Key ${this.#key}`, ...(type && { 'content-type': type }) };
    const reply = await fetch(`${this.#api}${path}`, { method: 'POST', headers, body });
    await reply.arrayBuffer();
    return reply.status;
  }

  get pid() {
    return this.#child.pid;
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

  /** A reply of the API as JSON; what waits for a job waits up to a minute. */
  async get(path, init = {}) {
    const headers = { authorization: `Key ${this.#key}`, prefer: 'wait=60' };
    if (init.body !== undefined) headers['content-type'] = 'application/json';
    const reply = await fetch(`${this.#api}${path}`, { ...init, headers });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Mines and counts what it took: runs by model, chunks decoded. */
  mineCounted(sources, args) {
    return this.askCounted(sources, { face_recognition: args });
  }

  async askCounted(sources, modules) {
    const before = await this.#child.ask('counters');
    const job = await this.ask(sources, modules);
    const after = await this.#child.ask('counters');
    return { ...job, runs: difference(before.models, after.models), decoded: after.decoded - before.decoded };
  }

  lookedAt(id) {
    return this.#child.ask('lookedAt', { id });
  }

  fillPages(id, count) {
    return this.#child.ask('fillPages', { id, count });
  }

  async close() {
    await this.#child.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
