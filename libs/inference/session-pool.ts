import { join } from 'node:path';
import type { ModelManifest } from '@adit/contracts';
import { Batcher } from './batcher.js';
import type { ModelVersion } from './model-folder.js';
import { DEFAULT_ONNX_OPTIONS, OnnxSession, type OnnxOptions, type Provider } from './onnx-session.js';
import type { FloatTensor, NetworkSession, Row } from './session.js';

/** Told what the pool does, for metrics. */
export interface PoolObserver {
  loaded?(model: string, provider: Provider, seconds: number): void;
  ran?(model: string, rows: number, seconds: number): void;
  evicted?(model: string): void;
}

export interface SessionPoolOptions {
  onnx?: Partial<OnnxOptions>;
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
  session: OnnxSession;
  network: NetworkSession;
}

/** A session on loan. Call `release` when done: a session in use is never unloaded. */
export interface Lease {
  network: NetworkSession;
  release(): void;
}

/** One session for each model digest, shared by every job of the process. */
export class SessionPool {
  private readonly entries = new Map<string, Entry>();
  private clock = 0;
  private readonly onnx: OnnxOptions;

  constructor(private readonly options: SessionPoolOptions = {}) {
    this.onnx = { ...DEFAULT_ONNX_OPTIONS, ...options.onnx };
  }

  /** Loads and warms the model unless it is there. Throws INTERNAL when it cannot be loaded. */
  async acquire(model: ModelVersion): Promise<Lease> {
    const key = model.pin.digest;
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { loading: this.load(model), model: model.pin.name, users: 0, usedAt: 0 };
      this.entries.set(key, entry);
      // A failed loading must not stay: the file may be put right.
      entry.loading.catch(() => this.entries.delete(key));
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
  async check(
    model: ModelVersion,
    golden: (run: (row: Row) => Promise<Record<string, FloatTensor>>) => Promise<void>,
  ): Promise<void> {
    const session = await OnnxSession.load(join(model.folder, 'model.onnx'), {
      ...this.onnx,
      providers: ['cpu'],
      threads: 1,
    });
    try {
      await session.warmUp(model.manifest.input);
      await golden(async (row) => (await session.run([row]))[0]!);
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
    for (const entry of loaded) if (entry.status === 'fulfilled') await entry.value.session.release();
  }

  private async load({ pin, folder, manifest }: ModelVersion): Promise<Loaded> {
    const { observer, maxDelayMs } = this.options;
    const start = performance.now();
    const session = await OnnxSession.load(join(folder, 'model.onnx'), this.onnx);
    await session.warmUp(manifest.input);
    observer?.loaded?.(pin.name, session.provider, (performance.now() - start) / 1000);
    const batcher = new Batcher<Row, Record<string, FloatTensor>>(
      async (rows) => {
        const before = performance.now();
        const outs = await session.run(rows);
        observer?.ran?.(pin.name, rows.length, (performance.now() - before) / 1000);
        return outs;
      },
      { maxBatch: this.batchOf(session, manifest), key: rowShape, maxDelayMs },
    );
    const network: NetworkSession = { name: pin.name, digest: pin.digest, manifest, run: (row) => batcher.run(row) };
    return { session, network };
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
      void entry.loading.then((loaded) => loaded.session.release());
    }
  }
}

/**
 * Rows of one run on a CPU. Batches gain nothing measurable there, hold the event loop longer, and make the last bits of
 * an answer depend on its neighbours.
 */
const CPU_BATCH = 1;

function rowShape(row: Row): string {
  return Object.values(row)
    .map((tensor) => tensor.dims.join('x'))
    .join();
}
