import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { AditError, elementAt, type ModelManifest } from '@adit/contracts';
import { Batcher } from './batcher.js';
import { deviceFailure } from './device-failure.js';
import type { ModelVersion } from './model-folder.js';
import { DEFAULT_ONNX_OPTIONS, OnnxSession, type OnnxOptions } from './onnx-session.js';
import { THIS_THREAD, type GraphHost } from './onnx-graph.js';
import { OnnxThread } from './onnx-thread.js';
import { PIXELS, pixelGraph } from './pixel-graph.js';
import type { Provider } from './providers.js';
import { PlacedSequence } from './placed-sequence.js';
import type { NetworkSession, Row, Sequence } from './session.js';
import { linearGraph } from './spec-graph.js';
import { floatTensor, shapeText } from './tensor.js';

/** Told what the pool does, for metrics. */
export interface PoolObserver {
  loaded?(model: string, provider: Provider, seconds: number): void;
  ran?(model: string, rows: number, seconds: number): void;
  evicted?(model: string): void;
  /** The GPU failed and every session on it is gone; they are loaded anew when they are next acquired. */
  lost?(reason: string): void;
}

interface SessionPoolOptions {
  /** Threads of 0 share the cores among the workers. */
  onnx?: Partial<OnnxOptions>;
  /**
   * Worker threads that run the models, each with its own copy of every model. 0 runs them in this thread. By default 2 on a CPU
   * of several cores, else 1.
   */
  workers?: number;
  /** Sessions kept that nobody uses at the moment; the least recently used goes first. */
  maxIdle?: number;
  /** Bytes of the files of the models in memory, a copy for each worker; beyond that the idle ones go. By default without bound. */
  maxBytes?: number;
  /** Caps every manifest's maxBatch. By default 1 on a CPU and no cap on a GPU. */
  maxBatch?: number;
  /** Milliseconds a run waits for company. */
  maxDelayMs?: number;
  observer?: PoolObserver;
}

interface Entry {
  loading: Promise<Loaded>;
  model: string;
  bytes: number;
  provider: Provider | null;
  users: number;
  usedAt: number;
}

interface Loaded {
  /** Sessions by graph and worker. */
  loaded: Copy[][];
  network: NetworkSession;
  /** Its files are needed no more. */
  letGo?: () => void;
}

type RunRow = (row: Row) => Promise<Row>;

/** A model's session in one place. */
export interface Copy {
  session: OnnxSession;
  /** Where it is loaded. */
  place: GraphHost;
  running: number;
  era: number;
}

/** A session on loan. Call `release` when done: a session in use is never unloaded. */
export interface Lease {
  network: NetworkSession;
  release(): void;
}

/** One session for each model digest and worker, shared by every job of the process. */
export class SessionPool {
  private readonly entries = new Map<string, Entry>();
  /** How to get at the sessions of a network's own graph. */
  private readonly copiesOf = new WeakMap<NetworkSession, () => Promise<Copy[]>>();
  /** Sequences that have not ended, by their place. */
  private readonly sequences = new WeakMap<GraphHost, number>();
  private clock = 0;
  private readonly onnx: OnnxOptions;
  private readonly workers: number;
  private hosts: OnnxThread[] = [];
  /** Grows when a device is lost: sessions from before are of no use. */
  private era = 0;
  private failure: string | null = null;
  /** Ends when the sessions on a lost device are gone: as long as one is held, it stays lost. */
  private lettingGo: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: SessionPoolOptions = {}) {
    this.onnx = { ...DEFAULT_ONNX_OPTIONS, ...options.onnx };
    const cores = availableParallelism();
    this.workers = options.workers ?? (this.onnx.providers[0] === 'cpu' ? Math.min(2, cores) : 1);
    if (this.workers > 0 && this.onnx.threads === 0) {
      this.onnx.threads = Math.max(1, Math.floor(cores / this.workers));
    }
  }

  /** Loads and warms the model unless it is there. Throws INTERNAL when it cannot be loaded. */
  async acquire(model: ModelVersion): Promise<Lease> {
    const key = model.pin.digest;
    let entry = this.entries.get(key);
    if (!entry) {
      const bytes = model.files.reduce((sum, { size }) => sum + size, 0) * Math.max(1, this.workers);
      // Room first: a GPU may not hold both.
      const room = this.evict(bytes);
      const { era } = this;
      entry = {
        loading: room.then(() => this.loadHeld(model, era)),
        model: model.pin.name,
        bytes,
        provider: null,
        users: 0,
        usedAt: 0,
      };
      this.entries.set(key, entry);
      const added = entry;
      entry.loading.then(
        ({ network }) => (added.provider = network.provider),
        // A failed loading must not stay: the file may be put right.
        () => {
          if (this.entries.get(key) === added) this.entries.delete(key);
        },
      );
    }
    const held = entry;
    held.users++;
    held.usedAt = ++this.clock;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      held.users--;
      void this.evict();
    };
    try {
      return { network: (await held.loading).network, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Loads a model outside the pool, runs zeros and, when it has one, its golden input; throws what is wrong. */
  async check(model: ModelVersion, golden: (run: RunRow) => Promise<void>): Promise<void> {
    const options: OnnxOptions = { ...this.onnx, providers: ['cpu'], threads: 1 };
    const session = await OnnxSession.load(join(model.folder, 'model.onnx'), options, this.places()[0]);
    try {
      await session.warmUp(model.manifest.input);
      await golden(async (row) => elementAt(await session.run([row]), 0));
    } finally {
      await session.release();
    }
  }

  /** Number of sessions in memory. */
  get size(): number {
    return this.entries.size;
  }

  /** What the models in memory run on. */
  get providers(): Provider[] {
    return [...new Set([...this.entries.values()].flatMap(({ provider }) => provider ?? []))].sort();
  }

  /** Why nothing could be run when it was last tried; null when it could. */
  get problem(): string | null {
    return this.failure;
  }

  /**
   * Runs a graph of two nodes, so that no model is to blame: answers the provider that works. Throws UNAVAILABLE when none
   * does.
   */
  async tryProviders(providers: Provider[] = this.onnx.providers): Promise<Provider> {
    try {
      await this.lettingGo;
      const session = await OnnxSession.load(linearGraph(1, 1), { ...this.onnx, providers }, this.places()[0]);
      try {
        await session.run([{ x: floatTensor(Float32Array.of(1), [1]) }]);
      } finally {
        await session.release();
      }
      this.failure = null;
      return session.provider;
    } catch (error) {
      throw this.unavailable(error);
    }
  }

  /** Unloads everything; leases must have been released. */
  async close(): Promise<void> {
    const loaded = await Promise.allSettled([...this.entries.values()].map((entry) => entry.loading));
    this.entries.clear();
    for (const entry of loaded) if (entry.status === 'fulfilled') await unload(entry.value);
    const hosts = this.hosts;
    this.hosts = [];
    await Promise.all(hosts.map((host) => host.close()));
  }

  /** Where models are loaded now; lost threads have been replaced. */
  private places(): GraphHost[] {
    if (this.workers === 0) return [THIS_THREAD];
    while (this.hosts.length < this.workers) {
      const host: OnnxThread = new OnnxThread(() => this.forget(host));
      this.hosts.push(host);
    }
    return this.hosts;
  }

  /**
   * A lost thread took its sessions with it; every model is loaded anew when it is next acquired. The other threads end
   * once they have served their calls.
   */
  private forget(lost: OnnxThread): void {
    if (!this.hosts.includes(lost)) return;
    const others = this.hosts.filter((host) => host !== lost);
    this.hosts = [];
    letGoOf(this.entries.values());
    this.entries.clear();
    for (const host of others) void host.close();
  }

  /** What is loaded keeps its files: sessions for tensors are loaded when the first one is given. */
  private async loadHeld(model: ModelVersion, era: number): Promise<Loaded> {
    const letGo = await model.stored?.hold();
    try {
      return { ...(await this.load(model, era)), letGo };
    } catch (error) {
      letGo?.();
      throw error;
    }
  }

  /** `era` is that of the entry: what a lost device had, or was to have, is gone, and nothing is loaded for it any more. */
  private async load(model: ModelVersion, era: number): Promise<Loaded> {
    const { pin, folder, manifest } = model;
    const loaded: Copy[][] = [];
    const copiesOf = async (graph: string | Uint8Array): Promise<Copy[]> => {
      const copies = await this.copies(model, graph, era);
      loaded.push(copies);
      return copies;
    };
    const path = join(folder, 'model.onnx');
    const pixels = await pixelGraphOf(path, manifest);
    // What cannot be loaded with pre-processing in front (its weights lie in other files, say) is loaded as it is.
    const looking =
      pixels &&
      (await copiesOf(pixels).catch((error: unknown) => {
        const problem = AditError.from(error);
        if (problem.code === 'UNAVAILABLE') throw problem;
        return null;
      }));
    let plain: Promise<{ copies: Copy[]; run: RunRow }> | null = null;
    const plainly = (): Promise<{ copies: Copy[]; run: RunRow }> => {
      if (plain !== null) return plain;
      const loading = copiesOf(path).then((copies) => ({ copies, run: this.batched(model, copies) }));
      plain = loading;
      // What failed for want of memory, say, is tried again by the next row.
      loading.catch(() => (plain = null));
      return loading;
    };
    // A model of pictures is hardly ever given tensors: those sessions are loaded when it is.
    if (!looking) await plainly();
    const network: NetworkSession = {
      name: pin.name,
      digest: pin.digest,
      provider: providerOf(elementAt(loaded, 0)),
      manifest,
      run: async (row) => (await plainly()).run(row),
      readFile: (name) => readModelFile(model, name),
      sequence: () => this.sequence(),
    };
    this.copiesOf.set(network, async () => (await plainly()).copies);
    if (looking) {
      const runRow = this.batched(model, looking);
      network.runPixels = (tensor) => runRow({ [PIXELS]: tensor });
    }
    return { loaded, network };
  }

  /** One warm session for each worker. Throws UNAVAILABLE when the GPU is to blame, and what is wrong with the graph otherwise. */
  private async copies(model: ModelVersion, graph: string | Uint8Array, era: number): Promise<Copy[]> {
    const start = performance.now();
    // Before it waits: letting go waits for the entries of its time to be loaded.
    if (era !== this.era) throw putOff();
    try {
      await this.lettingGo;
      const loading = this.places().map((place) => this.copy(model, graph, { place, era }));
      const copies = (await Promise.allSettled(loading)).flatMap((each) =>
        each.status === 'fulfilled' ? [each.value] : [],
      );
      if (copies.length < loading.length || era !== this.era) {
        // Nobody else knows of them: they would take memory for as long as the process lives.
        await Promise.allSettled(copies.map(({ session }) => session.release()));
        await Promise.all(loading);
        throw putOff();
      }
      this.failure = null;
      this.options.observer?.loaded?.(model.pin.name, providerOf(copies), (performance.now() - start) / 1000);
      return copies;
    } catch (error) {
      if (!this.onnx.providers.includes('cpu')) await this.askDevice(error, era);
      throw error;
    }
  }

  private async copy(
    { manifest }: ModelVersion,
    graph: string | Uint8Array,
    { place, era }: { place: GraphHost; era: number },
  ): Promise<Copy> {
    const session = await OnnxSession.load(graph, this.onnx, place);
    try {
      await session.warmUp(manifest.input);
    } catch (error) {
      await session.release().catch(() => undefined);
      throw error;
    }
    return { session, place, running: 0, era };
  }

  /** Returns when the device works, so that what failed is the graph's own fault; throws UNAVAILABLE otherwise. */
  private async askDevice(error: unknown, era: number): Promise<void> {
    if (era !== this.era) throw putOff(error);
    if (deviceFailure(reasonOf(error)) === 'memory') {
      await this.evict(Infinity);
      throw this.unavailable(error);
    }
    try {
      await this.tryProviders();
    } catch (problem) {
      if (this.providers.length > 0 && era === this.era) this.startOver(reasonOf(error));
      throw problem;
    }
  }

  private batched({ pin, manifest }: ModelVersion, copies: Copy[]): RunRow {
    const { observer, maxDelayMs } = this.options;
    const maxBatch = this.batchOf(elementAt(copies, 0).session, manifest);
    const batcher = new Batcher<Row, Row>(
      async (rows) => {
        const before = performance.now();
        const copy = copies.reduce((free, other) => (other.running < free.running ? other : free));
        copy.running++;
        try {
          const outs = await this.runOn(copy, rows);
          observer?.ran?.(pin.name, rows.length, (performance.now() - before) / 1000);
          return outs;
        } finally {
          copy.running--;
        }
      },
      // A row more than there are workers waits in the thread already; batches gain more from company.
      { maxBatch, key: rowShapes, maxDelayMs, concurrency: maxBatch === 1 ? 2 * Math.max(1, this.workers) : 1 },
    );
    return (row) => batcher.run(row);
  }

  private sequence(): Sequence {
    const at = (place: GraphHost): number => this.sequences.get(place) ?? 0;
    const place = this.places().reduce((free, other) => (at(other) < at(free) ? other : free));
    this.sequences.set(place, at(place) + 1);
    return new PlacedSequence(place, {
      step: async (network, step) => {
        const copies = await this.copiesOf.get(network)?.();
        const copy = copies?.find((each) => each.place === place);
        // It was loaded anew since, into other threads.
        if (!copy) throw putOff();
        const before = performance.now();
        copy.running++;
        try {
          const outputs = await this.guarded(copy, false, () => copy.session.step(step));
          this.options.observer?.ran?.(network.name, 1, (performance.now() - before) / 1000);
          return outputs;
        } finally {
          copy.running--;
        }
      },
      ended: () => this.sequences.set(place, at(place) - 1),
    });
  }

  private runOn(copy: Copy, rows: Row[]): Promise<Row[]> {
    return this.guarded(copy, rows.length > 1, () => copy.session.run(rows));
  }

  /**
   * What a GPU fails of is not the rows' fault: UNAVAILABLE puts the work off without blame. Where memory is short the idle
   * models go, and the batcher repeats the rows one by one; a device that is lost takes every session with it. What brings the
   * sessions of a device down that works is a row's fault: put off without blame it would do so for ever.
   */
  private async guarded<T>(copy: Copy, several: boolean, run: () => Promise<T>, again = !several): Promise<T> {
    const { session, era } = copy;
    if (era !== this.era) throw putOff();
    try {
      const outs = await run();
      if (era === this.era) this.failure = null;
      return outs;
    } catch (error) {
      // Whatever fails of a device that another run has lost meanwhile is its loss too, and says nothing of the next one.
      if (era !== this.era) throw putOff(error);
      const failure = session.provider === 'cpu' ? null : deviceFailure(reasonOf(error));
      if (failure === null) throw error;
      if (failure === 'memory') {
        const unavailable = this.unavailable(error);
        await this.evict(Infinity);
        if (again) return this.guarded(copy, several, run, false);
        throw unavailable;
      }
      const works = await this.tryProviders([session.provider]).then(
        () => true,
        () => false,
      );
      if (era !== this.era) throw putOff(error);
      // A device that works all the same has failed of these rows: of one of them, which shows when they are repeated.
      if (works && several) throw error;
      this.startOver(reasonOf(error));
      if (works) throw error;
      throw this.unavailable(error);
    }
  }

  /** Lets go of every session, that of models that run well too: they are on the same device. */
  private startOver(reason: string): void {
    this.era++;
    const entries = [...this.entries.values()];
    const hosts = this.hosts;
    this.hosts = [];
    this.entries.clear();
    for (const { model } of entries) this.options.observer?.evicted?.(model);
    if (hosts.length > 0) letGoOf(entries);
    const going =
      hosts.length > 0 ? hosts.map((host) => host.close()) : entries.map((entry) => entry.loading.then(unload));
    this.lettingGo = Promise.allSettled(going).then(() => this.options.observer?.lost?.(reason));
  }

  private unavailable(error: unknown): AditError {
    this.failure = `The models cannot be run on ${this.onnx.providers.join(' or ')}: ${reasonOf(error)}`;
    return new AditError('UNAVAILABLE', this.failure, { cause: error });
  }

  private batchOf(session: OnnxSession, manifest: ModelManifest): number {
    if (!session.batches) return 1;
    const cap = this.options.maxBatch ?? (session.provider === 'cpu' ? CPU_BATCH : Infinity);
    return Math.max(1, Math.min(manifest.maxBatch, cap));
  }

  /** Unloads idle models beyond the bounds, with `coming` bytes more in sight. */
  private async evict(coming = 0): Promise<void> {
    const { maxIdle = 32, maxBytes = Infinity } = this.options;
    const idle = [...this.entries].filter(([, entry]) => entry.users === 0).sort((a, b) => a[1].usedAt - b[1].usedAt);
    let bytes = coming + [...this.entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    const unloaded: Promise<void>[] = [];
    for (const [i, [key, entry]] of idle.entries()) {
      if (idle.length - i <= maxIdle && bytes <= maxBytes && coming !== Infinity) break;
      bytes -= entry.bytes;
      this.entries.delete(key);
      this.options.observer?.evicted?.(entry.model);
      unloaded.push(entry.loading.then(unload));
    }
    await Promise.allSettled(unloaded);
  }
}

/**
 * Rows of one run on a CPU. Batches gain nothing measurable there, hold the event loop longer, and make the last bits of
 * an answer depend on its neighbours.
 */
const CPU_BATCH = 1;

/** The model's graph with its pre-processing in front; null when it takes no pictures, or not that way. */
async function pixelGraphOf(path: string, { input }: ModelManifest): Promise<Uint8Array | null> {
  if (!input || input.openWidth) return null;
  try {
    return pixelGraph(await readFile(path), input);
  } catch {
    // Loading the file itself says better what is wrong with it.
    return null;
  }
}

async function readModelFile({ pin, folder, files }: ModelVersion, name: string): Promise<Buffer> {
  if (files.some((file) => file.name === name)) return readFile(join(folder, name));
  throw new AditError('NOT_FOUND', `Model ${pin.name} version ${pin.version} has no file ${name}.`);
}

async function unload({ loaded, letGo }: Loaded): Promise<void> {
  for (const { session } of loaded.flat()) await session.release();
  letGo?.();
}

/** Of entries whose sessions went with their thread. */
function letGoOf(entries: Iterable<Entry>): void {
  for (const { loading } of entries) {
    loading.then(
      ({ letGo }) => letGo?.(),
      () => undefined,
    );
  }
}

function providerOf(copies: Copy[]): Provider {
  return elementAt(copies, 0).session.provider;
}

/** For work that a lost device took with it. Whether the next one works is not known by that. */
function putOff(cause?: unknown): AditError {
  return new AditError('UNAVAILABLE', 'The GPU was lost meanwhile; the work is done again.', { cause });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Rows share a run when their tensors are of the same types and shapes. */
function rowShapes(row: Row): string {
  return Object.entries(row)
    .map(([name, { type, dims }]) => `${name} ${shapeText(type, dims)}`)
    .join();
}
