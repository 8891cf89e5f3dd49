import { refused, shown } from './refusal.js';

/** Tensor types by ONNX's number (onnx.proto, TensorProto.DataType), with their bits per value. */
export const TENSOR_TYPES: Readonly<Record<number, readonly [name: string, bits: number]>> = {
  1: ['float32', 32],
  2: ['uint8', 8],
  3: ['int8', 8],
  4: ['uint16', 16],
  5: ['int16', 16],
  6: ['int32', 32],
  7: ['int64', 64],
  8: ['string', 0],
  9: ['bool', 8],
  10: ['float16', 16],
  11: ['float64', 64],
  12: ['uint32', 32],
  13: ['uint64', 64],
  14: ['complex64', 64],
  15: ['complex128', 128],
  16: ['bfloat16', 16],
  17: ['float8e4m3fn', 8],
  18: ['float8e4m3fnuz', 8],
  19: ['float8e5m2', 8],
  20: ['float8e5m2fnuz', 8],
  21: ['uint4', 4],
  22: ['int4', 4],
  23: ['float4e2m1', 4],
};

/** Location of a weight's values: in the file itself, or in another one of its folder. */
export interface Weight {
  name: string;
  type: string;
  axes: number[];
  /** Byte offsets of the values; null for those written as a list of numbers. */
  raw: { start: number; end: number } | null;
  external: { location: string; offset: number; length: number | null } | null;
}

/** Returns the number of values of a weight. Throws VALIDATION when it announces more than it contains. */
export function valuesOf(weight: Weight, bits: number, listed: number): number {
  let count = 1;
  for (const axis of weight.axes) {
    if (!Number.isSafeInteger(axis) || axis < 0)
      throw refused(`The weight ${shown(weight.name)} has an axis of ${axis}.`);
    count *= axis;
  }
  const wanted = Math.ceil((count * bits) / 8);
  const brought =
    weight.external !== null ? weight.external.length : weight.raw !== null ? weight.raw.end - weight.raw.start : null;
  const enough = brought === null ? weight.external !== null || listed >= count : brought === wanted || bits === 0;
  if (!Number.isSafeInteger(count) || !enough) {
    throw refused(
      `The weight ${shown(weight.name)} announces ${count} numbers (${wanted} bytes) and brings ${brought ?? listed} bytes: the file is damaged or was cut short.`,
    );
  }
  return count;
}

/** Reads the place of a weight's values in another file from the entries that name it. */
export function externalOf(weight: string, entries: ReadonlyMap<string, string>): NonNullable<Weight['external']> {
  const whole = (key: string): number | null => {
    const text = entries.get(key);
    if (text === undefined) return null;
    const value = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0) {
      throw refused(`The weight ${shown(weight)} has the ${key} ${shown(text)}, which is no number of bytes.`);
    }
    return value;
  };
  const location = entries.get('location');
  if (location === undefined || location === '')
    throw refused(`The weight ${shown(weight)} lies outside of the file, and does not say where.`);
  return { location, offset: whole('offset') ?? 0, length: whole('length') };
}
