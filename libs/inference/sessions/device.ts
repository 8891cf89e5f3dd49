import { availableParallelism } from 'node:os';
import { AditError } from '@adit/contracts';
import { deviceFailure } from './device-failure.js';
import { THIS_THREAD, type GraphHost } from './onnx-graph.js';
import { DEFAULT_ONNX_OPTIONS, OnnxSession, type OnnxOptions } from './onnx-session.js';
import { OnnxThread } from './onnx-thread.js';
import type { Provider } from './providers.js';
import { linearGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

export interface DeviceOptions {
  /** Threads of 0 divide the cores among the workers. */
  onnx?: Partial<OnnxOptions>;
  /**
   * Worker threads that run the models, each with its own copy of every model. 0 runs them in this thread. Default: 2
   * on a CPU of several cores, else 1.
   */
  workers?: number;
}

/** Sessions of one model. */
interface HeldSessions {
  unload(): Promise<void>;
  /** Forgets sessions that are gone, or that end with their thread. */
  forget(): void;
}

/** Owner of sessions on the device. */
interface SessionHolder {
  /** Providers of the sessions; empty when there are none. */
  providers(): readonly Provider[];
  /** Gives up every session, for the caller to unload or forget. */
  evictAll(): HeldSessions[];
  /** Unloads unused sessions. */
  evictIdle(): Promise<void>;
  /** Forgets every session, since their thread has ended or is ending. */
  forgetAll(): void;
  /** All sessions on a failed device have been released. */
  lost(reason: string): void;
}

/** Session on the device, with the era it was loaded in. */
interface SessionOfEra {
  session: OnnxSession;
  era: number;
}

/**
 * Device that runs models: threads, and a CPU or GPU that may fail. Distinguishes faults of the device from those of
 * models and rows.
 */
export class Device {
  readonly onnx: OnnxOptions;
  readonly workers: number;
  private hosts: OnnxThread[] = [];
  private loss = 0;
  private failure: string | null = null;
  /** Resolves when the sessions on a lost device are released: as long as one is held, it stays lost. */
  private lettingGo: Promise<unknown> = Promise.resolve();
  /** Current number of runs. */
  private runs = 0;
  /** Resolves when the last sequential load has finished. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    options: DeviceOptions,
    private readonly holder: SessionHolder,
  ) {
    this.onnx = { ...DEFAULT_ONNX_OPTIONS, ...options.onnx };
    const cores = availableParallelism();
    this.workers = options.workers ?? (this.onnx.providers[0] === 'cpu' ? Math.min(2, cores) : 1);
    if (this.workers > 0 && this.onnx.threads === 0) {
      this.onnx.threads = Math.max(1, Math.floor(cores / this.workers));
    }
  }

  /** Increases when the device is lost: earlier sessions are unusable. */
  get era(): number {
    return this.loss;
  }

  /** Reason why the last run failed; null when it succeeded. */
  get problem(): string | null {
    return this.failure;
  }

  /** Returns the current places to load models; lost threads have been replaced. */
  places(): GraphHost[] {
    if (this.workers === 0) return [THIS_THREAD];
    while (this.hosts.length < this.workers) {
      const host: OnnxThread = new OnnxThread(() => this.replace(host));
      this.hosts.push(host);
    }
    return this.hosts;
  }

  /**
   * Runs a graph of two nodes, so that no model can be the cause, and returns the working provider. Throws UNAVAILABLE
   * when none works.
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

  /**
   * Loads on every current place, or on the given ones. Throws UNAVAILABLE when the device failed or was lost since
   * `era`, else the graph's error.
   */
  async load<Loaded extends SessionOfEra>(
    era: number,
    load: (place: GraphHost) => Promise<Loaded>,
    places?: readonly GraphHost[],
  ): Promise<Loaded[]> {
    // Checked before waiting, since release waits for the loads of its era.
    if (era !== this.era) throw deferred();
    try {
      await this.lettingGo;
      const loading = await this.onPlaces(load, places ?? this.places());
      const loaded = loading.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      if (loaded.length < loading.length || era !== this.era) {
        // Without this release, unknown sessions would take memory until the process ends.
        await Promise.allSettled(loaded.map(({ session }) => session.release()));
        const failed = loading.find((each) => each.status === 'rejected');
        throw failed?.reason ?? deferred();
      }
      this.failure = null;
      return loaded;
    } catch (error) {
      const isOfGraph = AditError.from(error).code === 'VALIDATION';
      if (!isOfGraph && !this.onnx.providers.includes('cpu')) await this.askAfterLoading(error, era);
      throw error;
    }
  }

  /**
   * Runs rows on a session. GPU failures are not the rows' fault: UNAVAILABLE defers the work. Where memory is short,
   * idle models are unloaded and the batcher repeats the rows one by one; a lost device takes every session with it.
   * Rows that bring down a working device are at fault themselves, since deferring them would repeat forever.
   * `several`: the run has more than one row.
   */
  async run<Outs>(on: SessionOfEra, several: boolean, run: () => Promise<Outs>, again = !several): Promise<Outs> {
    const { session, era } = on;
    if (era !== this.era) throw deferred();
    this.runs += 1;
    const running = run().finally(() => (this.runs -= 1));
    try {
      const outs = await running;
      if (era === this.era) this.failure = null;
      return outs;
    } catch (error) {
      // A failure on a device that another run has lost meanwhile belongs to that loss, and says nothing about the next
      // device.
      if (era !== this.era) throw deferred(error);
      const failure = session.provider === 'cpu' ? null : deviceFailure(reasonOf(error));
      if (failure === null) throw error;
      if (failure === 'memory') {
        const unavailable = this.unavailable(error);
        await this.holder.evictIdle();
        if (again) return this.run(on, several, run, false);
        throw unavailable;
      }
      const works = await this.tryProviders([session.provider]).then(
        () => true,
        () => false,
      );
      if (era !== this.era) throw deferred(error);
      // The device still works, so these rows caused the failure; repeating them one by one shows which.
      if (works && several) throw error;
      this.startOver(reasonOf(error));
      if (works) throw error;
      throw this.unavailable(error);
    }
  }

  /**
   * Loads in all places at once where nothing runs, else in one after the other: a loading thread runs nothing, and the
   * others continue.
   */
  private async onPlaces<Loaded>(
    load: (place: GraphHost) => Promise<Loaded>,
    places: readonly GraphHost[],
  ): Promise<PromiseSettledResult<Loaded>[]> {
    if (this.runs === 0) return Promise.allSettled(places.map(load));
    return Promise.allSettled(
      places.map((place) => {
        const mine = this.turn.then(() => load(place));
        this.turn = mine.catch(() => undefined);
        return mine;
      }),
    );
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.takeHosts().map((host) => host.close()));
  }

  /** Returns when the device works, so that the graph caused the failure; throws UNAVAILABLE otherwise. */
  private async askAfterLoading(error: unknown, era: number): Promise<void> {
    if (era !== this.era) throw deferred(error);
    if (deviceFailure(reasonOf(error)) === 'memory') {
      await this.holder.evictIdle();
      throw this.unavailable(error);
    }
    try {
      await this.tryProviders();
    } catch (problem) {
      if (this.holder.providers().length > 0 && era === this.era) this.startOver(reasonOf(error));
      throw problem;
    }
  }

  /** Releases every session, including those of working models, since they are on the same device. */
  private startOver(reason: string): void {
    this.loss++;
    const hosts = this.takeHosts();
    const sessions = this.holder.evictAll();
    if (hosts.length > 0) for (const held of sessions) held.forget();
    const going = hosts.length > 0 ? hosts.map((host) => host.close()) : sessions.map((held) => held.unload());
    this.lettingGo = Promise.allSettled(going).then(() => this.holder.lost(reason));
  }

  /**
   * A lost thread took its sessions with it; every model is loaded anew when it is next acquired. The other threads end
   * once they have served their calls.
   */
  private replace(lost: OnnxThread): void {
    if (!this.hosts.includes(lost)) return;
    const others = this.takeHosts().filter((host) => host !== lost);
    this.holder.forgetAll();
    for (const host of others) void host.close();
  }

  private takeHosts(): OnnxThread[] {
    const hosts = this.hosts;
    this.hosts = [];
    return hosts;
  }

  private unavailable(error: unknown): AditError {
    this.failure = `The models cannot be run on ${this.onnx.providers.join(' or ')}: ${reasonOf(error)}`;
    return new AditError('UNAVAILABLE', this.failure, { cause: error });
  }
}

/** Error for work that was lost with a device. It does not tell whether the next one works. */
export function deferred(cause?: unknown): AditError {
  return new AditError('UNAVAILABLE', 'The GPU was lost meanwhile; the work is done again.', { cause });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
