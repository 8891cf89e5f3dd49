import type { ModelManifest } from '@adit/contracts';
import type { FedTensor, HeldTensor } from './sessions/onnx-graph.js';
import type { Provider } from './sessions/providers.js';
import type { FloatTensor, Tensor } from './tensor.js';

/** One row of a batch: every input or output by name, without its batch dimension. */
export type Row = Record<string, Tensor>;

/** A loaded network. `run` takes one row; rows of concurrent callers are joined into batches up to the model's maximum. */
export interface NetworkSession {
  readonly name: string;
  /** The pin's digest. */
  readonly digest: string;
  /** What it runs on. */
  readonly provider: Provider;
  /** How the model wants its pixels, its labels, its embedding's length. */
  readonly manifest: ModelManifest;
  /** Throws INTERNAL, with the types and shapes, for a row that the graph does not take. */
  run(row: Row): Promise<Row>;
  /**
   * The same for a picture's pixels, H×W×3 floats, red, green, blue, 0..255, in the size of the manifest's input; what
   * else the manifest asks for is done in the graph. Missing where the graph cannot: then `run` takes the tensor.
   */
  runPixels?(pixels: FloatTensor): Promise<Row>;
  /** A file that lies beside the graph and belongs to the version. Throws NOT_FOUND for any other. */
  readFile(name: string): Promise<Buffer>;
  /** What the graph itself takes and gives, with its batch dimension. */
  signature(): Promise<GraphSignature>;
  /** For runs that build on each other, with a share of the machine that its caller need not think of. End it when done. */
  sequence(): Sequence;
}

/** A tensor's shape in a graph; text, or nothing above 0, stands for an open dimension. */
export interface TensorShape {
  name: string;
  type: string;
  dims: readonly (number | string)[];
}

export interface GraphSignature {
  inputs: readonly TensorShape[];
  outputs: readonly TensorShape[];
}

/**
 * Runs that build on each other, of any networks of one pool, all in the thread that the sequence was given: what one of them
 * keeps, or some of its rows, is an input of the next without ever leaving it. Tensors are the graph's own, with their batch
 * dimension.
 */
export interface Sequence {
  /**
   * Returns the outputs in `wanted`, and those in `keep` as tensors that stay until the sequence ends or drops them; others are
   * not made. Throws INTERNAL with ONNX Runtime's reason, and UNAVAILABLE when the GPU is to blame.
   */
  run(
    network: NetworkSession,
    inputs: Readonly<Record<string, Tensor | FedTensor>>,
    outputs: { wanted?: readonly string[]; keep?: readonly string[] },
  ): Promise<{ wanted: Row; kept: Record<string, HeldTensor> }>;
  drop(kept: Iterable<HeldTensor>): Promise<void>;
  end(): Promise<void>;
}
