import { AditError } from '@adit/contracts';

/** Array type of each element type; values are in row-major order. */
interface TensorArrays {
  float32: Float32Array;
  /** Bits of IEEE 754 binary16. */
  float16: Uint16Array;
  uint8: Uint8Array;
  int32: Int32Array;
  int64: BigInt64Array;
  /** Values are 0 or 1. */
  bool: Uint8Array;
}
export type TensorType = keyof TensorArrays;

interface TensorOf<Type extends TensorType> {
  type: Type;
  data: TensorArrays[Type];
  /** Empty for a scalar, one value. A dimension of 0 means no value. */
  dims: readonly number[];
}
export type Tensor = { [Type in TensorType]: TensorOf<Type> }[TensorType];
export type FloatTensor = TensorOf<'float32'>;

export function floatTensor(data: Float32Array, dims: readonly number[]): FloatTensor {
  return { type: 'float32', data, dims };
}

/**
 * Returns a network's float32 output by name. Throws INTERNAL, listing the outputs, when there is none of that name or
 * type.
 */
export function outputNamed(outputs: Record<string, Tensor>, name: string): FloatTensor {
  const output = outputs[name];
  if (output?.type === 'float32') return output;
  if (output) throw new AditError('INTERNAL', `The output ${name} of a network is ${output.type}, not float32.`);
  throw new AditError('INTERNAL', `A network has no output ${name}; it has ${Object.keys(outputs).join(', ')}.`);
}

/** Returns the first output of a network. Throws INTERNAL when it has none. */
export function firstOutput(outputs: Record<string, FloatTensor>): FloatTensor {
  const [output] = Object.values(outputs);
  if (output) return output;
  throw new AditError('INTERNAL', 'A network has no output.');
}

/** Formats a type and its dimensions for people: `float32 3×H×W`, where text means an open dimension. */
export function shapeText(type: string, dims: readonly (number | string)[]): string {
  return `${type} ${dims.length === 0 ? 'scalar' : dims.join('×')}`;
}

/**
 * Converts tensors to float32, for readers that compute with numbers. Those in float32 are not copied; integers beyond
 * 2²⁴ are rounded.
 */
export function floatsOf(tensors: Record<string, Tensor>): Record<string, FloatTensor> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, asFloats(tensor)]));
}

function asFloats(tensor: Tensor): FloatTensor {
  const { dims } = tensor;
  switch (tensor.type) {
    case 'float32':
      return tensor;
    case 'float16':
      return floatTensor(Float32Array.from(tensor.data, float16Value), dims);
    case 'int64':
      return floatTensor(Float32Array.from(tensor.data, Number), dims);
    default:
      return floatTensor(Float32Array.from(tensor.data), dims);
  }
}

/** Decodes 16 bits as binary16 (IEEE 754-2019, 3.4): a sign, five bits of exponent, ten of fraction. */
export function float16Value(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
