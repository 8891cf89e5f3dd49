import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AditError } from '@adit/contracts';
import { Sha256Stream } from '@adit/runtime';

/**
 * Passes a picture to `use` as a temporary file with its SHA-256. Throws MEDIA_INVALID when it has more than
 * `maxBytes`.
 */
export async function withPictureFile<T>(
  open: () => Promise<{ stream: Readable; size: number }>,
  maxBytes: number,
  use: (path: string, digest: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'adit-picture-'));
  try {
    const { stream, size } = await open();
    if (size > maxBytes) {
      stream.destroy();
      throw new AditError('MEDIA_INVALID', `The picture has ${size} bytes; at most ${maxBytes} are accepted.`);
    }
    const path = join(directory, 'picture');
    return await use(path, await stored(stream, path));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function stored(stream: Readable, path: string): Promise<string> {
  const digested = new Sha256Stream();
  await pipeline(stream, digested, createWriteStream(path));
  return digested.digest();
}
