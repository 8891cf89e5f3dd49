import { AditError } from '@adit/contracts';

/** User name and password of an address, for the server that the address names and no other. */
export interface WebCredentials {
  /** Scheme, host and port. */
  origin: string;
  /** Value of the header `authorization`. */
  authorization: string;
}

/**
 * Takes user name and password out of an address, for Basic authentication in UTF-8 (RFC 7617). Throws VALIDATION where
 * they are not percent-encoded.
 */
export function splitCredentials(address: URL): { url: URL; credentials: WebCredentials | null } {
  const { username, password } = address;
  if (username === '' && password === '') return { url: address, credentials: null };
  const url = new URL(address);
  [url.username, url.password] = ['', ''];
  try {
    const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    return { url, credentials: { origin: url.origin, authorization: `Basic ${secret.toString('base64')}` } };
  } catch {
    throw new AditError(
      'VALIDATION',
      'The address is refused: a percent sign in its user name or password has to be written as %25.',
    );
  }
}
