import { elementAt, type Precision } from '@adit/contracts';
import { Device, type DeviceOptions } from './device.js';
import type { GraphForm } from '../graph/made-graph.js';
import { refuseOtherShapes } from '../families/check-reading.js';
import type { ModelVersion } from '../repository/model-folder.js';
import {
  graphFile,
  isRewritten,
  ModelSessions,
  type ApartOptions,
  type BatchOptions,
  type LoadedModel,
  type Taken,
} from './model-sessions.js';
import { OnnxSession, type OnnxOptions } from './onnx-session.js';
import type { PoolObserver } from './pool-observer.js';
import type { Provider } from './providers.js';
import type { NetworkSession, Row } from '../session.js';

interface SessionPoolOptions extends DeviceOptions, BatchOptions, ApartOptions {
  /** Idle sessions that are kept; the least recently used goes first. */
  maxIdle?: number;
  /**
   * Bytes of the files of the models in memory, one copy per worker; beyond that idle ones are unloaded. Default:
   * unlimited.
   */
  maxBytes?: number;
  observer?: PoolObserver;
}

interface Entry {
  loading: Promise<LoadedModel>;
  model: string;
  bytes: number;
  provider: Provider | null;
  takes: Taken | null;
  /** True after it was reported as loaded. */
  kept: boolean;
  users: number;
  usedAt: number;
}

/** Idle models that are kept, of those with extra resources. */
const MAX_IDLE: Record<Taken, number> = { process: 4, memory: 4 };

type RunRow = (row: Row) => Promise<Row>;

/** A leased session. Call `release` when done: a session in use is never unloaded. */
export interface Lease {
  network: NetworkSession;
  release(): void;
}

/** Pool of one session per model digest, precision and worker, shared by every job of the process. */
export class SessionPool {
  private readonly entries = new Map<string, Entry>();
  private clock = 0;
  private readonly device: Device;
  private readonly sessions: ModelSessions;

  constructor(private readonly options: SessionPoolOptions = {}) {
    const { observer } = options;
    this.device = new Device(options, {
      providers: () => this.providers,
      evictAll: () => this.evictAll(),
      evictIdle: () => this.evict(Infinity),
      forgetAll: () => {
        for (const entry of this.takeAll()) forget(entry);
      },
      lost: (reason) => observer?.lost?.(reason),
    });
    this.sessions = new ModelSessions(this.device, options, observer);
  }

  /**
   * Loads and warms the model unless it is loaded: in float16 as `float16Graph` makes it, or in float32 where it
   * cannot. Throws INTERNAL when it cannot be loaded.
   */
  async acquire(model: ModelVersion, precision: Precision = 'float32'): Promise<Lease> {
    const key = `${model.pin.digest} ${precision}`;
    let entry = this.entries.get(key);
    if (!entry) {
      const takes = this.sessions.takes(model);
      const copies = takes === 'process' ? 1 : Math.max(1, this.device.workers);
      const bytes = model.files.reduce((sum, { size }) => sum + size, 0) * copies;
      // Memory is freed first, since a GPU may not hold both.
      const room = this.evict(bytes);
      const { era } = this.device;
      const lost = (): void => this.forget(key, added);
      const added: Entry = {
        loading: room.then(() => this.sessions.load(model, precision, era, lost)),
        model: model.pin.name,
        bytes,
        provider: null,
        takes,
        kept: false,
        users: 0,
        usedAt: 0,
      };
      this.entries.set(key, added);
      entry = added;
      added.loading.then(
        ({ network }) => {
          added.provider = network.provider;
          // The device may have been lost meanwhile.
          if (this.entries.get(key) === added) this.keep(added);
        },
        // A failed load must not stay, since the file may be repaired.
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

  /**
   * Loads a model outside the pool on a CPU, and runs zeros, whose outputs have to match the manifest, and its golden
   * input, if any. Throws the reason of a failure.
   */
  async check(model: ModelVersion, golden: (run: RunRow) => Promise<void>): Promise<void> {
    const { input } = model.manifest;
    const options: OnnxOptions = { ...this.device.onnx, providers: ['cpu'], threads: 1 };
    const load = async (form: GraphForm): Promise<OnnxSession> => {
      const graph = { path: graphFile(model), form };
      const session = await OnnxSession.load(graph, options, this.device.places()[0], input?.batch === false);
      try {
        const outputs = await session.warmUp(input);
        if (outputs !== null) refuseOtherShapes(model.manifest, outputs);
        return session;
      } catch (error) {
        await session.release();
        throw error;
      }
    };
    const session = await load(isRewritten(model) ? 'cpu' : 'file').catch(() => load('file'));
    try {
      await golden(async (row) => elementAt(await session.run([row]), 0));
    } finally {
      await session.release();
    }
  }

  /** Number of sessions in memory. */
  get size(): number {
    return this.entries.size;
  }

  /** Providers of the models in memory. */
  get providers(): Provider[] {
    return [...new Set([...this.entries.values()].flatMap(({ provider }) => provider ?? []))].sort();
  }

  /** Reason why the last run failed; null when it succeeded. */
  get problem(): string | null {
    return this.device.problem;
  }

  /**
   * Runs a graph of two nodes, so that no model can be the cause, and returns the working provider. Throws UNAVAILABLE
   * when none works.
   */
  tryProviders(providers?: Provider[]): Promise<Provider> {
    return this.device.tryProviders(providers);
  }

  /** Unloads everything; leases must have been released. */
  async close(): Promise<void> {
    const loaded = await Promise.allSettled([...this.entries.values()].map((entry) => entry.loading));
    this.entries.clear();
    for (const entry of loaded) if (entry.status === 'fulfilled') await entry.value.unload();
    await this.device.close();
  }

  private evictAll(): { unload: () => Promise<void>; forget: () => void }[] {
    return this.takeAll().map((entry) => ({ unload: () => unload(entry), forget: () => forget(entry) }));
  }

  private takeAll(): Entry[] {
    const entries = [...this.entries.values()];
    this.entries.clear();
    for (const entry of entries) this.notifyEvicted(entry);
    return entries;
  }

  /** Forgets a model whose process has ended: it is loaded anew when it is next acquired. */
  private forget(key: string, entry: Entry): void {
    if (this.entries.get(key) !== entry) return;
    this.entries.delete(key);
    this.notifyEvicted(entry);
    forget(entry);
  }

  private keep(entry: Entry): void {
    entry.kept = true;
    this.options.observer?.kept?.(entry.model, entry.bytes);
  }

  private notifyEvicted({ kept, model, bytes }: Entry): void {
    if (kept) this.options.observer?.evicted?.(model, bytes);
  }

  /** Unloads idle models beyond the limits, with `coming` bytes about to be loaded. */
  private async evict(coming = 0): Promise<void> {
    const { maxIdle = 32, maxBytes = Infinity } = this.options;
    const idle = [...this.entries].filter(([, entry]) => entry.users === 0).sort((a, b) => a[1].usedAt - b[1].usedAt);
    let bytes = coming + [...this.entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    const unloaded: Promise<void>[] = [];
    const rest: Record<Taken, number> = { process: 0, memory: 0 };
    for (const [, { takes }] of idle) if (takes !== null) rest[takes]++;
    for (const [i, [key, entry]] of idle.entries()) {
      const isOver = idle.length - i > maxIdle || bytes > maxBytes || coming === Infinity;
      const { takes } = entry;
      if (!isOver && (takes === null || rest[takes] <= MAX_IDLE[takes])) continue;
      if (takes !== null) rest[takes]--;
      bytes -= entry.bytes;
      this.entries.delete(key);
      this.notifyEvicted(entry);
      unloaded.push(unload(entry));
    }
    await Promise.allSettled(unloaded);
  }
}

async function unload({ loading }: Entry): Promise<void> {
  await (await loading).unload();
}

/** Forgets sessions that ended with their thread. */
function forget({ loading }: Entry): void {
  loading.then(
    (loaded) => loaded.forget(),
    () => undefined,
  );
}
