import { availableParallelism } from 'node:os';
import { AditError } from '@adit/contracts';
import type { InferenceSession } from 'onnxruntime-node';
import { THIS_THREAD, type Graph, type GraphHost, type GraphTensor } from './onnx-graph.js';
import type { FloatTensor, Row } from './session.js';

export const PROVIDERS = ['cpu', 'cuda', 'tensorrt'] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface OnnxOptions {
  /** In order of preference; the first that works is used. */
  providers: Provider[];
  /** Threads of one operator; 0 lets ONNX Runtime take a thread for each core. */
  threads: number;
  /** GPU to run on. */
  device?: number;
  /** Told when a preferred provider does not work and the next one is used. */
  onFallback?: (from: Provider, to: Provider, reason: string) => void;
}

export const DEFAULT_ONNX_OPTIONS: OnnxOptions = { providers: ['cpu'], threads: 0 };

/** A tensor's shape in the graph; text stands for an open dimension. */
export interface TensorShape {
  name: string;
  type: string;
  dims: readonly (number | string)[];
}

/** A graph loaded into ONNX Runtime. The only place that knows its API. */
export class OnnxSession {
  readonly inputs: TensorShape[];
  readonly outputs: TensorShape[];

  private constructor(
    private readonly graph: Graph,
    readonly provider: Provider,
  ) {
    this.inputs = shapes(graph.inputs);
    this.outputs = shapes(graph.outputs);
  }

  /**
   * Loads a graph, a path or the bytes of a file, into this thread unless `host` is another. Throws INTERNAL with ONNX
   * Runtime's reason when no provider can.
   */
  static async load(
    model: string | Uint8Array,
    options: OnnxOptions = DEFAULT_ONNX_OPTIONS,
    host: GraphHost = THIS_THREAD,
  ): Promise<OnnxSession> {
    const reasons: string[] = [];
    for (const [i, provider] of options.providers.entries()) {
      try {
        return new OnnxSession(await host.load(model, sessionOptions(provider, options)), provider);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        reasons.push(`${provider}: ${reason}`);
        const next = options.providers[i + 1];
        if (next) options.onFallback?.(provider, next, reason);
      }
    }
    const what = typeof model === 'string' ? model : 'A graph';
    throw new AditError('INTERNAL', `${what} cannot be loaded (${reasons.join('; ')}).`);
  }

  /** Whether rows can share a run: every input's first dimension is open. */
  get batches(): boolean {
    return this.inputs.every((input) => typeof input.dims[0] === 'string' || Number(input.dims[0]) <= 0);
  }

  /** Runs rows together, or one after the other when the graph's batch is fixed. Outputs lose their batch dimension. */
  async run(rows: Row[]): Promise<Record<string, FloatTensor>[]> {
    if (rows.length > 1 && !this.batches) {
      const outs: Record<string, FloatTensor>[] = [];
      for (const row of rows) outs.push(...(await this.run([row])));
      return outs;
    }
    const feeds = this.inputs.map(({ name }): GraphTensor => ({ name, ...stack(rows, name) }));
    const outs = rows.map((): Record<string, FloatTensor> => ({}));
    for (const { name, data, dims } of await this.graph.run(feeds)) {
      const length = data.length / rows.length;
      outs.forEach((out, i) => {
        out[name] = { data: data.subarray(i * length, (i + 1) * length), dims: dims.slice(1) };
      });
    }
    return outs;
  }

  /** Runs zeros once, so that the first real row finds memory and kernels in place. Open sizes come from `size`. */
  async warmUp(size: { width: number; height: number; layout: 'nchw' | 'nhwc' } | undefined): Promise<void> {
    const row: Row = {};
    for (const input of this.inputs) {
      const dims = input.dims
        .slice(1)
        .map((dim, i) => (typeof dim === 'number' && dim > 0 ? dim : openSize(i + 1, size)));
      if (dims.some((dim) => dim === null) || input.type !== 'float32') return;
      const known = dims.map(Number);
      row[input.name] = { data: new Float32Array(known.reduce((product, dim) => product * dim, 1)), dims: known };
    }
    await this.run([row]);
  }

  async release(): Promise<void> {
    await this.graph.release();
  }
}

function sessionOptions(provider: Provider, options: OnnxOptions): InferenceSession.SessionOptions {
  const device = { deviceId: options.device ?? 0 };
  const providers: Record<Provider, InferenceSession.ExecutionProviderConfig> = {
    cpu: 'cpu',
    cuda: { name: 'cuda', ...device },
    tensorrt: { name: 'tensorrt', ...device },
  };
  return {
    executionProviders: [providers[provider]],
    // One more thread than cores only adds switching.
    intraOpNumThreads: options.threads > 0 ? options.threads : availableParallelism(),
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // The arena keeps the largest activations it ever needed, for each session; malloc's reuse costs about 1 %.
    enableCpuMemArena: provider !== 'cpu',
    enableMemPattern: true,
    logSeverityLevel: 3,
    extra: {
      // Spinning threads steal the cores that decode the next frame.
      session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } },
    },
  };
}

function shapes(metadata: readonly InferenceSession.ValueMetadata[]): TensorShape[] {
  return metadata.map((value) =>
    value.isTensor
      ? { name: value.name, type: value.type, dims: value.shape }
      : { name: value.name, type: 'not a tensor', dims: [] },
  );
}

function openSize(
  axis: number,
  size: { width: number; height: number; layout: 'nchw' | 'nhwc' } | undefined,
): number | null {
  if (!size) return null;
  const [heightAxis, widthAxis] = size.layout === 'nchw' ? [2, 3] : [1, 2];
  return axis === heightAxis ? size.height : axis === widthAxis ? size.width : null;
}

function stack(rows: Row[], name: string): { data: Float32Array; dims: number[] } {
  const first = rows[0]![name];
  if (!first) throw new AditError('INTERNAL', `A row has no input ${name}.`);
  const dims = [rows.length, ...first.dims];
  if (rows.length === 1) return { data: first.data, dims };
  const data = new Float32Array(first.data.length * rows.length);
  rows.forEach((row, i) => {
    const tensor = row[name];
    if (tensor?.data.length !== first.data.length)
      throw new AditError('INTERNAL', `Rows differ in the size of ${name}.`);
    data.set(tensor.data, i * first.data.length);
  });
  return { data, dims };
}
