import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { conversionError, sizeOf, type ConstantTensor, type TensorData } from './tensor.js';

const Quantisation = z.union([
  z.object({ dtype: z.literal('float16') }),
  z.object({ dtype: z.enum(['uint8', 'uint16']), scale: z.number(), min: z.number() }),
]);

export const WeightSpec = z.object({
  name: z.string(),
  shape: z.array(z.int().nonnegative()),
  dtype: z.enum(['float32', 'int32', 'bool']),
  quantization: Quantisation.optional(),
});
export type WeightSpec = z.infer<typeof WeightSpec>;

/** TensorFlow.js' weight manifest: groups of tensors laid out one after the other across the group's shards. */
export const WeightsManifest = z.array(z.object({ paths: z.array(z.string()), weights: z.array(WeightSpec) }));
export type WeightsManifest = z.infer<typeof WeightsManifest>;

/** IEEE 754 binary16 to a number, subnormals, infinities and NaN included. */
export function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Table of all binary16 values: looking up is many times faster. */
let halves: Float32Array | null = null;

function halfReader(bytes: DataView): (offset: number) => number {
  const known = (halves ??= Float32Array.from({ length: 0x10000 }, (_, bits) => float16ToNumber(bits)));
  return (offset) => known[bytes.getUint16(offset, true)]!;
}

function bytesPerValue(spec: WeightSpec): number {
  const stored = spec.quantization?.dtype ?? spec.dtype;
  return { float32: 4, int32: 4, bool: 1, float16: 2, uint8: 1, uint16: 2 }[stored];
}

/** Reads the value at byte `offset` as stored: dequantised when the tensor is quantised (`stored × scale + min`). */
function valueReader(spec: WeightSpec, bytes: DataView): (offset: number) => number {
  const { quantization } = spec;
  if (quantization === undefined) {
    if (spec.dtype === 'float32') return (offset) => bytes.getFloat32(offset, true);
    if (spec.dtype === 'int32') return (offset) => bytes.getInt32(offset, true);
    return (offset) => bytes.getUint8(offset);
  }
  if (quantization.dtype === 'float16') return halfReader(bytes);
  const { scale, min } = quantization;
  if (quantization.dtype === 'uint8') return (offset) => bytes.getUint8(offset) * scale + min;
  return (offset) => bytes.getUint16(offset, true) * scale + min;
}

function emptyData(spec: WeightSpec, length: number): TensorData {
  if (spec.dtype === 'float32') return new Float32Array(length);
  if (spec.dtype === 'int32') return new Int32Array(length);
  return new Uint8Array(length);
}

/**
 * Decodes the tensors of one group from its concatenated shards. Quantised tensors are returned in their declared type,
 * integers rounded as TensorFlow.js rounds them.
 * @throws AditError when the number of bytes differs from the manifest.
 */
export function decodeWeights(specs: readonly WeightSpec[], bytes: Uint8Array): Map<string, ConstantTensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tensors = new Map<string, ConstantTensor>();
  let offset = 0;
  for (const spec of specs) {
    const length = sizeOf(spec.shape);
    const width = bytesPerValue(spec);
    if (offset + length * width > bytes.byteLength) {
      throw conversionError(
        `the weights are truncated: tensor "${spec.name}" ends at byte ${offset + length * width} of ${bytes.byteLength}; install the package again`,
      );
    }
    const read = valueReader(spec, view);
    const data = emptyData(spec, length);
    for (let i = 0; i < length; i += 1) {
      const value = read(offset + i * width);
      data[i] = spec.dtype === 'float32' ? value : Math.round(value);
    }
    tensors.set(spec.name, { type: spec.dtype, dims: spec.shape, data });
    offset += length * width;
  }
  if (offset !== bytes.byteLength) {
    throw conversionError(
      `the weights hold ${bytes.byteLength} bytes where the manifest accounts for ${offset}; install the package again`,
    );
  }
  return tensors;
}

/** Every tensor of a manifest whose shards lie in `directory`. */
export async function readWeights(manifest: WeightsManifest, directory: string): Promise<Map<string, ConstantTensor>> {
  const tensors = new Map<string, ConstantTensor>();
  for (const group of manifest) {
    const shards = await Promise.all(group.paths.map((path) => readShard(join(directory, path))));
    for (const [name, tensor] of decodeWeights(group.weights, Buffer.concat(shards))) tensors.set(name, tensor);
  }
  return tensors;
}

async function readShard(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw conversionError(`the weights file ${path} cannot be read; install the package again`, cause);
  }
}
