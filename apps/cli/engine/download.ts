import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AditError } from '@adit/contracts';

/** Writes a reply to `path`, which appears whole or not at all. */
export async function download(reply: Response, path: string): Promise<void> {
  if (reply.body === null) throw new AditError('UNAVAILABLE', `The file for ${path} came without content.`);
  const part = `${path}.part`;
  try {
    await pipeline(Readable.fromWeb(reply.body), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
