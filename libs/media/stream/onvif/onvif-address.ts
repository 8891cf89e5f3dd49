import { AditError } from '@adit/contracts';
import type { Credentials } from '../../fetch/live-address.js';

export interface OnvifAddress {
  /** Service of the device, without a user name. */
  url: URL;
  credentials: Credentials | null;
}

const MAX_LENGTH = 4096;
const DEVICE_SERVICE = '/onvif/device_service';

/** Tells by its form alone whether an address is that of a camera to be asked for its streams. */
export function isOnvif(uri: string): boolean {
  return /^onvif:\/\//i.test(uri);
}

/**
 * Parses `onvif://USER:PASSWORD@HOST:PORT`; port and path are those of most cameras where they are left out. Throws
 * VALIDATION with a message that repeats no part of it.
 */
export function parseOnvifAddress(uri: string): OnvifAddress {
  if (uri.length > MAX_LENGTH) throw invalid('it is too long');
  // Parsers disagree about blanks, control characters, backslashes and missing slashes.
  if (!/^[!-~]*$/.test(uri) || !/^onvif:\/\/[^/\\]+[^\\]*$/i.test(uri)) {
    throw invalid('it is not of the form onvif://USER:PASSWORD@HOST:PORT');
  }
  const web = uri.replace(/^onvif:/i, 'http:');
  if (!URL.canParse(web)) throw invalid('its host or port cannot be read');
  const url = new URL(web);
  if (url.search !== '' || url.hash !== '') {
    throw invalid('it has a question mark or a #; in a password they are written as %3F and %23');
  }
  const credentials = credentialsOf(url);
  url.username = '';
  url.password = '';
  if (url.pathname === '/') url.pathname = DEVICE_SERVICE;
  return { url, credentials };
}

function credentialsOf({ username, password }: URL): Credentials | null {
  if (username === '' && password === '') return null;
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw invalid('a percent sign in its user name or password has to be written as %25');
  }
}

function invalid(reason: string): AditError {
  return new AditError('VALIDATION', `The address of the camera is refused: ${reason}.`);
}
