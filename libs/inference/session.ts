import type { ModelManifest } from '@adit/contracts';

/** A float tensor; `dims[0]` is the batch. */
export interface FloatTensor {
  data: Float32Array;
  dims: readonly number[];
}

/** One row of a batch: every input without its batch dimension. */
export type Row = Record<string, FloatTensor>;

/** A loaded network. `run` takes one row; rows of concurrent callers are joined into batches up to the model's maximum. */
export interface NetworkSession {
  readonly name: string;
  /** The pin's digest. */
  readonly digest: string;
  /** How the model wants its pixels, its labels, its embedding's length. */
  readonly manifest: ModelManifest;
  /** Outputs by name, without the batch dimension. */
  run(row: Row): Promise<Record<string, FloatTensor>>;
  /**
   * The same for a picture's pixels, H×W×3 floats, red, green, blue, 0..255, in the size of the manifest's input; what
   * else the manifest asks for is done in the graph. Missing where the graph cannot: then `run` takes the tensor.
   */
  runPixels?(pixels: FloatTensor): Promise<Record<string, FloatTensor>>;
}
