/** Runs ONNX bytes under ONNX Runtime on the CPU, for the specs. */
import { randomOf } from '@adit/testing';
import { InferenceSession, Tensor } from 'onnxruntime-node';

export type NamedArrays = Record<string, Float32Array>;

export async function openSession(model: Uint8Array): Promise<InferenceSession> {
  return InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 3 });
}

export async function run(
  session: InferenceSession,
  input: Float32Array,
  shape: readonly number[],
): Promise<NamedArrays> {
  const name = session.inputNames[0] ?? '';
  const results = await session.run({ [name]: new Tensor('float32', input, shape) });
  const named = Object.entries(results).map(([output, tensor]) => {
    if (!(tensor.data instanceof Float32Array)) throw new TypeError(`${output} is not float32`);
    return [output, tensor.data] as const;
  });
  return Object.fromEntries(named);
}

// Accessing a global is slow in jest's contexts: too slow for each of a million values.
const { abs, max } = Math;

/** The largest distance between two arrays, relative to the larger of 1 and the reference's greatest value. */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) throw new RangeError(`${actual.length} values against ${expected.length}`);
  let error = 0;
  let scale = 1;
  for (let i = 0; i < expected.length; i += 1) {
    error = max(error, abs((actual[i] as number) - (expected[i] as number)));
    scale = max(scale, abs(expected[i] as number));
  }
  return error / scale;
}

/** Reproducible values in `low`..`high`. */
export function noise(length: number, low: number, high: number, seed = 1): Float32Array {
  const random = randomOf(seed);
  return Float32Array.from({ length }, () => low + random() * (high - low));
}
