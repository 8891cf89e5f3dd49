import type { ModelManifest } from '@adit/contracts';
import type { Provider } from './providers.js';
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
}
