import { createReadStream } from 'node:fs';

/** Bytes of one sample of one channel. */
export const SAMPLE_BYTES = 4;

/** Yields the samples of a file of float32, little-endian, piece by piece. */
export async function* samplesOf(path: string): AsyncGenerator<Float32Array> {
  const pieces: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1 << 18 });
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const samples = new Float32Array(Math.floor(bytes.length / SAMPLE_BYTES));
    for (let i = 0; i < samples.length; i++) samples[i] = bytes.readFloatLE(i * SAMPLE_BYTES);
    rest = bytes.subarray(samples.length * SAMPLE_BYTES);
    yield samples;
  }
}

/** Mean square of all samples; 0 for an empty file. */
export async function meanPower(path: string): Promise<number> {
  let [sum, count] = [0, 0];
  for await (const samples of samplesOf(path)) {
    for (const sample of samples) sum += sample * sample;
    count += samples.length;
  }
  return count === 0 ? 0 : sum / count;
}

/** Returns the RMS of the loudest `length` samples in a row; stops at the first value of at least `enough`. */
export async function loudest(path: string, length: number, enough: number): Promise<number> {
  let [best, sum, count] = [0, 0, 0];
  for await (const samples of samplesOf(path)) {
    for (const sample of samples) {
      sum += sample * sample;
      if (++count < length) continue;
      best = Math.max(best, Math.sqrt(sum / count));
      sum = count = 0;
    }
    if (best >= enough) return best;
  }
  return Math.max(best, count === 0 ? 0 : Math.sqrt(sum / length));
}
