import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { diskFault } from '@adit/runtime';

export interface CopyLimits {
  /** Folder of the copy; created for this user alone. */
  directory: string;
  maxBytes: number;
  /** Wall time in seconds of the whole copy. */
  timeoutSeconds: number;
  /** Longest time in seconds without a byte. */
  idleTimeoutSeconds: number;
  signal?: AbortSignal;
}

export interface FetchedSource {
  /** The private copy. */
  path: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of the content, in hexadecimal. */
  digest: string;
  /** Digest of the whole file, of which this one is a part. */
  partOf?: string;
}

/**
 * Copies a stream into a new private file and computes its digest. Throws TOO_LARGE past the size limit, LIMIT_EXCEEDED
 * past the time limit, SOURCE_UNAVAILABLE when no byte arrives for too long, UNAVAILABLE when the disk cannot be
 * written. An error leaves no file behind.
 */
export async function copyToPrivateFile(
  body: AsyncIterable<Uint8Array>,
  limits: CopyLimits,
  deadline: number = Date.now() + limits.timeoutSeconds * 1000,
): Promise<FetchedSource> {
  const { directory, maxBytes, timeoutSeconds, idleTimeoutSeconds, signal } = limits;
  const path = join(directory, `source-${randomUUID()}`);
  const file = await onOurDisk(async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return open(path, 'wx', 0o600);
  });
  const iterator = body[Symbol.asyncIterator]();
  try {
    const hash = createHash('sha256');
    let size = 0;
    for (;;) {
      const next = await within(iterator.next(), idleTimeoutSeconds, deadline, timeoutSeconds, signal);
      if (next.done) break;
      size += next.value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      hash.update(next.value);
      await onOurDisk(() => writeAll(file, next.value));
    }
    await onOurDisk(() => file.close());
    return { path, size, digest: hash.digest('hex') };
  } catch (error) {
    // A body that never answers must not delay the error.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

export function tooLarge(maxBytes: number): AditError {
  return new AditError('TOO_LARGE', `The source is larger than ${maxBytes} bytes, the limit set here.`);
}

export function sentNothing(idleSeconds: number): AditError {
  return new AditError('SOURCE_UNAVAILABLE', `The source sent nothing for ${idleSeconds} s.`);
}

async function onOurDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = diskFault(error);
    if (fault === null) throw error;
    throw new AditError('UNAVAILABLE', `Sources cannot be copied: ${fault}.`, { cause: error });
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) at += (await file.write(bytes, at)).bytesWritten;
}

/** Waits for `promise`, but not past the idle time, the deadline or an abort. */
export function within<T>(
  promise: Promise<T>,
  idleSeconds: number,
  deadline: number,
  totalSeconds: number,
  signal?: AbortSignal,
): Promise<T> {
  const left = deadline - Date.now();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          left <= idleSeconds * 1000
            ? new AditError('LIMIT_EXCEEDED', `Fetching the source took longer than ${totalSeconds} s.`)
            : sentNothing(idleSeconds),
        ),
      Math.max(Math.min(left, idleSeconds * 1000), 0),
    );
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  });
}
