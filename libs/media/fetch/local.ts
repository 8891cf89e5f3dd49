import { constants, realpathSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { AditError } from '@adit/contracts';
import { copyToPrivateFile, tooLarge, type CopyLimits, type FetchedSource } from './private-file.js';
import { isWithin } from './source-uri.js';

/**
 * Copies a local file that really lies under one of the roots. Throws SOURCE_REFUSED for links that lead out of them
 * and for anything but a regular file.
 */
export async function fetchLocal(
  path: string,
  localRoots: readonly string[],
  limits: CopyLimits,
): Promise<FetchedSource> {
  const roots = localRoots.flatMap((root) => {
    try {
      return [realpathSync(root)];
    } catch {
      // eslint-disable-next-line adit/no-lost-errors -- a root that cannot be found lets nothing in
      return [];
    }
  });
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw new AditError('SOURCE_REFUSED', `The file ${path} cannot be found (${error.code}).`, { cause: error });
  });
  if (!isWithin(real, roots)) throw outside(path);
  // Not following a last link, and not waiting at a pipe for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(real, flags).catch((error: NodeJS.ErrnoException) => {
    throw new AditError('SOURCE_REFUSED', `The file ${path} cannot be opened (${error.code}).`, { cause: error });
  });
  try {
    // A folder may have become a link since; what was opened is what counts.
    const opened = await realpath(`/proc/self/fd/${file.fd}`).catch(() => real);
    if (!isWithin(opened, roots)) throw outside(path);
    const facts = await file.stat();
    if (!facts.isFile()) throw new AditError('SOURCE_REFUSED', `${path} is not a regular file.`);
    if (facts.size > limits.maxBytes) throw tooLarge(limits.maxBytes);
    return await copyToPrivateFile(file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 }), limits);
  } finally {
    await file.close();
  }
}

function outside(path: string): AditError {
  return new AditError('SOURCE_REFUSED', `${path} leads outside the folders that may be mined.`);
}
