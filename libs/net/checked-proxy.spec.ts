import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { selfSignedCertificate } from '@adit/testing';
import { AddressPolicy } from './addresses.js';
import { openCheckedProxy, type CheckedProxy, type CheckedProxyOptions } from './checked-proxy.js';
import type { ResolveHost } from './resolve.js';
import { PRIVATE_HOSTS } from './testing/private-hosts.js';

const loopback = new AddressPolicy(['127.0.0.1/32']);
const { key, cert } = selfSignedCertificate(['127.0.0.1']);
const answers =
  (...found: string[]): ResolveHost =>
  () =>
    Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

let site: HttpsServer;
let port: number;
let connections = 0;
let proxy: CheckedProxy | undefined;
let overs = 0;

beforeAll(async () => {
  site = createHttps({ key, cert }, (request, response) => {
    if (request.url === '/silent') return;
    response.end(request.url === '/large' ? Buffer.alloc(1_000_000) : 'here');
  });
  site
    .on('connection', () => connections++)
    .on('tlsClientError', () => undefined)
    .listen(0, '127.0.0.1');
  await once(site, 'listening');
  port = (site.address() as AddressInfo).port;
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
  connections = overs = 0;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

async function open(more: Partial<CheckedProxyOptions> = {}): Promise<CheckedProxy> {
  proxy = await openCheckedProxy({
    addresses: loopback,
    ports: [port],
    maxBytes: 10_000_000,
    onTooMany: () => overs++,
    timeoutMs: 2000,
    ...more,
  });
  return proxy;
}

/** Sends the head of a request as it stands and returns the status with the connection. */
async function ask(head: string, url = proxy?.url ?? ''): Promise<{ status: number; socket: Socket }> {
  const { port: at, username, password } = new URL(url);
  const socket = connect(Number(at), '127.0.0.1');
  socket.on('error', () => undefined);
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const known = username === '' ? '' : `proxy-authorization: Basic ${credentials}\r\n`;
  socket.write(`${head} HTTP/1.1\r\nhost: x\r\n${known}\r\n`, 'utf8');
  const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])) as [Buffer];
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(String(first))?.[1] ?? 0), socket };
}

async function statusOf(head: string, url?: string): Promise<number> {
  const { status, socket } = await ask(head, url);
  socket.destroy();
  return status;
}

/** The body of a page, through the tunnel. */
async function page(path: string): Promise<string> {
  const { status, socket } = await ask(`CONNECT 127.0.0.1:${port}`);
  expect(status).toBe(200);
  const secure = connectTls({ socket, ca: cert, host: '127.0.0.1' });
  secure.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  let text = '';
  for await (const piece of secure.on('error', () => undefined)) text += String(piece);
  return text;
}

describe('a checked proxy', () => {
  it('makes tunnels to what is permitted, and counts their bytes', async () => {
    const opened = await open();
    expect(await page('/')).toMatch(/here$/);
    expect(opened.carriedBytes()).toBeGreaterThan(500);
    expect(opened.carriedBytes()).toBeLessThan(10_000);
    expect(opened.fault()).toBeNull();
  });

  it('serves nobody without its password, which is another one each time', async () => {
    const { url } = await open();
    const open1 = new URL(url);
    expect(await statusOf(`CONNECT 127.0.0.1:${port}`, `http://127.0.0.1:${open1.port}`)).toBe(407);
    expect(await statusOf(`CONNECT 127.0.0.1:${port}`, `http://adit:wrong@127.0.0.1:${open1.port}`)).toBe(407);
    expect(await statusOf('GET http://example.org/', `http://127.0.0.1:${open1.port}`)).toBe(407);
    await proxy?.close();
    const { password } = new URL((await open()).url);
    expect(password).not.toBe(open1.password);
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect(connections).toBe(0);
  });

  /** @hardening privacy: yt-dlp reaches private addresses by a redirect or a name (SSRF) */
  it(`connects to none of ${PRIVATE_HOSTS.length} spellings of private addresses`, async () => {
    const opened = await open({ addresses: new AddressPolicy() });
    for (const host of PRIVATE_HOSTS) {
      // One of the table has a port of its own.
      const authority = /[^:\]]:\d+$/.test(host) ? host : `${host}:${port}`;
      // Letters that no HTTP has end the connection.
      const expected = /^[\x21-\x7e]+$/.test(host) ? 403 : 0;
      expect([host, await statusOf(`CONNECT ${authority}`)]).toEqual([host, expected]);
      expect(opened.fault()?.code).toBe('SOURCE_REFUSED');
    }
    expect(connections).toBe(0);
  });

  it('checks what a name leads to once, and all of it', async () => {
    for (const found of [['10.0.0.1'], ['127.0.0.1', '169.254.169.254'], ['::ffff:127.0.0.1'], []]) {
      await open({ resolveHost: answers(...found) });
      expect(await statusOf(`CONNECT inner.test:${port}`)).toBe(403);
      expect(proxy?.fault()).toMatchObject({ code: 'SOURCE_REFUSED' });
      await proxy?.close();
    }
    let lookups = 0;
    await open({ resolveHost: (name) => answers(++lookups === 1 ? '127.0.0.1' : '127.0.0.2')(name) });
    expect(await statusOf(`CONNECT rebound.test:${port}`)).toBe(200);
    expect(lookups).toBe(1);
  });

  it('refuses other ports, requests without a tunnel, and what is no address', async () => {
    await open();
    expect(await statusOf('CONNECT 127.0.0.1:22')).toBe(403);
    expect(proxy?.fault()?.message).toBe('It leads to port 22 of 127.0.0.1, which is refused.');
    expect(await statusOf(`GET http://127.0.0.1:${port}/`)).toBe(405);
    expect(proxy?.fault()?.message).toContain('only https:// is');
    for (const wrong of ['127.0.0.1', `a@127.0.0.1:${port}`, `127.0.0.1:${port}/`, '127.0.0.1:99999', ':443']) {
      expect([wrong, await statusOf(`CONNECT ${wrong}`)]).toEqual([wrong, 403]);
    }
    expect(connections).toBe(0);
  });

  it('says whom it could not reach', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const closed = (gone.address() as AddressInfo).port;
    gone.close();
    await open({ ports: [closed] });
    expect(await statusOf(`CONNECT 127.0.0.1:${closed}`)).toBe(502);
    expect(proxy?.fault()).toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('closes everything at the first byte too many, of all connections together', async () => {
    await open({ maxBytes: 2_500_000 });
    expect((await page('/large')).length).toBeGreaterThan(1_000_000);
    expect((await page('/large')).length).toBeGreaterThan(1_000_000);
    expect((await page('/large')).length).toBeLessThan(600_000);
    expect(overs).toBe(1);
    await expect(once(connect(proxy?.port ?? 0, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  it('ends connections over which nothing comes, and all of them when it is closed', async () => {
    await open({ timeoutMs: 100 });
    expect(await page('/silent')).toBe('');
    await proxy?.close();
    await open();
    const { socket } = await ask(`CONNECT 127.0.0.1:${port}`);
    const closed = once(socket, 'close');
    await proxy?.close();
    await closed;
    await proxy?.close();
  });

  it('makes a few dozen tunnels at a time', async () => {
    await open();
    const many = await Promise.all(Array.from({ length: 40 }, () => ask(`CONNECT 127.0.0.1:${port}`)));
    const statuses = many.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    for (const { socket } of many) socket.destroy();
  });
});
