import { AditError, ERROR_CODES, errorCode, isKeyOf } from '@adit/contracts';
import { AditApiError, AditConnectionError } from '@adit/client';

/**
 * Turns a refusal of the engine, a missing answer, or a file that this user may not open, into the error that the command
 * line ends with; returns other errors unchanged.
 */
export function refusalOf(error: unknown): unknown {
  if (error instanceof AditConnectionError) return new AditError('UNAVAILABLE', error.message, { cause: error });
  const closed = closedPath(error);
  if (closed !== null) {
    const advice = 'Give this user the right to (chmod, chown), or run the command as one who has it.';
    return new AditError('FORBIDDEN', `${closed} cannot be opened: permission denied. ${advice}`, { cause: error });
  }
  if (!(error instanceof AditApiError)) return error;
  const code = isKeyOf(ERROR_CODES, error.code) ? error.code : 'INTERNAL';
  const more = error.errors.filter(({ message }) => !error.message.includes(message));
  const places = more.map(({ pointer, message }) => `\n  ${pointer}: ${message}`);
  return new AditError(code, error.message + places.join(''), { cause: error });
}

/** The file or folder that the system refused to open; null for any other error. */
function closedPath(error: unknown): string | null {
  const isDenied = ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  if (!isDenied || typeof error !== 'object' || error === null || !('path' in error)) return null;
  return typeof error.path === 'string' ? error.path : null;
}
