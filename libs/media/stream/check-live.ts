import { AditError } from '@adit/contracts';
import { webAddressFault } from '@adit/net';
import { splitCredentials } from '../fetch/web-credentials.js';
import { brief, sourceAddresses, type SourcePolicy } from '../fetch/source-uri.js';
import { shownAddress, streamProtocol } from '../fetch/live-address.js';
import { parseSrtAddress, srtListenPort } from './srt/srt-address.js';

/**
 * Checks the address of a live source without connecting to it: its form, and that a literal address is public (SSRF). A user name and password are allowed. Any other web address is taken for that of MPEG-TS
 * over HTTP: whoever calls this says that it is a stream. Throws VALIDATION or SOURCE_REFUSED.
 */
export function checkLive(uri: string, policy: SourcePolicy): void {
  const protocol = streamProtocol(uri);
  if (protocol === null) throw new AditError('VALIDATION', `${brief(uri)} is not the address of a live stream.`);
  if (uri.length > 4096) throw new AditError('VALIDATION', 'A source has 1 to 4096 characters.');
  if (srtListenPort(uri) !== null) return void parseSrtAddress(uri, policy);
  const url = parsed(uri);
  if (url === null) throw new AditError('VALIDATION', `${brief(uri)} is not the address of a live stream.`);
  const isWeb = protocol === 'hls' || protocol === 'dash' || protocol === 'http';
  if (isWeb) splitCredentials(url);
  url.username = '';
  url.password = '';
  const allowHttp = isWeb ? policy.allowHttp : true;
  const fault = webAddressFault(url, { allowHttp, addresses: sourceAddresses(policy) });
  if (fault !== null) throw new AditError('SOURCE_REFUSED', `The source ${brief(uri)} is refused: ${fault}.`);
  if (protocol === 'srt') parseSrtAddress(uri, policy);
}

/** True when the address holds what may not be shown. */
export function hidesSecrets(uri: string): boolean {
  return shownAddress(uri) !== uri;
}

/** Parses any scheme as a web address: only there decimal, octal and hexadecimal hosts are brought to plain notation. */
function parsed(uri: string): URL | null {
  // Parsers disagree about blanks, control characters, backslashes and missing slashes.
  if ([...uri].some((character) => character <= ' ' || character === '\u007f')) return null;
  if (!/^[a-z]+:\/\/[^/\\]/i.test(uri) || /^[^?#]*\\/.test(uri)) return null;
  const web = /^https?:/i.test(uri) ? uri : uri.replace(/^[a-z]+:/i, 'http:');
  return URL.canParse(web) ? new URL(web) : null;
}
