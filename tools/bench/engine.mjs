// The engine under test as the rows see it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.mjs';
import { Client } from './client.mjs';
import { difference } from './measure.mjs';

const API_KEY = 'the-key-of-the-benchmark';

export class Engine extends Client {
  #child;
  #folder;

  /**
   * Boots it over a fresh data folder; jobs may read from `localRoots`. `prepare` gets the folder of models that it will look into;
   * `settings` are more of those that an engine has.
   */
  static async start(localRoots, execArgv = [], prepare = () => undefined, settings = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'adit-bench-'));
    await prepare(join(folder, 'data/models'));
    const args = [join(folder, 'data'), API_KEY, ...localRoots];
    const child = new Child(join(import.meta.dirname, 'engine-process.mjs'), {
      ...{ args, execArgv },
      env: { ...process.env, ADIT_BENCH_SETTINGS: JSON.stringify(settings) },
    });
    const engine = new Engine(`${await child.ask('url')}/api/v1`, API_KEY);
    engine.#child = child;
    engine.#folder = folder;
    return engine;
  }

  get pid() {
    return this.#child.pid;
  }

  /** A client of another workspace; its key has the role of a member unless told otherwise. */
  async neighbour(role = 'member') {
    return new Client(this.url, await this.#child.ask('neighbour', { role }));
  }

  /** Mines and counts what it took: runs by model, chunks decoded. */
  mineCounted(sources, args) {
    return this.askCounted(sources, { face_recognition: args });
  }

  /** The same for what a client asks, this one or a neighbour. */
  async askCounted(sources, modules, client = this) {
    const before = await this.#child.ask('counters');
    const job = await client.ask(sources, modules);
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
