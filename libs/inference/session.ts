import type { ModelManifest } from '@adit/contracts';
import type { FedTensor, HeldTensor } from './sessions/onnx-graph.js';
import type { Provider } from './sessions/providers.js';
import type { FloatTensor, Tensor } from './tensor.js';

/** One row of a batch: every input or output by name, without its batch dimension. */
export type Row = Record<string, Tensor>;

/**
 * A loaded network. `run` takes one row; rows of concurrent callers are joined into batches up to the model's maximum.
 */
export interface NetworkSession {
  readonly name: string;
  /** Digest of the pin. */
  readonly digest: string;
  /** Execution provider in use. */
  readonly provider: Provider;
  /** Pre-processing, labels and embedding length of the model. */
  readonly manifest: ModelManifest;
  /** Throws INTERNAL, with types and shapes, for a row that the graph does not accept. */
  run(row: Row): Promise<Row>;
  /**
   * Runs a picture's pixels, H×W×3 floats, red, green, blue, 0..255, in the size of the manifest's input; the rest of
   * the pre-processing is part of the graph. Missing where the graph does not support it: use `run` with the tensor.
   */
  runPixels?(pixels: FloatTensor): Promise<Row>;
  /** Reads a file that lies beside the graph and belongs to the version. Throws NOT_FOUND for any other. */
  readFile(name: string): Promise<Buffer>;
  /** Inputs and outputs of the graph itself, with its batch dimension. */
  signature(): Promise<GraphSignature>;
  /** Starts runs that build on each other, with a share of the machine chosen by the pool. End it when done. */
  sequence(): Sequence;
}

/** A tensor's shape in a graph; text, or a number that is not positive, means an open dimension. */
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
 * Runs that build on each other, of any networks of one pool, all in the thread assigned to the sequence. A kept
 * output, or some of its rows, can be an input of the next run without leaving the thread. Tensors are the graph's own,
 * with their batch dimension.
 */
export interface Sequence {
  /**
   * Returns the outputs in `wanted`, and those in `keep` as tensors that stay until the sequence ends or drops them;
   * other outputs are not computed. Throws INTERNAL with ONNX Runtime's reason, and UNAVAILABLE for GPU failures.
   */
  run(
    network: NetworkSession,
    inputs: Readonly<Record<string, Tensor | FedTensor>>,
    outputs: { wanted?: readonly string[]; keep?: readonly string[] },
  ): Promise<{ wanted: Row; kept: Record<string, HeldTensor> }>;
  drop(kept: Iterable<HeldTensor>): Promise<void>;
  end(): Promise<void>;
}
