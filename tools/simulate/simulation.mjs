// One simulated installation with a long queue, and what is measured of it.
import { JobSettings } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { configureLogging } from '@adit/runtime';
import { Analyser, Decoder, SimulatedBus, startAggregator } from './cluster.mjs';
import { openSimulated } from './database.mjs';
import { MemoryStore } from './memory-store.mjs';
import { heavyTailed, logNormal, numbers } from './random.mjs';
import { VirtualTime } from './virtual-time.mjs';
import { newWorkspace, post, queue } from './workload.mjs';

/** Chunks of a job, and seconds of the work on one. */
const CHUNKS = { least: 3, most: 400, alpha: 1.2 };
export const ANALYSIS = { median: 8, p99: 60 };
const DECODING = { median: 0.8, p99: 6 };
const FETCH_SECONDS = 2;
/** Decoders are no bottleneck: four chunks at once each, and a third of all processes that are needed. */
const DECODER_SLOTS = 4;
const ANALYSERS_PER_DECODER = 12;
const ANALYSERS_PER_AGGREGATOR = 125;

export class Simulation {
  time = new VirtualTime();
  /** Seconds of analyses that ended, by job; when the first of a job began. */
  #spent = new Map();
  #begun = new Map();
  /** Analyses that ended. */
  chunks = 0;

  /** @param {{ workers: number, workspaces: number, jobs: number, takesWaiting?: boolean }} size */
  static async open(url, size) {
    configureLogging({ level: 'error', format: 'json' });
    const simulation = new Simulation();
    await simulation.#fill(url, size);
    await simulation.#start(size);
    return simulation;
  }

  async #fill(url, { workers, workspaces, jobs }) {
    this.jobs = jobs;
    this.database = await openSimulated(url, this.time);
    this.db = this.database.dataSource;
    this.random = numbers(1);
    this.parts = {
      db: this.db,
      objects: new MemoryStore(),
      settings: JobSettings.parse({}),
      bus: new SimulatedBus(2 * workers),
    };
    this.outbox = new OutboxRelay(this.db, this.parts.bus);
    const chunks = heavyTailed(this.random, CHUNKS);
    const each = Math.ceil(jobs / workspaces);
    for (let at = 0; at < workspaces && jobs > 0; at += 1) await this.#queue(each, chunks);
    await this.outbox.idle();
    await this.db.query('VACUUM ANALYZE');
  }

  async #queue(jobs, chunks) {
    const workspace = await newWorkspace(this.db);
    const first = await post({ outbox: this.outbox, objects: this.parts.objects }, workspace, chunks());
    await queue(this.db, first, Array.from({ length: jobs - 1 }, chunks));
  }

  async #start({ workers, takesWaiting = true }) {
    this.time.start();
    await this.database.begin();
    const seconds = logNormal(this.random, ANALYSIS);
    const decode = logNormal(this.random, DECODING);
    const watch = { begun: (jobId) => this.#begin(jobId), ended: (jobId, spent) => this.#end(jobId, spent) };
    this.newAnalyser = () => new Analyser(this.parts, { seconds, watch, takesWaiting });
    this.analysers = Array.from({ length: workers }, this.newAnalyser);
    const decoders = Array.from(
      { length: Math.ceil(workers / ANALYSERS_PER_DECODER) },
      () => new Decoder(this.parts, { slots: DECODER_SLOTS, seconds: { fetch: () => FETCH_SECONDS, decode } }),
    );
    const aggregators = Math.max(1, Math.ceil(workers / ANALYSERS_PER_AGGREGATOR));
    this.processes = workers + decoders.length + aggregators;
    await this.during(async () => {
      for (const each of [...this.analysers, ...decoders]) await each.start();
      for (let at = 0; at < aggregators; at += 1) await startAggregator(this.parts);
    });
  }

  #begin(jobId) {
    if (!this.#begun.has(jobId)) this.#begun.set(jobId, this.time.now);
  }

  #end(jobId, spent) {
    this.chunks += 1;
    this.#spent.set(jobId, (this.#spent.get(jobId) ?? 0) + spent);
  }

  /** Lets time pass until the work is done, and returns its result. */
  async during(work) {
    let outcome = null;
    work().then(
      (value) => (outcome = { value }),
      (error) => (outcome = { error }),
    );
    await this.time.run(() => outcome !== null);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Lets so many seconds pass. */
  async pass(seconds) {
    const until = this.time.now + seconds * 1000;
    await this.time.run(() => this.time.now >= until);
  }

  /** Statements of each process in a minute, of so many. */
  async statementsOfProcess(minutes) {
    const { statements } = this.database;
    await this.pass(minutes * 60);
    return (this.database.statements - statements) / this.processes / minutes;
  }

  /** What happened in so many seconds. */
  async measure(seconds) {
    const { database } = this;
    const before = { busy: this.#busyMs, chunks: this.chunks, spent: new Map(this.#spent) };
    const { statements, scheduling, busyMs } = database;
    const began = process.hrtime.bigint();
    await this.pass(seconds);
    const chunks = this.chunks - before.chunks;
    return {
      chunks,
      utilisation: (this.#busyMs - before.busy) / (this.analysers.length * seconds * 1000),
      fairness: await this.#fairness(before.spent),
      statements: (database.statements - statements) / chunks,
      scheduling: (database.scheduling - scheduling) / chunks,
      databaseMs: (database.busyMs - busyMs) / chunks,
      realSeconds: Number(process.hrtime.bigint() - began) / 1e9,
    };
  }

  get #busyMs() {
    return this.analysers.reduce((sum, { busyMs }) => sum + busyMs, 0);
  }

  /** Jain's index over the seconds that workspaces with a queue were given: 1 where all got the same. */
  async #fairness(before) {
    const spent = [...this.#spent].map(([jobId, seconds]) => [jobId, seconds - (before.get(jobId) ?? 0)]);
    const rows = await this.database.apart(
      `SELECT coalesce(sum(s.seconds), 0)::float8 AS seconds FROM (SELECT DISTINCT workspace_id AS id FROM jobs WHERE state = 'waiting') w
         LEFT JOIN (jobs j JOIN jsonb_to_recordset($1::jsonb) AS s (id uuid, seconds float8) ON s.id = j.id)
                ON j.workspace_id = w.id GROUP BY w.id`,
      [JSON.stringify(spent.map(([id, seconds]) => ({ id, seconds })))],
    );
    const shares = rows.map(({ seconds }) => seconds);
    const sum = shares.reduce((total, share) => total + share, 0);
    return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
  }

  /** Seconds until a job of a new workspace is first worked on; Infinity where that takes more than `most`. */
  async firstChunk(most) {
    const posted = this.time.now;
    const jobId = await this.during(async () => {
      const workspace = await newWorkspace(this.db);
      return post({ outbox: this.outbox, objects: this.parts.objects }, workspace, 5);
    });
    await this.time.run(() => this.#begun.has(jobId) || this.time.now > posted + most * 1000);
    return ((this.#begun.get(jobId) ?? Infinity) - posted) / 1000;
  }

  /** Completed jobs with an error, or with more or fewer segments than chunks: one for each. */
  wrongJobs() {
    return this.database.apart(
      `SELECT j.id FROM jobs j
        WHERE j.state IN ('completed', 'failed') AND (j.state = 'failed' OR j.errors <> '[]' OR j.segment_count <>
              (SELECT count(*) FROM chunks c WHERE c.job_id = j.id))`,
    );
  }

  close() {
    return this.database.close();
  }
}
