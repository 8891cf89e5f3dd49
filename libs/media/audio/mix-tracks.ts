import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { SAMPLE_BYTES } from './sound-level.js';

const SAMPLES = 1 << 18;

/**
 * Mixes files of float32, little-endian, from their starts, at the overall loudness of a single one. Returns the bytes
 * of the mix.
 */
export async function mixTracks(paths: readonly string[], target: string): Promise<number> {
  const part = `${target}.mix`;
  const files: FileHandle[] = [];
  try {
    for (const path of paths) files.push(await open(path));
    const to = await open(part, 'w');
    let at = 0;
    try {
      for (;;) {
        const mix = await mixedAt(files, at);
        if (mix.length === 0) break;
        for (let done = 0; done < mix.length;) {
          done += (await to.write(mix, done, mix.length - done, at + done)).bytesWritten;
        }
        at += mix.length;
      }
    } finally {
      await to.close();
    }
    await rename(part, target);
    return at;
  } finally {
    for (const file of files) await file.close();
    await rm(part, { force: true });
  }
}

async function mixedAt(files: readonly FileHandle[], at: number): Promise<Buffer> {
  const sum = new Float32Array(SAMPLES);
  let count = 0;
  for (const file of files) {
    const piece = Buffer.alloc(SAMPLES * SAMPLE_BYTES);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(piece, bytes, piece.length - bytes, at + bytes);
      bytes += bytesRead;
      if (bytesRead === 0 || bytes === piece.length) break;
    }
    const samples = Math.floor(bytes / SAMPLE_BYTES);
    for (let i = 0; i < samples; i++) sum[i] = (sum[i] ?? 0) + piece.readFloatLE(i * SAMPLE_BYTES);
    count = Math.max(count, samples);
  }
  const mix = Buffer.alloc(count * SAMPLE_BYTES);
  const share = 1 / Math.sqrt(files.length);
  for (let i = 0; i < count; i++) {
    mix.writeFloatLE(Math.max(-1, Math.min(1, (sum[i] ?? 0) * share)), i * SAMPLE_BYTES);
  }
  return mix;
}
