/** `session`: somebody is signed in; `sign-in`: somebody is at the provider just now. */
export type CookieName = 'session' | 'sign-in';

const LONGEST = 1_024;

/**
 * Name of a cookie of the service at this address (with a slash at the end). With https the browser holds it to what the name
 * promises: no page of another host, and none without TLS, can have set it.
 */
export function cookieName({ protocol, pathname }: URL, name: CookieName): string {
  const promise = protocol !== 'https:' ? '' : pathname === '/' ? '__Host-' : '__Secure-';
  return `${promise}adit-${name}`;
}

/** The value of a cookie in a header `Cookie`; null without it, and where it is longer than any of ours. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) {
      const value = part.slice(at + 1).trim();
      return value !== '' && value.length <= LONGEST ? value : null;
    }
  }
  return null;
}

interface NewCookie {
  name: CookieName;
  /** Of characters that a cookie may have; empty takes the cookie away. */
  value: string;
  seconds: number;
}

/**
 * A header `Set-Cookie`: no script reads it, and it is sent to this service alone. `Strict`: to no request that a page of another site
 * makes; `Lax` lets the way back from the provider through, which such a page makes.
 */
export function setCookie(base: URL, { name, value, seconds }: NewCookie): string {
  const sameSite = name === 'session' ? 'Strict' : 'Lax';
  const secure = base.protocol === 'https:' ? '; Secure' : '';
  const maxAge = value === '' ? 0 : Math.floor(seconds);
  return `${cookieName(base, name)}=${value}; Path=${base.pathname}; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${secure}`;
}
