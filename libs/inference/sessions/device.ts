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
  /** Threads of 0 share the cores among the workers. */
  onnx?: Partial<OnnxOptions>;
  /**
   * Worker threads that run the models, each with its own copy of every model. 0 runs them in this thread. By default 2 on a CPU
   * of several cores, else 1.
   */
  workers?: number;
}

/** Of one model. */
interface HeldSessions {
  unload(): Promise<void>;
  /** For sessions that are gone, or go with their thread. */
  forget(): void;
}

/** Who has sessions on the device. */
interface SessionHolder {
  /** What the sessions run on; none when there are none. */
  providers(): readonly Provider[];
  /** Gives every session up, for the caller to unload or to forget. */
  evictAll(): HeldSessions[];
  /** Lets go of those that nobody uses. */
  evictIdle(): Promise<void>;
  /** Every session went with the thread that it was in, or goes with its thread. */
  forgetAll(): void;
  /** All that was on a device that failed has been let go of. */
  lost(reason: string): void;
}

/** A session on the device, as it was in that era. */
interface SessionOfEra {
  session: OnnxSession;
  era: number;
}

/** What models run on: threads, and a CPU or GPU that may fail. Tells the faults of the device from those of models and rows. */
export class Device {
  readonly onnx: OnnxOptions;
  readonly workers: number;
  private hosts: OnnxThread[] = [];
  private loss = 0;
  private failure: string | null = null;
  /** Ends when the sessions on a lost device are gone: as long as one is held, it stays lost. */
  private lettingGo: Promise<unknown> = Promise.resolve();
  /** Runs under way. */
  private runs = 0;
  /** Ends when the last place that was loaded in turn is. */
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

  /** Grows when the device is lost: sessions from before are of no use. */
  get era(): number {
    return this.loss;
  }

  /** Why nothing could be run when it was last tried; null when it could. */
  get problem(): string | null {
    return this.failure;
  }

  /** Where models are loaded now; lost threads have been replaced. */
  places(): GraphHost[] {
    if (this.workers === 0) return [THIS_THREAD];
    while (this.hosts.length < this.workers) {
      const host: OnnxThread = new OnnxThread(() => this.replace(host));
      this.hosts.push(host);
    }
    return this.hosts;
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

  /**
   * Loads on every place of the present, or on those given. Throws UNAVAILABLE when the device is to blame or was lost since `era`, and what is wrong
   * with the graph otherwise.
   */
  async load<Loaded extends SessionOfEra>(
    era: number,
    load: (place: GraphHost) => Promise<Loaded>,
    places?: readonly GraphHost[],
  ): Promise<Loaded[]> {
    // Before it waits: letting go waits for the entries of its time to be loaded.
    if (era !== this.era) throw putOff();
    try {
      await this.lettingGo;
      const loading = await this.onPlaces(load, places ?? this.places());
      const loaded = loading.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      if (loaded.length < loading.length || era !== this.era) {
        // Nobody else knows of them: they would take memory for as long as the process lives.
        await Promise.allSettled(loaded.map(({ session }) => session.release()));
        const failed = loading.find((each) => each.status === 'rejected');
        throw failed?.reason ?? putOff();
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
   * What a GPU fails of is not the rows' fault: UNAVAILABLE puts the work off without blame. Where memory is short the idle
   * models go, and the batcher repeats the rows one by one; a device that is lost takes every session with it. What brings the
   * sessions of a device down that works is a row's fault: put off without blame it would do so for ever. `several`: the run is
   * of more rows than one.
   */
  async run<Outs>(on: SessionOfEra, several: boolean, run: () => Promise<Outs>, again = !several): Promise<Outs> {
    const { session, era } = on;
    if (era !== this.era) throw putOff();
    this.runs += 1;
    const running = run().finally(() => (this.runs -= 1));
    try {
      const outs = await running;
      if (era === this.era) this.failure = null;
      return outs;
    } catch (error) {
      // Whatever fails of a device that another run has lost meanwhile is its loss too, and says nothing of the next one.
      if (era !== this.era) throw putOff(error);
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
      if (era !== this.era) throw putOff(error);
      // A device that works all the same has failed of these rows: of one of them, which shows when they are repeated.
      if (works && several) throw error;
      this.startOver(reasonOf(error));
      if (works) throw error;
      throw this.unavailable(error);
    }
  }

  /**
   * Loads in all places at once where nothing runs, else in one after the other, whoever asks: a thread that loads runs nothing, and
   * the others go on.
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

  /** Returns when the device works, so that what failed is the graph's own fault; throws UNAVAILABLE otherwise. */
  private async askAfterLoading(error: unknown, era: number): Promise<void> {
    if (era !== this.era) throw putOff(error);
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

  /** Lets go of every session, that of models that run well too: they are on the same device. */
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

/** For work that a lost device took with it. Whether the next one works is not known by that. */
export function putOff(cause?: unknown): AditError {
  return new AditError('UNAVAILABLE', 'The GPU was lost meanwhile; the work is done again.', { cause });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
