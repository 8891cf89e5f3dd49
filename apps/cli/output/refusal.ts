import { AditError, ERROR_CODES, isKeyOf } from '@adit/contracts';
import { AditApiError, AditConnectionError } from '@adit/client';

/**
 * Turns a refusal of the engine, or a missing answer, into the error that the command line ends with; returns other
 * errors unchanged.
 */
export function refusalOf(error: unknown): unknown {
  if (error instanceof AditConnectionError) return new AditError('UNAVAILABLE', error.message, { cause: error });
  if (!(error instanceof AditApiError)) return error;
  const code = isKeyOf(ERROR_CODES, error.code) ? error.code : 'INTERNAL';
  const more = error.errors.filter(({ message }) => !error.message.includes(message));
  const places = more.map(({ pointer, message }) => `\n  ${pointer}: ${message}`);
  return new AditError(code, error.message + places.join(''), { cause: error });
}
