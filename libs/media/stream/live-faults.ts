import { AditError, errorCode } from '@adit/contracts';
import { refusalIn } from '@adit/net';

/** Maps a failure to connect; `shown` is the address without secrets. Never names what a host name led to. */
export function connectFault(shown: string, error: unknown, seconds: number): AditError {
  const refusal = refusalIn(error);
  if (refusal !== null) return refusal;
  const code = errorCode(error) ?? '';
  if (code === 'ENOTFOUND') return refused(shown, 'its host name is not known');
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) return refused(shown, `its certificate is not accepted (${code})`);
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const why = isLate ? `nobody answers within ${seconds} s` : `the connection failed${code && ` (${code})`}`;
  return unavailable(shown, why, error);
}

export function refused(shown: string, reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The stream ${shown} is refused: ${reason}.`);
}

export function unavailable(shown: string, reason: string, cause?: unknown): AditError {
  return new AditError('SOURCE_UNAVAILABLE', `The stream ${shown} cannot be read now: ${reason}.`, { cause });
}

/** The fault of a stream whose connection stands and brings nothing. */
export function silent(shown: string, seconds: number): AditError {
  return unavailable(shown, `it sends nothing for ${seconds} s`);
}
