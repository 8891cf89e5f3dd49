// The processes of an installation. Scheduling, claims, leases, outbox, relays and folds are the project's own code; for
// media, models and objects, simulated time passes.
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorModule } from '@adit/aggregator';
import { AditError } from '@adit/contracts';
import { BUS, BusContext, BusServer, InProcessBus } from '@adit/bus';
import { ChunkHandler, SourceHandler } from '@adit/decoder';
import { AnalysisRegistry, AnalysisRunner, ModelRepository } from '@adit/inference';
import { AnalysisQueue, AnalysisWorker } from '@adit/inference-service';
import { JobsModule, noteMedia } from '@adit/jobs';
import { WorkerSlots } from '@adit/leases';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE } from '@adit/objects';
import { OutboxRelay, SELDOM_POLL_MS } from '@adit/outbox';
import { NestFactory } from '@nestjs/core';
import { analyses, module } from './analysis.mjs';
import { filmOf } from './films.mjs';

/** Milliseconds after which Kafka gives the partitions of a member that has died to others. */
const SESSION_MS = 10_000;

/** Does nothing for what is not simulated. */
const canaries = {
  refresh: () => Promise.resolve(),
  keep: () => Promise.resolve(),
  add: () => undefined,
  yieldToSuspect: () => Promise.resolve(),
};

/**
 * @typedef {object} Parts Shared by all processes.
 * @property {import('typeorm').DataSource} db
 * @property {SimulatedBus} bus
 * @property {object} objects
 * @property {object} settings JobSettings.
 */

/** A bus with the semantics of Kafka, which takes no messages while it is away. */
export class SimulatedBus extends InProcessBus {
  isAway = false;

  constructor(partitions) {
    super({ partitions, capacity: 1e9, closeGraceMs: 0 });
  }

  async publish(messages) {
    if (this.isAway) throw new AditError('UNAVAILABLE', 'The bus is away.');
    return super.publish(messages);
  }
}

/** Starts an aggregator, which schedules, folds and completes jobs, with all of its other tasks. */
export async function startAggregator({ db, bus, objects, settings }) {
  class Platform {}
  const DataSource = Object.getPrototypeOf(db.constructor);
  const ports = [
    // What a process knows of its database is its own.
    { provide: DataSource, useValue: Object.create(db) },
    { provide: OBJECT_STORE, useValue: objects },
    { provide: BUS, useValue: bus },
    // Nothing here asks for a model.
    ...[ModelRepository, AnalysisRunner].map((part) => ({ provide: part, useValue: {} })),
    { provide: AnalysisRegistry, useValue: analyses },
  ];
  const app = await NestFactory.createMicroservice(
    {
      module: class Aggregator {},
      imports: [
        { module: Platform, global: true, providers: ports, exports: ports },
        JobsModule.forRoot(settings),
        AggregatorModule.forRoot(new ModuleRegistry([module]), { dataDir: '/nonexistent', diskUseMinutes: 60 }),
      ],
    },
    { strategy: new BusServer(bus), logger: ['error'], abortOnError: false },
  );
  await app.listen();
  return app;
}

/** A process that handles one topic, and may die at any moment. */
class Worker {
  isDead = false;
  /** Milliseconds of work that has ended; what was lost with the process does not count. */
  #doneMs = 0;
  /** When the work in progress began. */
  #working = new Set();

  constructor({ db, bus }, slots) {
    this.bus = bus;
    // Statements of a process that has died are not sent.
    this.db = Object.create(db, {
      query: { value: (...args) => (this.isDead ? never() : db.query(...args)) },
    });
    this.outbox = new OutboxRelay(this.db, bus, SELDOM_POLL_MS);
    this.slots = new WorkerSlots(this.db, slots);
    this.concurrency = slots;
  }

  async start(topics) {
    this.outbox.onApplicationBootstrap();
    this.slots.onApplicationBootstrap();
    this.subscriptions = await Promise.all(
      Object.entries(topics).map(([topic, handle]) =>
        this.bus.subscribe({
          ...{ topic, group: 'workers', concurrency: this.concurrency },
          handle: (message, delivery) => handle(message.envelope.payload, new BusContext(message, delivery)),
        }),
      ),
    );
  }

  /** Takes simulated time for work. */
  async work(seconds) {
    const work = { began: Date.now() };
    this.#working.add(work);
    await sleep(seconds * 1000);
    if (this.isDead) await never();
    this.#working.delete(work);
    this.#doneMs += Date.now() - work.began;
  }

  /** Milliseconds of work so far. */
  get busyMs() {
    return [...this.#working].reduce((sum, { began }) => sum + Date.now() - began, this.#doneMs);
  }

  /** Nothing that it has begun goes on, and nobody learns of it before its session and its leases have run out. */
  async kill() {
    this.isDead = true;
    this.#working.clear();
    void this.outbox.onApplicationShutdown();
    await sleep(SESSION_MS);
    await Promise.all(this.subscriptions.map((subscription) => subscription.close()));
  }
}

const never = () => new Promise(() => undefined);

/** Each job has a film of its own, which says whose it is. */
const digestOf = (jobId) => jobId.replaceAll('-', '').repeat(2);
const jobOf = (digest) => digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Fetches, probes, plans and decodes. `seconds` gives the time of a fetch and of a chunk. */
export class Decoder extends Worker {
  constructor(parts, { slots, seconds }) {
    super(parts, slots);
    const { objects, settings } = parts;
    const cache = {
      use: async (source, work) => {
        await this.work(seconds.fetch());
        return work({ digest: digestOf(source.jobId), uri: source.uri });
      },
    };
    const catalogue = {
      identify: async (workspaceId, { digest, uri }) => {
        const { facts, grid } = filmOf(uri);
        await noteMedia(this.db, { workspaceId, digest, partOf: null, facts, grid });
        return { digest, facts, film: { grid, index: null } };
      },
    };
    const decoder = {
      decode: async () => {
        await this.work(seconds.decode());
        return {};
      },
    };
    this.sources = new SourceHandler(this.db, this.outbox, cache, catalogue, null, settings);
    this.chunks = new ChunkHandler(this.db, this.outbox, decoder, objects, settings);
  }

  start() {
    return super.start({
      'sources.requested': (payload, context) => this.sources.open(payload, context),
      'chunks.requested': (payload, context) => this.chunks.decode(payload, context),
    });
  }
}

/** Analyses one chunk at a time. `seconds` gives the time of each; `watch` is told of every beginning and end. */
export class Analyser extends Worker {
  /** How many times as long it takes as others. */
  slowness = 1;

  constructor(parts, { seconds, watch, takesWaiting = true }) {
    super(parts, 1);
    const runner = {
      run: async ({ input: { unit } }) => {
        const jobId = jobOf(unit.mediaDigest);
        watch.begun(jobId);
        const spent = seconds() * this.slowness;
        await this.work(spent);
        watch.ended(jobId, spent);
        return {};
      },
    };
    const worker = new AnalysisWorker(this.db, this.outbox, parts.objects, analyses, runner, parts.settings, canaries);
    this.queue = new AnalysisQueue('faces', worker, { concurrency: 1, takesWaiting });
  }

  async start() {
    await super.start({ 'analyses.faces.requested': (payload, context) => this.queue.handle(payload, context) });
    this.queue.onApplicationBootstrap();
  }
}
