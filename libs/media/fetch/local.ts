import { constants, type Stats } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { AditError, errorCode } from '@adit/contracts';
import { passingFault, scarcity } from '@adit/runtime';
import { copyToPrivateFile, tooLarge, type CopyLimits, type FetchedSource } from './private-file.js';
import { isWithin } from './source-uri.js';

/** Copies a local file whose real path lies under one of the roots. Throws as `openLocalFile`, and TOO_LARGE. */
export async function fetchLocal(
  path: string,
  localRoots: readonly string[],
  limits: CopyLimits,
): Promise<FetchedSource> {
  const { file, facts } = await openLocalFile(path, localRoots);
  try {
    if (facts.size > limits.maxBytes) throw tooLarge(limits.maxBytes);
    return await copyToPrivateFile(bytesOf(file, path), limits);
  } finally {
    await file.close();
  }
}

/**
 * Opens a local file whose real path lies under one of the roots; the caller closes it. Throws SOURCE_REFUSED for links
 * that lead out of the roots and for anything but a regular file, SOURCE_UNAVAILABLE while its disk or network share is
 * unreachable.
 */
export async function openLocalFile(
  path: string,
  localRoots: readonly string[],
): Promise<{ file: FileHandle; facts: Stats }> {
  const roots: string[] = [];
  for (const root of localRoots) {
    await realpath(root).then(
      (real) => roots.push(real),
      // A root that does not exist permits nothing.
      (error: unknown) => refusePassing(root, error),
    );
  }
  const real = await realpath(path).catch((error: unknown) => refuse(path, 'found', error));
  if (!isWithin(real, roots)) throw outside(path);
  // The flags follow no final link and do not block on a pipe without a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(real, flags).catch((error: unknown) => refuse(path, 'opened', error));
  try {
    // A folder may have been replaced by a link since; the opened file is checked.
    const opened = await realpath(`/proc/self/fd/${file.fd}`).catch(() => real);
    if (!isWithin(opened, roots)) throw outside(path);
    const facts = await file.stat().catch((error: unknown) => refuse(path, 'opened', error));
    if (!facts.isFile()) throw new AditError('SOURCE_REFUSED', `${path} is not a regular file.`);
    return { file, facts };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* bytesOf(file: FileHandle, path: string): AsyncGenerator<Buffer> {
  try {
    yield* file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 });
  } catch (error) {
    refusePassing(path, error);
    throw error;
  }
}

/**
 * Throws UNAVAILABLE for a lack on this machine, SOURCE_UNAVAILABLE for other temporary errors, SOURCE_REFUSED for the
 * rest.
 */
function refuse(path: string, what: 'found' | 'opened', error: unknown): never {
  refusePassing(path, error);
  throw new AditError('SOURCE_REFUSED', `The file ${path} cannot be ${what} (${errorCode(error)}).`, { cause: error });
}

function refusePassing(path: string, error: unknown): void {
  const fault = passingFault(error);
  if (fault === null) return;
  const code = scarcity(error) === null ? 'SOURCE_UNAVAILABLE' : 'UNAVAILABLE';
  throw new AditError(code, `${path} cannot be read now: ${fault} (${errorCode(error)}).`, { cause: error });
}

function outside(path: string): AditError {
  return new AditError('SOURCE_REFUSED', `${path} leads outside the folders that may be mined.`);
}
