/**
 * Converts float32 to IEEE 754 binary16, rounded to the nearest, ties to even; values beyond ±65504 become infinite.
 * Node 20 has no Float16Array.
 */
export function toFloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < halves.length; i++) halves[i] = halfOf(bits[i] ?? 0);
  return halves;
}

/** Midpoint between the greatest finite binary16 number, 65,504, and its successor; it rounds to infinity. */
const BEYOND = 65_520;
// Accessing a global is slow in jest's contexts, so it is looked up once.
const { isFinite } = Number;

/** Tests whether all finite numbers fit the range. */
export function fitsFloat16(values: Float32Array): boolean {
  for (const value of values) if ((value >= BEYOND || value <= -BEYOND) && isFinite(value)) return false;
  return true;
}

function halfOf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200);
  const scaled = exponent - 112;
  if (scaled >= 31) return sign | 0x7c00;
  if (scaled > 0) return sign | rounded((scaled << 23) | fraction, 13);
  // Less than half of the smallest subnormal.
  if (scaled < -10) return sign;
  return sign | rounded(fraction | 0x800000, 14 - scaled);
}

/** Rounds off the last bits; a carry out of the fraction correctly increments the exponent. */
function rounded(value: number, bits: number): number {
  const kept = value >>> bits;
  const rest = value & ((1 << bits) - 1);
  const half = 1 << (bits - 1);
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}
