const BLOCK_BYTES = 4096;
const RATE = 2_822_400;

/**
 * Encodes a sine in DSF as Sony specifies (DSF file format specification 1.01): one bit per sample, the first in the
 * lowest bit of its byte, in blocks of each channel. ffmpeg cannot write DSF.
 * @param amplitude 0..0.5, which a first-order modulator follows well
 */
export function dsfSine({
  seconds,
  hertz,
  amplitude = 0.4,
}: {
  seconds: number;
  hertz: number;
  amplitude?: number;
}): Buffer {
  const samples = seconds * RATE;
  const data = Buffer.alloc(Math.ceil(samples / 8 / BLOCK_BYTES) * BLOCK_BYTES, 0x69);
  let sum = 0;
  for (let at = 0; at < samples; at += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) {
      sum += amplitude * Math.sin((2 * Math.PI * hertz * (at + bit)) / RATE);
      const isHigh = sum >= 0;
      sum -= isHigh ? 1 : -1;
      if (isHigh) byte |= 1 << bit;
    }
    data[at / 8] = byte;
  }
  const format = Buffer.alloc(52);
  format.write('fmt ', 'latin1');
  format.writeBigUInt64LE(52n, 4);
  // Version 1, raw, mono, one channel, its rate, one bit.
  [1, 0, 1, 1, RATE, 1].forEach((value, at) => format.writeUInt32LE(value, 12 + 4 * at));
  format.writeBigUInt64LE(BigInt(samples), 36);
  format.writeUInt32LE(BLOCK_BYTES, 44);
  const body = Buffer.alloc(12);
  body.write('data', 'latin1');
  body.writeBigUInt64LE(BigInt(12 + data.length), 4);
  const head = Buffer.alloc(28);
  head.write('DSD ', 'latin1');
  head.writeBigUInt64LE(28n, 4);
  head.writeBigUInt64LE(BigInt(28 + format.length + body.length + data.length), 12);
  return Buffer.concat([head, format, body, data]);
}
