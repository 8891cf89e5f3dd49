import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, elementAt, type ImageInput, type ModelManifest, type Precision } from '@adit/contracts';
import { Batcher } from './batcher.js';
import { putOff, type Device } from './device.js';
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
import type { NetworkSession, Row, Sequence } from '../session.js';
import { shapeText } from '../tensor.js';

/** How rows of concurrent callers become runs. */
export interface BatchOptions {
  /** Caps every manifest's maxBatch. By default 1 on a CPU and no cap on a GPU. */
  maxBatch?: number;
  /** Milliseconds a run waits for company. */
  maxDelayMs?: number;
}

/** How models are run that a workspace added for itself. */
export interface ApartOptions {
  /** On a CPU each in a process of its own, held to this. By default as all others. */
  apart?: ProcessLimits;
}

/** A model in memory: its network, and what takes it out again. */
export interface LoadedModel {
  network: NetworkSession;
  unload(): Promise<void>;
  /** For sessions that are gone without it: the model's files are needed no more. */
  forget(): void;
}

/** A model's session in one place. */
interface Copy {
  session: OnnxSession;
  /** Where it is loaded. */
  place: GraphHost;
  running: number;
  era: number;
}

/** Where a model is loaded; without places in those of the device. */
interface Where {
  era: number;
  place?: OnnxProcess;
}

interface Held {
  network: NetworkSession;
  release: () => Promise<void>;
}

/** A process of its own, or the memory of its runs: some 100 MB for each session. */
export type Taken = 'process' | 'memory';

type RunRow = (row: Row) => Promise<Row>;
/** Sessions of a network's own graph, and how its rows are run. */
interface Plain {
  copies: Copy[];
  run: RunRow;
}

/**
 * Rows of one run on a CPU. Batches gain nothing measurable there, hold the event loop longer, and make the last bits of
 * an answer depend on its neighbours.
 */
const CPU_BATCH = 1;

/** Makes networks of models: sessions in every place of the device, and the rows of many callers shared out among them. */
export class ModelSessions {
  /** How to get at the sessions of a network's own graph. */
  private readonly copiesOf = new WeakMap<NetworkSession, () => Promise<Copy[]>>();
  /** Sequences that have not ended, by their place. */
  private readonly sequences = new WeakMap<GraphHost, number>();

  constructor(
    private readonly device: Device,
    private readonly options: BatchOptions & ApartOptions,
    private readonly observer: PoolObserver | undefined,
  ) {}

  /**
   * What a model takes beside its files. What a workspace added is in a process of its own; a GPU is not shared out among processes:
   * there its own memory is the bound.
   */
  takes({ stored, manifest }: ModelVersion): Taken | null {
    if (!this.isOnCpu) return null;
    if (this.options.apart !== undefined && stored?.workspaceId != null) return 'process';
    return seesLargePictures(manifest) ? 'memory' : null;
  }

  /**
   * `era` is that of who asks: what a lost device had, or was to have, is gone, and nothing is loaded for it any more. `onLost` is
   * told when the process of its own has ended.
   */
  async load(model: ModelVersion, precision: Precision, era: number, onLost: () => void): Promise<LoadedModel> {
    // What is loaded keeps its files: sessions for tensors are loaded when the first one is given.
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
   * In float16 a GPU without it rounds, as a CPU does, so that its numbers are those of others; a graph that has no float16, or
   * cannot be loaded in it, stays what it is. A CPU gets what it is fast at.
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
    // Made where it is loaded, whoever made the file.
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
    // What cannot be loaded with pre-processing in front (its weights lie in other files, say) is loaded as it is.
    const first = await copiesOf(pixels).catch((error: unknown) => {
      const problem = AditError.from(error);
      if (pixels === undefined || problem.code === 'UNAVAILABLE' || problem.code === 'VALIDATION') throw error;
      return null;
    });
    const isLooking = first?.every(({ session }) => session.inputs.some(({ name }) => name === PIXELS)) === true;
    const looking = isLooking ? first : null;
    let plain: Promise<Plain> | null = first === null || isLooking ? null : Promise.resolve(asPlain(first));
    const plainly = (): Promise<Plain> => {
      if (plain !== null) return plain;
      const loading = copiesOf().then(asPlain);
      plain = loading;
      // What failed for want of memory, say, is tried again by the next row.
      loading.catch(() => (plain = null));
      return loading;
    };
    // A model of pictures is hardly ever given tensors: those sessions are loaded when it is.
    if (looking === null) await plainly();
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
    if (looking !== null) {
      const runRow = besides(looking, this.batched(model, looking));
      network.runPixels = (tensor) => runRow({ [PIXELS]: tensor });
    }
    const release = async (): Promise<void> => {
      for (const { session } of loaded.flat()) await session.release();
    };
    return { network, release };
  }

  /** One warm session in each place. Throws UNAVAILABLE when the GPU is to blame, and what is wrong with the graph otherwise. */
  private async copies(model: ModelVersion, graph: MadeGraph, { era, place: own }: Where): Promise<Copy[]> {
    const start = performance.now();
    const { pin, manifest } = model;
    const { onnx, workers } = this.device;
    // Alone in its process it has the cores that the workers share.
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
    const batcher = new Batcher<Row, Row>(
      async (rows) => {
        const before = performance.now();
        const copy = copies.reduce((free, other) => (other.running < free.running ? other : free));
        copy.running++;
        try {
          const outs = await this.device.run(copy, rows.length > 1, () => copy.session.run(rows));
          this.observer?.ran?.(pin.name, rows.length, (performance.now() - before) / 1000, pin.digest);
          return outs;
        } finally {
          copy.running--;
        }
      },
      // A row more than there are workers waits in the thread already; batches gain more from company.
      { maxBatch, key: rowShapes, maxDelayMs, concurrency: maxBatch === 1 ? 2 * Math.max(1, this.device.workers) : 1 },
    );
    return (row) => batcher.run(row);
  }

  private sequence(own: GraphHost | undefined): Sequence {
    const at = (place: GraphHost): number => this.sequences.get(place) ?? 0;
    const place = own ?? this.device.places().reduce((free, other) => (at(other) < at(free) ? other : free));
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
          const outputs = await this.device.run(copy, false, () => copy.session.step(step));
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

/** Pixels of a network's input from which on it runs in more than the 32 MB that malloc keeps: some 200 bytes for each. */
const LARGE_PICTURE = 400_000;

function seesLargePictures({ input }: ModelManifest): boolean {
  return input !== undefined && input.width * input.height >= LARGE_PICTURE;
}

/** Bytes of a model's file up to which it is read to see whether a CPU has something to gain. */
const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;

/** Whether a CPU may get another graph than the model's file has. */
export function isRewritten({ files }: ModelVersion): boolean {
  const { size = Infinity } = files.find(({ name }) => name === 'model.onnx') ?? {};
  return size <= MAX_REWRITTEN_BYTES;
}

export function graphFile({ folder }: ModelVersion): string {
  return join(folder, 'model.onnx');
}

/** The pictures whose pre-processing goes in front of the model's graph; undefined when it takes none, or not that way. */
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

/** Rows share a run when their tensors are of the same types and shapes. */
function rowShapes(row: Row): string {
  return Object.entries(row)
    .map(([name, { type, dims }]) => `${name} ${shapeText(type, dims)}`)
    .join();
}
