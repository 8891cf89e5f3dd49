import { AditError, ERROR_CODES, errorCode, isRecord } from '@adit/contracts';
import type { ErrorCode, ErrorDetail, Problem } from '@adit/contracts';
import { isDatabaseFull, toAditError } from '@adit/database';
import { isStoreFull } from '@adit/objects';
import { HttpException } from '@nestjs/common';
import { TypeORMError } from 'typeorm';
import { cut } from './cut.js';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';
/** Long enough for every module's arguments, short enough for a log. */
const MAX_DETAIL_LENGTH = 4_000;
const DEFAULT_RETRY_SECONDS = 5;
/** No client needs more to mend its request, and a hostile one gets no long reply. */
const MAX_ERRORS = 50;
const MAX_ERROR_LENGTH = 1_000;

/** Refusals above 500 whose words are for the client. */
const TOLD: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'NOT_IMPLEMENTED', 'STORAGE_FULL']);

/** Fastify's and Nest's own refusals, by status. */
const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'VALIDATION',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'TIMED_OUT',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'TOO_LARGE',
  414: 'VALIDATION',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  416: 'RANGE_NOT_SATISFIABLE',
  422: 'IDEMPOTENCY_MISMATCH',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
};

/** Whatever was thrown, as the error of ours that it means; what nobody foresaw is INTERNAL with its cause. */
export function refusalOf(error: unknown): AditError {
  // Who sent it need not try again at once, and may have less to send.
  if (isOutOfSpace(error)) return new AditError('STORAGE_FULL', error.message, error.options);
  if (error instanceof AditError) return error;
  const status = statusOf(error);
  const code = status === undefined ? undefined : CODE_OF_STATUS[status];
  if (code !== undefined && error instanceof Error) {
    return new AditError(code, sentence(error), { cause: error });
  }
  // TypeORM's message when the database was closed under a request, as the process ends.
  if (error instanceof TypeORMError && error.message === 'Driver not Connected') {
    return new AditError('UNAVAILABLE', 'The database is closed; this process is shutting down.', { cause: error });
  }
  const meant = toAditError(error);
  return isDatabaseFull(meant) ? new AditError('STORAGE_FULL', meant.message, meant.options) : meant;
}

/** Tells whether the object store or the database has no room left, as opposed to a workspace's quota. */
export function isOutOfSpace(error: unknown): error is AditError {
  return isStoreFull(error) || isDatabaseFull(error);
}

/** RFC 9457 problem details. An INTERNAL error tells the client nothing but where to look in the log. */
export function problemOf(error: AditError, instance: string, requestId: string): Problem {
  const { status, title } = ERROR_CODES[error.code];
  const detail =
    status >= 500 && !TOLD.has(error.code)
      ? `Something went wrong here. The log has the reason under request ${requestId}.`
      : cut(error.message, MAX_DETAIL_LENGTH);
  return {
    type: `urn:adit:error:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail,
    instance,
    // The interface writes this one so.
    code: error.code === 'NOT_IMPLEMENTED' ? 'not_implemented' : error.code,
    message: detail,
    request_id: requestId,
    errors: status >= 500 && !TOLD.has(error.code) ? [] : shortened(error.options.errors ?? []),
  };
}

function shortened(errors: readonly ErrorDetail[]): ErrorDetail[] {
  return errors.slice(0, MAX_ERRORS).map((error) => ({
    ...error,
    pointer: cut(error.pointer, MAX_ERROR_LENGTH),
    message: cut(error.message, MAX_ERROR_LENGTH),
  }));
}

export function problemHeaders(error: AditError): Record<string, string> {
  const retryAfter =
    error.options.retryAfterSeconds ?? (error.code === 'UNAVAILABLE' ? DEFAULT_RETRY_SECONDS : undefined);
  return {
    'content-type': PROBLEM_TYPE,
    ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
    ...(error.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Key realm="adit", Bearer realm="adit"' } : {}),
  };
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = isRecord(error) ? error['statusCode'] : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** Fastify's messages, where a better one says what to do. */
function sentence(error: Error): string {
  switch (errorCode(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return 'The body is larger than this service takes.';
    case 'FST_REQ_FILE_TOO_LARGE':
      return 'The file is larger than this service takes.';
    default:
      return error.message;
  }
}
