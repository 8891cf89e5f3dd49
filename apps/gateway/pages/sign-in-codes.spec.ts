import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { isFromThisMachine, isLoopback, SignInCodes } from './sign-in-codes.js';

const MINUTES = 60_000;

describe('the codes that stand for the first key', () => {
  it('a code is good once', () => {
    const codes = new SignInCodes();
    const code = codes.offer('adit_first');
    expect(code).toMatch(/^[\w-]{32}$/);
    expect([codes.take(code), codes.take(code)]).toEqual(['adit_first', null]);
    expect(new SignInCodes().take('')).toBeNull();
  });

  /** @hardening privacy: a link in the history of a browser or the log of a terminal is of no use later */
  it('a code ends after ten minutes, and when another is offered', () => {
    const codes = new SignInCodes();
    const late = codes.offer('adit_first', 0);
    expect(codes.take(late, 10 * MINUTES)).toBeNull();
    expect(codes.take(late, 0)).toBeNull();
    const old = codes.offer('adit_first', 0);
    const fresh = codes.offer('adit_first', 0);
    expect([codes.take(old, 1), codes.take(fresh, 10 * MINUTES - 1)]).toEqual([null, 'adit_first']);
  });

  /** @hardening privacy: a program of another user of the machine guesses the code of the first key */
  it('a code is withdrawn after very many wrong ones, not after some', () => {
    const codes = new SignInCodes();
    const code = codes.offer('adit_first');
    for (const wrong of ['', code.slice(1), `${code}x`, 'a']) expect(codes.take(wrong)).toBeNull();
    for (let at = 0; at < 900; at += 1) codes.take(`wrong ${at}`);
    expect(codes.take(code)).toBe('adit_first');
    const other = codes.offer('adit_first');
    for (let at = 0; at < 1_000; at += 1) codes.take(`wrong ${at}`);
    expect(codes.take(other)).toBeNull();
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['127.0.0.1.example.org', false],
    ['localhost.example.org', false],
    ['0.0.0.0', false],
    ['::', false],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['', false],
  ])('%s is of this machine alone: %s', (name, expected) => {
    expect(isLoopback(name)).toBe(expected);
  });

  const local = { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' };
  /** @hardening privacy: a page of another site, a name that leads to this machine, or a proxy asks for the first key */
  it.each([
    ['the page itself', '127.0.0.1', local, true],
    ['over IPv6', '::1', { host: '[::1]:8080', origin: 'http://[::1]:8080', 'sec-fetch-site': 'same-origin' }, true],
    ['of the network', '10.0.0.7', local, false],
    ['through a proxy', '127.0.0.1', { ...local, 'x-forwarded-for': '10.0.0.7' }, false],
    ['through a proxy that says its name alone', '127.0.0.1', { ...local, via: '1.1 proxy' }, false],
    ['under another name', '127.0.0.1', { host: 'evil.example:8080', origin: 'http://evil.example:8080' }, false],
    ['of another site', '127.0.0.1', { ...local, origin: 'https://evil.example' }, false],
    ['of another port', '127.0.0.1', { ...local, origin: 'http://127.0.0.1:9090' }, false],
    ['of another site, as the browser says', '127.0.0.1', { ...local, 'sec-fetch-site': 'cross-site' }, false],
    ['of a program that says no origin', '127.0.0.1', { host: '127.0.0.1:8080' }, false],
    ['without a name', '127.0.0.1', { origin: 'http://127.0.0.1:8080' }, false],
  ])('a request %s', (_, remoteAddress, headers, expected) => {
    expect(isFromThisMachine({ socket: { remoteAddress }, headers })).toBe(expected);
  });
});

describe('the exchange of a code', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  }, BOOT_MS);
  afterAll(() => gateway?.close());

  const exchange = (code: string, { remoteAddress = '127.0.0.1', headers = {} } = {}) =>
    gateway.app.inject({
      ...{ method: 'POST', url: '/console/sign-in', remoteAddress },
      headers: { host: 'localhost:8080', origin: 'http://localhost:8080', authorization: `Code ${code}`, ...headers },
    });

  it('answers the key to a browser on this machine, once and to be kept nowhere', async () => {
    const code = gateway.app.get(SignInCodes).offer(gateway.key);
    const reply = await exchange(code);
    expect([reply.statusCode, reply.json(), reply.headers['cache-control']]).toEqual([
      ...[200, { key: gateway.key }, 'no-store'],
    ]);
    expect((await exchange(code)).statusCode).toBe(401);
  });

  it('answers nobody else, and leaves the code to whom it is for', async () => {
    const code = gateway.app.get(SignInCodes).offer(gateway.key);
    const others = [
      { remoteAddress: '10.0.0.7' },
      { headers: { 'x-forwarded-for': '127.0.0.1' } },
      { headers: { host: 'adit.example.org', origin: 'http://adit.example.org' } },
      { headers: { origin: 'https://evil.example' } },
      // More than would withdraw the code, were they counted.
      ...Array.from({ length: 1_000 }, () => ({ remoteAddress: '192.168.1.2' })),
    ];
    for (const other of others) expect((await exchange(code, other)).statusCode).toBe(403);
    expect((await exchange('wrong')).statusCode).toBe(401);
    expect((await exchange(code)).statusCode).toBe(200);
  });

  it(
    'is not there where the console is off',
    async () => {
      const without = await startGateway({ console: false });
      try {
        const headers = { host: 'localhost', origin: 'http://localhost', authorization: 'Code x' };
        expect((await without.app.inject({ method: 'POST', url: '/console/sign-in', headers })).statusCode).toBe(404);
      } finally {
        await without.close();
      }
    },
    BOOT_MS,
  );
});
