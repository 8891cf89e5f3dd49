import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import { openLocalFile, parseSource, type SourcePolicy } from '@adit/media';
import type { SentFile } from '../http/send-object.js';
import { contentTypeOf, dispositionOf } from './content-type.js';

/** A job's source as a file of this machine, under the same rules as when it was mined; null where they refuse it. */
export async function localFile(source: string, policy: SourcePolicy): Promise<SentFile | null> {
  try {
    const parsed = parseSource(source, policy);
    if (parsed.kind !== 'local') return null;
    const { path } = parsed;
    const { file, facts } = await openLocalFile(path, policy.localRoots);
    await file.close();
    const filename = basename(path);
    const contentType = contentTypeOf(undefined, filename);
    return {
      open: (range) => read(path, policy, range),
      ...{ filename, contentType, size: facts.size },
      // A file that is written anew has another.
      etag: [facts.ino, facts.size, Math.round(facts.mtimeMs)].map((part) => part.toString(36)).join('-'),
      disposition: dispositionOf(contentType),
    };
  } catch (error) {
    if (error instanceof AditError && (error.code === 'SOURCE_REFUSED' || error.code === 'VALIDATION')) return null;
    throw error;
  }
}

/** Closes the file when its last byte was read, or the reader goes. */
async function read(
  path: string,
  { localRoots }: SourcePolicy,
  range: Parameters<SentFile['open']>[0],
): Promise<Readable> {
  const { file } = await openLocalFile(path, localRoots);
  return file.createReadStream({ ...range, autoClose: true });
}
