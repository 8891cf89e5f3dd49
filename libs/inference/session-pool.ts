import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { elementAt, type ModelManifest } from '@adit/contracts';
import { Batcher } from './batcher.js';
import type { ModelVersion } from './model-folder.js';
import { DEFAULT_ONNX_OPTIONS, OnnxSession, type OnnxOptions, type Provider } from './onnx-session.js';
import { THIS_THREAD, type GraphHost } from './onnx-graph.js';
import { OnnxThread } from './onnx-thread.js';
import { PIXELS, pixelGraph } from './pixel-graph.js';
import type { NetworkSession, Row } from './session.js';
import { shapeText } from './tensor.js';

/** Told what the pool does, for metrics. */
export interface PoolObserver {
  loaded?(model: string, provider: Provider, seconds: number): void;
  ran?(model: string, rows: number, seconds: number): void;
  evicted?(model: string): void;
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
  /** Caps every manifest's maxBatch. By default 1 on a CPU and no cap on a GPU. */
  maxBatch?: number;
  /** Milliseconds a run waits for company. */
  maxDelayMs?: number;
  observer?: PoolObserver;
}

interface Entry {
  loading: Promise<Loaded>;
  model: string;
  users: number;
  usedAt: number;
}

interface Loaded {
  /** Sessions by graph and worker. */
  loaded: Copy[][];
  network: NetworkSession;
}

type RunRow = (row: Row) => Promise<Row>;

/** A model's session in one place. */
interface Copy {
  session: OnnxSession;
  running: number;
}

/** A session on loan. Call `release` when done: a session in use is never unloaded. */
export interface Lease {
  network: NetworkSession;
  release(): void;
}

/** One session for each model digest and worker, shared by every job of the process. */
export class SessionPool {
  private readonly entries = new Map<string, Entry>();
  private clock = 0;
  private readonly onnx: OnnxOptions;
  private readonly workers: number;
  private hosts: OnnxThread[] = [];

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
      entry = { loading: this.load(model), model: model.pin.name, users: 0, usedAt: 0 };
      this.entries.set(key, entry);
      // A failed loading must not stay: the file may be put right.
      const added = entry;
      entry.loading.catch(() => {
        if (this.entries.get(key) === added) this.entries.delete(key);
      });
    }
    const held = entry;
    held.users++;
    held.usedAt = ++this.clock;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      held.users--;
      this.evict();
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
    this.entries.clear();
    for (const host of others) void host.close();
  }

  private async load(model: ModelVersion): Promise<Loaded> {
    const { pin, folder, manifest } = model;
    const loaded: Copy[][] = [];
    const copiesOf = async (graph: string | Uint8Array): Promise<Copy[]> => {
      const copies = await this.copies(model, graph);
      loaded.push(copies);
      return copies;
    };
    const path = join(folder, 'model.onnx');
    const pixels = await pixelGraphOf(path, manifest);
    // What cannot be loaded with pre-processing in front (its weights lie in other files, say) is loaded as it is.
    const looking = pixels && (await copiesOf(pixels).catch(() => null));
    // A model of pictures is hardly ever given tensors: those sessions are loaded when it is.
    let plain: Promise<RunRow> | null = looking ? null : copiesOf(path).then((copies) => this.batched(model, copies));
    await plain;
    const run = async (row: Row): Promise<Row> => {
      plain ??= copiesOf(path).then((copies) => this.batched(model, copies));
      return (await plain)(row);
    };
    const network: NetworkSession = { name: pin.name, digest: pin.digest, manifest, run };
    if (looking) {
      const runRow = this.batched(model, looking);
      network.runPixels = (tensor) => runRow({ [PIXELS]: tensor });
    }
    return { loaded, network };
  }

  /** One warm session for each worker. */
  private async copies({ pin, manifest }: ModelVersion, graph: string | Uint8Array): Promise<Copy[]> {
    const start = performance.now();
    const copies = await Promise.all(
      this.places().map(async (place): Promise<Copy> => {
        const session = await OnnxSession.load(graph, this.onnx, place);
        await session.warmUp(manifest.input);
        return { session, running: 0 };
      }),
    );
    const { provider } = elementAt(copies, 0).session;
    this.options.observer?.loaded?.(pin.name, provider, (performance.now() - start) / 1000);
    return copies;
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
          const outs = await copy.session.run(rows);
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

  private batchOf(session: OnnxSession, manifest: ModelManifest): number {
    if (!session.batches) return 1;
    const cap = this.options.maxBatch ?? (session.provider === 'cpu' ? CPU_BATCH : Infinity);
    return Math.max(1, Math.min(manifest.maxBatch, cap));
  }

  private evict(): void {
    const idle = [...this.entries].filter(([, entry]) => entry.users === 0).sort((a, b) => a[1].usedAt - b[1].usedAt);
    for (const [key, entry] of idle.slice(0, Math.max(0, idle.length - (this.options.maxIdle ?? 32)))) {
      this.entries.delete(key);
      this.options.observer?.evicted?.(entry.model);
      void entry.loading.then(unload);
    }
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

async function unload({ loaded }: Loaded): Promise<void> {
  for (const { session } of loaded.flat()) await session.release();
}

/** Rows share a run when their tensors are of the same types and shapes. */
function rowShapes(row: Row): string {
  return Object.entries(row)
    .map(([name, { type, dims }]) => `${name} ${shapeText(type, dims)}`)
    .join();
}
