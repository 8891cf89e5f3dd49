import { AditError, errorCode, errorMessage } from '@adit/contracts';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const IN_FAILED_TRANSACTION = '25P02';
const UNIQUE_VIOLATION = '23505';

const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
const INSUFFICIENT_PRIVILEGE = '42501';
const DISK_FULL = '53100';

/**
 * Classes and codes that mean "no database", as opposed to "wrong statement": PostgreSQL's appendix A. They cover a
 * lost connection, shutdown or start, no disk, memory or connections left, unreadable files, a transaction ended for
 * inactivity, and a primary that has become a standby.
 */
const UNAVAILABLE_STATES = /^(08|57P0[1-5]$|53|58|25P03$|25006$)/;
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** Messages of `pg` and its pool without a code. */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|not queryable|embedded database stopped|pool after calling end/;

function driverError(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}

/** The state or system code that the driver gave. */
function driverCode(error: unknown): string | undefined {
  return errorCode(driverError(error));
}

function constraintOf(error: unknown): unknown {
  const cause = driverError(error);
  return typeof cause === 'object' && cause !== null && 'constraint' in cause ? cause.constraint : undefined;
}

/** True for a collision of two transactions: the same work will succeed when repeated. */
export function isTransient(error: unknown): boolean {
  const code = driverCode(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/** True when a lock or a statement exceeded its time limit. It is not repeated at once: the time is spent. */
function isTimeout(error: unknown): boolean {
  const code = driverCode(error);
  return code === LOCK_NOT_AVAILABLE || code === QUERY_CANCELED;
}

/** True when a lock exceeded its time limit. */
export function isLockTimeout(error: unknown): boolean {
  return driverCode(error) === LOCK_NOT_AVAILABLE;
}

/** True when a statement exceeded its time limit. */
export function isStatementTimeout(error: unknown): boolean {
  return driverCode(error instanceof AditError ? error.cause : error) === QUERY_CANCELED;
}

/** True when the user lacks a permission. */
export function isForbidden(error: unknown): boolean {
  return driverCode(error) === INSUFFICIENT_PRIVILEGE;
}

/** True when refused only because an earlier statement of the transaction had failed. */
export function isAborted(error: unknown): boolean {
  return driverCode(error) === IN_FAILED_TRANSACTION;
}

/** True for a duplicate key; with `constraint` only for that constraint or index. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return driverCode(error) === UNIQUE_VIOLATION && (constraint === undefined || constraintOf(error) === constraint);
}

/** True when the server's disk is full. */
export function isDiskFull(error: unknown): boolean {
  return driverCode(error) === DISK_FULL;
}

/** True when a write was refused because the database is full. */
export function isDatabaseFull(error: unknown): error is AditError {
  return error instanceof AditError && error.code === 'UNAVAILABLE' && isDiskFull(error.cause);
}

/** True when the database cannot be reached, or the connection was lost. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AditError) return error.code === 'UNAVAILABLE';
  const message = errorMessage(driverError(error));
  if (message === undefined) return false;
  const code = driverCode(error);
  if (code !== undefined && (UNAVAILABLE_STATES.test(code) || UNAVAILABLE_SYSTEM_CODES.has(code))) return true;
  return UNAVAILABLE_MESSAGES.test(message);
}

/** Error of TypeORM in a transaction whose connection was lost between two of its statements. */
export function isConnectionReleased(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}

/**
 * Converts an error: UNAVAILABLE when the database is gone or its transactions kept colliding, CONFLICT for a
 * duplicate key, INTERNAL for the rest. An AditError stays as it is.
 */
export function toAditError(error: unknown): AditError {
  if (error instanceof AditError) return error;
  if (isDiskFull(error)) {
    return new AditError('UNAVAILABLE', `The database is full (${errorMessage(driverError(error))}). Give it room.`, {
      cause: error,
    });
  }
  if (isUnavailable(error)) {
    return new AditError('UNAVAILABLE', 'The database does not answer. Check that it runs and can be reached.', {
      cause: error,
    });
  }
  if (isTransient(error) || isTimeout(error)) {
    return new AditError('UNAVAILABLE', 'The database is too contended to finish this now. Try again.', {
      cause: error,
    });
  }
  if (isUniqueViolation(error)) return new AditError('CONFLICT', 'It exists already.', { cause: error });
  return AditError.from(error);
}
