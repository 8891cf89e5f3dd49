import { isIP } from 'node:net';
import type { AddressPolicy } from './addresses.js';

export interface WebPolicy {
  addresses: AddressPolicy;
  /** Tells whether `http://` is accepted beside `https://`. */
  allowHttp: boolean;
}

/**
 * Checks a web address against SSRF without connecting to it. Returns null, or the reason, fit to follow "is refused:".
 * `new URL` has brought decimal, octal and hexadecimal hosts to plain notation by then.
 */
export function webAddressFault(url: URL, { addresses, allowHttp }: WebPolicy): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${url.protocol} is not a web address`;
  if (url.protocol === 'http:' && !allowHttp) return 'http:// is not allowed here; use https://';
  if (url.username || url.password) return 'an address may not carry a user name or password';
  const host = url.hostname.replace(/\.+$/, '');
  if (host === '') return 'it names no host';
  const literal = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIP(literal) && !addresses.permits(literal)) return `${literal} is ${addresses.refusal}`;
  if ((host === 'localhost' || host.endsWith('.localhost')) && !addresses.permits('127.0.0.1')) {
    return `${host} is ${addresses.refusal}`;
  }
  return null;
}
