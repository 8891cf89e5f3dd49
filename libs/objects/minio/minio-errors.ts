import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, errorCode, errorMessage } from '@adit/contracts';
import { backoffDelay } from '@adit/runtime';
import { ServerFailure } from './minio-refusals.js';

const RETRY = { baseMs: 100, maxMs: 2_000 };
/** About a second in all: what lasts longer is for whoever asked, who is told that it is retryable. */
const TRIES = 4;

const MISSING = new Set(['NoSuchKey', 'NotFound']);
/**
 * The server lives and says that it cannot now; MinIO's own codes begin with XMinio. versitygw finds a folder where another request
 * is just removing an empty one: no name of ours is that of a folder.
 */
const BUSY =
  /^(SlowDown|ServiceUnavailable|InternalError|RequestTimeout|OperationAborted|XMinio|ServerNotInitialized|ExistingObjectIsDirectory|ObjectParentIsFile)/;
const DENIED = /^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|RequestTimeTooSkewed|AllAccessDisabled)$/;

/** Says in Adit's words what the server, or the way to it, answered. `key` is the object it was about, if any. */
export function objectError(error: unknown, place: string, key?: string): AditError {
  if (error instanceof AditError) return error;
  // The client's own error around that of the keys.
  if (error instanceof Error && error.cause instanceof AditError) return error.cause;
  const code = errorCode(error) ?? '';
  const message = errorMessage(error) ?? String(error);
  const unavailable = (why: string) =>
    new AditError('UNAVAILABLE', `The object store at ${place} ${why}.`, { cause: error });
  if (key !== undefined && MISSING.has(code)) return new AditError('NOT_FOUND', `There is no object ${key}.`);
  if (code === 'InvalidRange') {
    return new AditError('RANGE_NOT_SATISFIABLE', `The range starts past the end of the object ${key ?? ''}.`);
  }
  if (code === 'NoSuchBucket') return unavailable('lacks its bucket: create it, or set S3_MANAGE_BUCKET');
  if (DENIED.test(code)) {
    return unavailable(`refuses the request (${code}): check S3_ACCESS_KEY, S3_SECRET_KEY, their policy and the clock`);
  }
  if (isSystemError(error)) return unavailable(`cannot be reached (${message || code})`);
  if (error instanceof ServerFailure) {
    return unavailable(error.isFull ? `is full (${message})` : `cannot answer now (${message})`);
  }
  if (BUSY.test(code)) return unavailable(`cannot answer now (${code}: ${message})`);
  return new AditError('INTERNAL', `The object store at ${place} failed: ${code} ${message}`.trim(), { cause: error });
}

/** Node's own: refused, reset, timed out, a name that does not resolve, a certificate that is not trusted. */
function isSystemError(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return /^(E[A-Z]+$|EAI_|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
}

/** Runs what may run twice until it succeeds, fails for another reason than the server being away, or was tried 4 times. */
export async function tried<T>(place: string, key: string | undefined, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (reason) {
      const error = objectError(reason, place, key);
      if (error.code !== 'UNAVAILABLE' || failures === TRIES) throw error;
      await sleep(backoffDelay(failures, RETRY));
    }
  }
}
