/** Coordinates of sRGB's primaries in the profile connection space: X, Y, Z under D50 (IEC 61966-2-1, ICC.1). */
import { errorCode } from '@adit/contracts';
const COLORANTS: Record<string, readonly [number, number, number]> = {
  rXYZ: [0.4361, 0.2225, 0.0139],
  gXYZ: [0.3851, 0.7169, 0.0971],
  bXYZ: [0.1431, 0.0606, 0.7141],
};
const COLORANT_TOLERANCE = 0.003;
/** In linear light, 0..1. A plain gamma of 2.2 is off by 0.0036 at the half. */
const CURVE_TOLERANCE = 0.002;
const CURVE_POINTS = [0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1];
/** Tables that a colour engine prefers over primaries and curves. */
const TABLES = ['A2B0', 'A2B1', 'A2B2', 'D2B0', 'D2B1', 'D2B2'];

const HEADER_BYTES = 128;
const TAG_BYTES = 12;
const MAX_TAGS = 100;

/**
 * Tests whether an ICC profile (ICC.1:2022) equals the default of pictures without one: the primaries and transfer
 * curve of sRGB, by value and not by name. False for everything else, including damaged profiles.
 */
export function isSrgbProfile(profile: Buffer): boolean {
  try {
    if (profile.toString('latin1', 16, 24) !== 'RGB XYZ ') return false;
    const tags = tagsOf(profile);
    if (TABLES.some((name) => tags.has(name))) return false;
    const colorants = Object.entries(COLORANTS).every(([name, wanted]) => {
      const tag = tags.get(name);
      if (tag?.toString('latin1', 0, 4) !== 'XYZ ') return false;
      return wanted.every((value, i) => Math.abs(fixed(tag, 8 + 4 * i) - value) <= COLORANT_TOLERANCE);
    });
    return colorants && ['rTRC', 'gTRC', 'bTRC'].every((name) => isSrgbCurve(tags.get(name)));
  } catch (error) {
    // The profile is truncated, or offsets lead out of it.
    if (errorCode(error) === 'ERR_OUT_OF_RANGE') return false;
    throw error;
  }
}

function tagsOf(profile: Buffer): Map<string, Buffer> {
  const count = Math.min(profile.readUInt32BE(HEADER_BYTES), MAX_TAGS);
  const tags = new Map<string, Buffer>();
  for (let i = 0; i < count; i++) {
    const at = HEADER_BYTES + 4 + i * TAG_BYTES;
    const offset = profile.readUInt32BE(at + 4);
    tags.set(profile.toString('latin1', at, at + 4), profile.subarray(offset, offset + profile.readUInt32BE(at + 8)));
  }
  return tags;
}

function isSrgbCurve(tag: Buffer | undefined): boolean {
  const curve = tag === undefined ? null : curveOf(tag);
  return curve !== null && CURVE_POINTS.every((x) => Math.abs(curve(x) - srgbToLinear(x)) <= CURVE_TOLERANCE);
}

/**
 * Returns a sampled curve, or the parametric one with a linear part, the two forms in which sRGB's is written; else
 * null.
 */
function curveOf(tag: Buffer): ((x: number) => number) | null {
  const type = tag.toString('latin1', 0, 4);
  if (type === 'curv') {
    const last = tag.readUInt32BE(8) - 1;
    if (last < 1) return null;
    return (x) => {
      const below = Math.min(Math.floor(x * last), last - 1);
      const [from, to] = [tag.readUInt16BE(12 + 2 * below), tag.readUInt16BE(14 + 2 * below)];
      return (from + (to - from) * (x * last - below)) / 0xffff;
    };
  }
  if (type === 'para' && tag.readUInt16BE(8) === 3) {
    const [g, a, b, c, d] = [fixed(tag, 12), fixed(tag, 16), fixed(tag, 20), fixed(tag, 24), fixed(tag, 28)];
    return (x) => (x >= d ? (a * x + b) ** g : c * x);
  }
  return null;
}

function srgbToLinear(x: number): number {
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

/** Reads a signed fixed-point number, s15Fixed16. */
function fixed(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) / 0x10000;
}
