import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, elementAt, type ImageInput, type ModelManifest, type Precision } from '@adit/contracts';
import { Batcher } from './batcher.js';
import { deferred, type Device } from './device.js';
import type { ModelVersion } from '../repository/model-folder.js';
import type { Float16Form } from '../graph/float16-graph.js';
import type { GraphForm, MadeGraph } from '../graph/made-graph.js';
import type { GraphHost } from './onnx-graph.js';
import { OnnxProcess, type ProcessLimits } from './onnx-process.js';
import { OnnxSession } from './onnx-session.js';
import { PIXELS } from '../graph/pixel-graph.js';
import { PlacedSequence } from './placed-sequence.js';
import type { PoolObserver } from './pool-observer.js';
import type { Provider } from './providers.js';
import { addModelTime, modelTime, type ModelSeconds } from './model-time.js';
import type { NetworkSession, Row, Sequence } from '../session.js';
import { shapeText } from '../tensor.js';

/** Batching of concurrent callers' rows. */
export interface BatchOptions {
  /** Caps every manifest's maxBatch. Default: 1 on a CPU, no cap on a GPU. */
  maxBatch?: number;
  /** Milliseconds that a run waits for more rows. */
  maxDelayMs?: number;
}

/** Isolation of models that a workspace added for itself. */
export interface ApartOptions {
  /** On a CPU, runs each in a separate process with these limits. Default: like all others. */
  apart?: ProcessLimits;
}

/** A model in memory: its network, and the functions that release it. */
export interface LoadedModel {
  network: NetworkSession;
  unload(): Promise<void>;
  /** Releases only the model's files. The sessions must have ended. */
  forget(): void;
}

/** A model's session in one place. */
interface Copy {
  session: OnnxSession;
  /** Place where it is loaded. */
  place: GraphHost;
  running: number;
  era: number;
}

/** Place to load a model; by default those of the device. */
interface Where {
  era: number;
  place?: OnnxProcess;
}

interface Held {
  network: NetworkSession;
  release: () => Promise<void>;
}

/** Extra resource of a model: a separate process, or retained memory of its runs, some 100 MB per session. */
export type Taken = 'process' | 'memory';

type RunRow = (row: Row) => Promise<Row>;
/** A row with the sums that its share of a run is added to. */
interface CountedRow {
  row: Row;
  spent: ModelSeconds | undefined;
}
/** Sessions of a network's original graph, and how its rows are run. */
interface Plain {
  copies: Copy[];
  run: RunRow;
}

/**
 * Rows per run on a CPU. Batches gain nothing measurable there, block the event loop longer, and make the last bits of
 * an answer depend on other rows.
 */
const CPU_BATCH = 1;

/**
 * Creates networks of models: sessions in every place of the device, and distribution of many callers' rows among them.
 */
export class ModelSessions {
  /** Accessor of the sessions of a network's original graph. */
  private readonly copiesOf = new WeakMap<NetworkSession, () => Promise<Copy[]>>();
  /** Active sequences by place. */
  private readonly sequences = new WeakMap<GraphHost, number>();

  constructor(
    private readonly device: Device,
    private readonly options: BatchOptions & ApartOptions,
    private readonly observer: PoolObserver | undefined,
  ) {}

  /**
   * Returns the extra resource of a model. A workspace's model has a separate process. On a GPU, which is not divided
   * among processes, its memory is the limit.
   */
  takes({ stored, manifest }: ModelVersion): Taken | null {
    if (!this.isOnCpu) return null;
    if (this.options.apart !== undefined && stored?.workspaceId != null) return 'process';
    return seesLargePictures(manifest) ? 'memory' : null;
  }

  /**
   * Loads a model. `era` is the caller's: sessions of a lost device are gone, and nothing is loaded for it any more.
   * `onLost` is called when the separate process has ended.
   */
  async load(model: ModelVersion, precision: Precision, era: number, onLost: () => void): Promise<LoadedModel> {
    // A loaded model holds its files, because tensor sessions are loaded on the first tensor.
    const letGo = await model.stored?.hold();
    const { apart } = this.options;
    const place =
      apart !== undefined && this.takes(model) === 'process'
        ? new OnnxProcess(model.pin.name, apart, onLost)
        : undefined;
    const forget = (): void => {
      letGo?.();
      void place?.close();
    };
    try {
      const { network, release } = await this.loadIn(precision, model, { era, place });
      const unload = async (): Promise<void> => {
        await release();
        await place?.close();
        forget();
      };
      return { network, unload, forget };
    } catch (error) {
      forget();
      throw error;
    }
  }

  /**
   * Loads the network in a precision. A GPU without float16 rounds, as a CPU does, so that its numbers equal others'; a
   * graph without a float16 form stays in float32. CPUs get a rewritten graph.
   */
  private async loadIn(precision: Precision, model: ModelVersion, where: Where): Promise<Held> {
    const forms: Float16Form[] = this.device.onnx.providers.includes('cpu') ? ['rounded'] : ['float16', 'rounded'];
    for (const form of precision === 'float16' ? forms : []) {
      try {
        return await this.loadHeld(model, form, where);
      } catch (error) {
        const problem = AditError.from(error);
        if (problem.code === 'UNAVAILABLE') throw error;
        this.observer?.keptInFloat32?.(model.pin.name, problem.message);
        if (problem.code === 'VALIDATION') break;
      }
    }
    if (this.isOnCpu && isRewritten(model)) {
      try {
        return await this.loadHeld(model, 'cpu', where);
      } catch (error) {
        if (AditError.from(error).code === 'UNAVAILABLE') throw error;
      }
    }
    return this.loadHeld(model, 'file', where);
  }

  private get isOnCpu(): boolean {
    return this.device.onnx.providers.every((provider) => provider === 'cpu');
  }

  private async loadHeld(model: ModelVersion, form: GraphForm, where: Where): Promise<Held> {
    const { pin, manifest } = model;
    const loaded: Copy[][] = [];
    // The graph is rewritten where it is loaded.
    const copiesOf = async (pixels?: ImageInput): Promise<Copy[]> => {
      const copies = await this.copies(model, { path: graphFile(model), form, pixels }, where);
      loaded.push(copies);
      return copies;
    };
    const asPlain = (copies: Copy[]): Plain => ({ copies, run: besides(copies, this.batched(model, copies)) });
    const besides = (copies: Copy[], run: RunRow): RunRow => {
      const { input } = manifest;
      if (input?.also === undefined) return run;
      const side = elementAt(copies, 0).session.sideRow(input);
      return (row) => run({ ...side, ...row });
    };
    const pixels = pixelsOf(manifest);
    // A graph that cannot be loaded with pre-processing in front (e.g. external weights) is loaded unchanged.
    const first = await copiesOf(pixels).catch((error: unknown) => {
      const problem = AditError.from(error);
      if (pixels === undefined || problem.code === 'UNAVAILABLE' || problem.code === 'VALIDATION') throw error;
      return null;
    });
    const takesPixels = first?.every(({ session }) => session.inputs.some(({ name }) => name === PIXELS)) === true;
    const pixelSession = takesPixels ? first : null;
    let plain: Promise<Plain> | null = first === null || takesPixels ? null : Promise.resolve(asPlain(first));
    const plainly = (): Promise<Plain> => {
      if (plain !== null) return plain;
      const loading = copiesOf().then(asPlain);
      plain = loading;
      // The next row retries after a failure such as lack of memory.
      loading.catch(() => (plain = null));
      return loading;
    };
    // Picture models are hardly ever given tensors, so those sessions are loaded on demand.
    if (pixelSession === null) await plainly();
    const network: NetworkSession = {
      name: pin.name,
      digest: pin.digest,
      provider: providerOf(elementAt(loaded, 0)),
      manifest,
      run: async (row) => (await plainly()).run(row),
      readFile: (name) => readModelFile(model, name),
      signature: async () => {
        const { inputs, outputs } = elementAt((await plainly()).copies, 0).session;
        return { inputs, outputs };
      },
      sequence: () => this.sequence(where.place),
    };
    this.copiesOf.set(network, async () => (await plainly()).copies);
    if (pixelSession !== null) {
      const runRow = besides(pixelSession, this.batched(model, pixelSession));
      network.runPixels = (tensor) => runRow({ [PIXELS]: tensor });
    }
    const release = async (): Promise<void> => {
      for (const { session } of loaded.flat()) await session.release();
    };
    return { network, release };
  }

  /** Loads one warm session per place. Throws UNAVAILABLE for GPU failures, else the graph's error. */
  private async copies(model: ModelVersion, graph: MadeGraph, { era, place: own }: Where): Promise<Copy[]> {
    const start = performance.now();
    const { pin, manifest } = model;
    const { onnx, workers } = this.device;
    // A separate process has the cores that the workers share.
    const options = own
      ? { ...onnx, threads: onnx.threads * Math.max(1, workers) }
      : { ...onnx, keepsMemory: this.takes(model) === 'memory' };
    const load = async (place: GraphHost): Promise<Copy> => {
      const session = await OnnxSession.load(graph, options, place, manifest.input?.batch === false);
      try {
        await session.warmUp(manifest.input);
      } catch (error) {
        await session.release().catch(() => undefined);
        throw error;
      }
      return { session, place, running: 0, era };
    };
    const copies = await this.device.load(era, load, own && [own]);
    this.observer?.loaded?.(pin.name, providerOf(copies), (performance.now() - start) / 1000);
    return copies;
  }

  private batched({ pin, manifest }: ModelVersion, copies: Copy[]): RunRow {
    const { maxDelayMs } = this.options;
    const maxBatch = this.batchOf(elementAt(copies, 0).session, manifest);
    const batcher = new Batcher<CountedRow, Row>(
      async (counted) => {
        const rows = counted.map(({ row }) => row);
        const before = performance.now();
        const onRan = (copy: Copy, seconds: number): void => {
          for (const { spent } of counted) addModelTime(spent, copy.session.provider, seconds / counted.length);
        };
        const copy = copies.reduce((free, other) => (other.running < free.running ? other : free));
        copy.running++;
        try {
          const outs = await this.device.run(copy, rows.length > 1, () =>
            copy.session.run(rows, (seconds) => onRan(copy, seconds)),
          );
          this.observer?.ran?.(pin.name, rows.length, (performance.now() - before) / 1000, pin.digest);
          return outs;
        } finally {
          copy.running--;
        }
      },
      // One row more than workers already waits in a thread; batches gain more from additional rows.
      {
        maxBatch,
        key: ({ row }) => rowShapes(row),
        maxDelayMs,
        concurrency: maxBatch === 1 ? 2 * Math.max(1, this.device.workers) : 1,
      },
    );
    return (row) => batcher.run({ row, spent: modelTime() });
  }

  private sequence(own: GraphHost | undefined): Sequence {
    const at = (place: GraphHost): number => this.sequences.get(place) ?? 0;
    const place = own ?? this.device.places().reduce((free, other) => (at(other) < at(free) ? other : free));
    this.sequences.set(place, at(place) + 1);
    return new PlacedSequence(place, {
      step: async (network, step) => {
        const copies = await this.copiesOf.get(network)?.();
        const copy = copies?.find((each) => each.place === place);
        // The network was loaded anew since, into other threads.
        if (!copy) throw deferred();
        const before = performance.now();
        const spent = modelTime();
        const onRan = (seconds: number): void => addModelTime(spent, copy.session.provider, seconds);
        copy.running++;
        try {
          const outputs = await this.device.run(copy, false, () => copy.session.step(step, onRan));
          this.observer?.ran?.(network.name, 1, (performance.now() - before) / 1000, network.digest);
          return outputs;
        } finally {
          copy.running--;
        }
      },
      ended: () => this.sequences.set(place, at(place) - 1),
    });
  }

  private batchOf(session: OnnxSession, manifest: ModelManifest): number {
    if (!session.batches) return 1;
    const cap = this.options.maxBatch ?? (session.provider === 'cpu' ? CPU_BATCH : Infinity);
    return Math.max(1, Math.min(manifest.maxBatch, cap));
  }
}

/** Pixels of a network's input from which on a run takes more than the 32 MB that malloc keeps: some 200 bytes each. */
const LARGE_PICTURE = 400_000;

function seesLargePictures({ input }: ModelManifest): boolean {
  return input !== undefined && input.width * input.height >= LARGE_PICTURE;
}

/** Largest model file that is read for rewriting. */
const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;

/** Tests whether a CPU may get a rewritten graph. */
export function isRewritten({ files }: ModelVersion): boolean {
  const { size = Infinity } = files.find(({ name }) => name === 'model.onnx') ?? {};
  return size <= MAX_REWRITTEN_BYTES;
}

export function graphFile({ folder }: ModelVersion): string {
  return join(folder, 'model.onnx');
}

/**
 * Returns the input whose pre-processing goes in front of the model's graph; undefined when it takes no pictures, or
 * not in that form.
 */
function pixelsOf({ input }: ModelManifest): ImageInput | undefined {
  return input === undefined || input.openWidth || input.batch === false ? undefined : input;
}

async function readModelFile({ pin, folder, files }: ModelVersion, name: string): Promise<Buffer> {
  if (files.some((file) => file.name === name)) return readFile(join(folder, name));
  throw new AditError('NOT_FOUND', `Model ${pin.name} version ${pin.version} has no file ${name}.`);
}

function providerOf(copies: Copy[]): Provider {
  return elementAt(copies, 0).session.provider;
}

/** Key of rows whose tensors have the same types and shapes and can share a run. */
function rowShapes(row: Row): string {
  return Object.entries(row)
    .map(([name, { type, dims }]) => `${name} ${shapeText(type, dims)}`)
    .join();
}
