import { expect, it } from '@jest/globals';
import { cookieName, readCookie, setCookie } from './cookies.js';

it('sets cookies that the browser holds to this service', () => {
  const session = { name: 'session', value: 'v', seconds: 60.5 } as const;
  expect([
    setCookie(new URL('https://adit.example.org/'), session),
    setCookie(new URL('https://example.org/adit/'), { ...session, name: 'sign-in' }),
    setCookie(new URL('http://localhost:8080/'), { ...session, value: '' }),
  ]).toEqual([
    '__Host-adit-session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
    '__Secure-adit-sign-in=v; Path=/adit/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    'adit-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
  ]);
});

it('reads one by its whole name', () => {
  const name = cookieName(new URL('http://localhost/'), 'session');
  const read = (header: string | undefined) => readCookie(header, name);
  expect(['a=b; adit-session=x=y ;c', 'xadit-session=x', 'adit-session=', 'adit-session', undefined].map(read)).toEqual(
    [...['x=y', null, null, null, null]],
  );
  expect(read(`adit-session=${'x'.repeat(2_000)}`)).toBeNull();
});
