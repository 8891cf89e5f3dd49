import type { QuotaUse } from './resources/quota.js';

/**
 * Every way Adit refuses or fails, in one closed list. `status` is the HTTP answer, `retryable` tells the bus whether
 * delivering the same message again can help.
 */
export const ERROR_CODES = {
  /** A field, argument or parameter of the request is wrong. */
  VALIDATION: { status: 400, retryable: false, title: 'Bad Request' },
  /** A module names a model that is not installed. */
  MODEL_NOT_INSTALLED: { status: 400, retryable: false, title: 'Model not installed' },
  /** The source cannot be used: missing key, outside the roots, private address, unsupported or broken media. */
  SOURCE_REFUSED: { status: 400, retryable: false, title: 'Source refused' },
  /** The media was opened and cannot be mined: empty, truncated, not what it claims to be. */
  MEDIA_INVALID: { status: 400, retryable: false, title: 'Media invalid' },
  UNAUTHENTICATED: { status: 401, retryable: false, title: 'Not authenticated' },
  FORBIDDEN: { status: 403, retryable: false, title: 'Forbidden' },
  NOT_FOUND: { status: 404, retryable: false, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, title: 'Method not allowed' },
  /** The client takes too long to send its request. */
  TIMED_OUT: { status: 408, retryable: false, title: 'Request timeout' },
  CONFLICT: { status: 409, retryable: false, title: 'Conflict' },
  PRECONDITION_FAILED: { status: 412, retryable: false, title: 'Precondition failed' },
  TOO_LARGE: { status: 413, retryable: false, title: 'Content too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, title: 'Unsupported media type' },
  RANGE_NOT_SATISFIABLE: { status: 416, retryable: false, title: 'Range not satisfiable' },
  IDEMPOTENCY_MISMATCH: { status: 422, retryable: false, title: 'Idempotency key reused' },
  RATE_LIMITED: { status: 429, retryable: true, title: 'Too many requests' },
  /** The workspace has used up what it may use of a day or a month. */
  QUOTA_EXCEEDED: { status: 429, retryable: true, title: 'Quota exceeded' },
  /** The frame pack a message refers to is gone; its chunk has to be decoded again. */
  PACK_MISSING: { status: 500, retryable: false, title: 'Frame pack missing' },
  /** ffmpeg or a model ran out of its time or memory limit. */
  LIMIT_EXCEEDED: { status: 500, retryable: true, title: 'Limit exceeded' },
  /** Anything unforeseen. */
  INTERNAL: { status: 500, retryable: true, title: 'Internal error' },
  /** A part of the interface that is published and does not exist yet. */
  NOT_IMPLEMENTED: { status: 501, retryable: false, title: 'Not implemented' },
  /** The workspace may store no more, or the object store has no room. */
  STORAGE_FULL: { status: 507, retryable: false, title: 'Storage full' },
  /** The origin of a source does not answer, or breaks off. Other sources are not concerned. */
  SOURCE_UNAVAILABLE: { status: 503, retryable: true, title: 'Source unavailable' },
  /** The database, the bus or the object store does not answer: everybody waits, and nothing is to blame. */
  UNAVAILABLE: { status: 503, retryable: true, title: 'Service unavailable' },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * The `code` that Node, a driver or AditError gave an error (`ENOENT`, `23505`); undefined where there is none, and for what is
 * no object.
 */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The message of an error by its shape: errors of the system are of another realm's class in a test runner. Undefined for what has none. */
export function errorMessage(error: unknown): string | undefined {
  const message: unknown =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' ? message : undefined;
}

/** Handler for `catch`: returns null for NOT_FOUND, and throws any other error on. */
export function nullIfGone(error: unknown): null {
  if (errorCode(error) === 'NOT_FOUND') return null;
  throw error;
}

/** The same of a path that leads to no file. */
export function nullIfNoFile(error: unknown): null {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

/** One offending place in a request; `pointer` is a JSON Pointer (RFC 6901) into the body, or `?name` for a query parameter. */
export interface ErrorDetail {
  pointer: string;
  code: string;
  message: string;
  /** The resource that is in the way, as its own address shows it. */
  existing?: Record<string, unknown>;
  /** The quota that is used up. */
  quota?: QuotaUse;
}

/** The only error that crosses a package border. `message` is written for the person who has to do something about it. */
export class AditError extends Error {
  readonly retryable: boolean;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly options: { cause?: unknown; errors?: ErrorDetail[]; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'AditError';
    this.retryable = ERROR_CODES[code].retryable;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  /** Wraps errors of libraries as INTERNAL, keeping the cause for the log. */
  static from(error: unknown): AditError {
    if (error instanceof AditError) return error;
    const message = error instanceof Error ? error.message : String(error);
    return new AditError('INTERNAL', message, { cause: error });
  }
}
