import { availableParallelism } from 'node:os';
import { AditError, zip, type ImageInput } from '@adit/contracts';
import type { InferenceSession } from 'onnxruntime-node';
import type { GraphSource } from '../graph/made-graph.js';
import { THIS_THREAD, type Graph, type GraphHost, type GraphTensor, type Step, type StepOutput } from './onnx-graph.js';
import type { OnRan } from './model-time.js';
import type { Provider } from './providers.js';
import type { Row, TensorShape } from '../session.js';
import { sideTensor } from './side-parts.js';
import { floatTensor, shapeText, type Tensor } from '../tensor.js';

export interface OnnxOptions {
  /** In order of preference; the first working one is used. */
  providers: Provider[];
  /** Threads of one operator; 0 lets ONNX Runtime use one per core. */
  threads: number;
  /** GPU of CUDA and TensorRT. */
  device?: number;
  /** Keeps a CPU run's memory in an arena for the next one, for large pictures. */
  keepsMemory?: boolean;
  /** Called when a preferred provider does not work and the next one is used. */
  onFallback?: (from: Provider, to: Provider, reason: string) => void;
}

export const DEFAULT_ONNX_OPTIONS: OnnxOptions = { providers: ['cpu'], threads: 0 };

/** A graph loaded into ONNX Runtime. No other code uses its API. */
export class OnnxSession {
  readonly inputs: TensorShape[];
  readonly outputs: TensorShape[];

  private constructor(
    private readonly graph: Graph,
    readonly provider: Provider,
    /** Rows have all dimensions of the graph's inputs and outputs: it takes no batch. */
    private readonly isWhole: boolean,
  ) {
    this.inputs = shapes(graph.inputs);
    this.outputs = shapes(graph.outputs);
  }

  /**
   * Loads a graph into this thread, or into `host`. `isWhole`: it takes no batch. Throws INTERNAL with ONNX Runtime's
   * reason when no provider can, VALIDATION where the graph has no such form.
   */
  static async load(
    source: GraphSource,
    options: OnnxOptions = DEFAULT_ONNX_OPTIONS,
    host: GraphHost = THIS_THREAD,
    isWhole = false,
  ): Promise<OnnxSession> {
    const reasons: string[] = [];
    for (const [i, provider] of options.providers.entries()) {
      try {
        return new OnnxSession(await host.load(source, sessionOptions(provider, options)), provider, isWhole);
      } catch (error) {
        // No other provider would change that.
        if (AditError.from(error).code === 'VALIDATION') throw error;
        const reason = error instanceof Error ? error.message : String(error);
        reasons.push(`${provider}: ${reason}`);
        const next = options.providers[i + 1];
        if (next) options.onFallback?.(provider, next, reason);
      }
    }
    const what = typeof source === 'string' ? source : 'path' in source ? source.path : 'A graph';
    throw new AditError('INTERNAL', `${what} cannot be loaded (${reasons.join('; ')}).`);
  }

  /** True when rows can share a run: every input's first dimension is open. */
  get batches(): boolean {
    return (
      !this.isWhole && this.inputs.every((input) => typeof input.dims[0] === 'string' || Number(input.dims[0]) <= 0)
    );
  }

  /**
   * Runs rows together, or one after the other when the graph's batch is fixed. Outputs lose their batch dimension.
   * Throws INTERNAL, with types and shapes, for rows that the graph does not accept and for outputs that are not one
   * per row.
   */
  async run(rows: Row[], onRan?: OnRan): Promise<Row[]> {
    if (rows.length > 1 && !this.batches) {
      const outs: Row[] = [];
      for (const row of rows) outs.push(...(await this.run([row], onRan)));
      return outs;
    }
    const feeds = this.inputs.map((input): GraphTensor => ({ ...stack(rows, input, this.isWhole), name: input.name }));
    const outs = rows.map((): Row => ({}));
    for (const output of await this.graph.run(feeds, onRan)) {
      for (const [out, part] of zip(outs, unstack(output, rows.length, this.isWhole))) out[output.name] = part;
    }
    return outs;
  }

  /**
   * Runs one of several steps that build on each other, in the tensors of the graph itself. Throws ONNX Runtime's
   * reason.
   */
  step(step: Step, onRan?: OnRan): Promise<StepOutput[]> {
    return this.graph.step(step, onRan);
  }

  /**
   * Returns the manifest's additional inputs beside the picture, by name: the same for every row. Throws VALIDATION for
   * an input that the graph lacks.
   */
  sideRow({ also = {}, width, height }: Pick<ImageInput, 'also' | 'width' | 'height'>): Row {
    const row: Row = {};
    for (const [name, part] of Object.entries(also)) {
      const input = this.inputs.find((each) => each.name === name);
      if (input === undefined) {
        const names = this.inputs.map((each) => each.name).join(', ');
        throw new AditError('VALIDATION', `model.yaml names the input ${name}; the graph has ${names}.`);
      }
      const dims = input.dims.slice(this.isWhole ? 0 : 1);
      row[name] = sideTensor(part, { ...input, dims }, { width, height });
    }
    return row;
  }

  /**
   * Runs zeros once, so that the first real row finds memory and kernels in place. Open sizes come from `size`. Returns
   * the outputs; null where the input cannot be determined.
   */
  async warmUp(size: Pick<ImageInput, 'width' | 'height' | 'layout' | 'also'> | undefined): Promise<Row | null> {
    const row: Row = size === undefined ? {} : this.sideRow(size);
    for (const input of this.inputs) {
      if (row[input.name] !== undefined) continue;
      const dims = input.dims
        .slice(this.isWhole ? 0 : 1)
        .map((dim, i) => (typeof dim === 'number' && dim > 0 ? dim : openSize(i + 1, size)));
      if (dims.some((dim) => dim === null) || input.type !== 'float32') return null;
      const known = dims.map(Number);
      row[input.name] = floatTensor(new Float32Array(sizeOf(known)), known);
    }
    const [outputs] = await this.run([row]);
    return outputs ?? null;
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
    // Its number is one of ONNX Runtime's contexts, not of a GPU.
    webgpu: 'webgpu',
  };
  return {
    executionProviders: [providers[provider]],
    // More threads than cores only add switching.
    intraOpNumThreads: options.threads > 0 ? options.threads : availableParallelism(),
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // An arena keeps the peak memory of its session. malloc serves small ones from one heap just as fast, but glibc
    // maps blocks above 32 MB anew each time, and zeroing them took a quarter of a large picture's run.
    enableCpuMemArena: provider !== 'cpu' || options.keepsMemory === true,
    // Memory patterns allocate one block per run, which an arena rounds up to a power of two.
    enableMemPattern: options.keepsMemory !== true,
    logSeverityLevel: 3,
    extra: {
      // Spinning threads would take the cores that decode the next frame.
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

/**
 * Stacks the tensors of one input with the batch as first dimension; a whole one, and the scalar of a graph that wants
 * one, have none.
 */
function stack(rows: Row[], input: TensorShape, isWhole: boolean): Tensor {
  const [first, ...others] = rows.map((row) => checked(row[input.name], input, isWhole));
  if (first === undefined) throw new RangeError('no rows');
  const isScalar = input.dims.length === 0 && first.dims.length === 0;
  if (others.length === 0) return isScalar || isWhole ? first : { ...first, dims: [1, ...first.dims] };
  const { length } = first.data;
  // All rows have the same array type, as was checked against the graph; the type system cannot express that.
  const data = new (first.data.constructor as new (length: number) => Float32Array)(length * rows.length);
  for (const [i, tensor] of [first, ...others].entries()) {
    if (shapeText(tensor.type, tensor.dims) !== shapeText(first.type, first.dims)) {
      const differ = `${shapeText(first.type, first.dims)} and ${shapeText(tensor.type, tensor.dims)}`;
      throw new AditError('INTERNAL', `Rows of one run differ in ${input.name}: ${differ}.`);
    }
    // Same type as the first row, as just compared.
    data.set(tensor.data as Float32Array, i * length);
  }
  // The first row's type, and an array of the same kind.
  return { ...first, data, dims: [rows.length, ...first.dims] } as Tensor;
}

/** Returns a row's tensor if the input accepts it. */
function checked(tensor: Tensor | undefined, { name, type, dims }: TensorShape, isWhole: boolean): Tensor {
  const fits = (given: readonly number[]): boolean => {
    // ONNX Runtime gives no dimensions for a scalar, nor for an input of any shape.
    if (dims.length === 0) return true;
    const wanted = dims.slice(isWhole ? 0 : 1);
    return (
      wanted.length === given.length &&
      wanted.every((dim, i) => typeof dim === 'string' || dim <= 0 || dim === given[i])
    );
  };
  if (tensor !== undefined && tensor.type === type && fits(tensor.dims) && tensor.data.length === sizeOf(tensor.dims)) {
    return tensor;
  }
  const given =
    tensor === undefined ? 'none' : `${shapeText(tensor.type, tensor.dims)} of ${tensor.data.length} values`;
  throw new AditError(
    'INTERNAL',
    `The input ${name} is ${shapeText(type, dims)}${isWhole ? '' : ', batch first'}; a row gave ${given}.`,
  );
}

/** Splits an output row by row; a whole one is the row. */
function unstack(output: GraphTensor, rows: number, isWhole: boolean): Tensor[] {
  const { type, data, dims } = output;
  if (rows > 1 && dims[0] !== rows) {
    const shape = shapeText(type, dims);
    throw new AditError(
      'INTERNAL',
      `The output ${output.name} is ${shape} for ${rows} rows: it has no batch dimension.`,
    );
  }
  // Unchanged, under its own type.
  if (isWhole) return [{ type, data, dims } as Tensor];
  const length = data.length / rows;
  return Array.from({ length: rows }, (_, i) => {
    const part = rows === 1 ? data : data.subarray(i * length, (i + 1) * length);
    // A subarray has the array type of the whole.
    return { type, data: part, dims: dims.slice(1) } as Tensor;
  });
}

function sizeOf(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}
