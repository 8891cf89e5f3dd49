// The engine under test as the rows see it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.mjs';
import { difference } from './measure.mjs';

export class Engine {
  #child;
  #folder;

  /** Boots it over a fresh data folder; jobs may read from `localRoots`. */
  static async start(localRoots, execArgv = []) {
    const engine = new Engine();
    engine.#folder = await mkdtemp(join(tmpdir(), 'adit-bench-'));
    const args = [join(engine.#folder, 'data'), ...localRoots];
    engine.#child = new Child(join(import.meta.dirname, 'engine-process.mjs'), { args, execArgv });
    await engine.#child.ask('ready');
    return engine;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Mines and waits; throws when the job did not complete. */
  async mine(mediaType, sources, args = {}) {
    const job = await this.#child.ask('mine', { mediaType, sources, args });
    if (job.state !== 'completed') throw new Error(`The job of ${sources[0]} ${job.state}: ${job.errors.join(' ')}`);
    return job;
  }

  /** Mines and counts what it took: runs by model, chunks decoded. */
  async mineCounted(mediaType, sources, args) {
    const before = await this.#child.ask('counters');
    const job = await this.mine(mediaType, sources, args);
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
