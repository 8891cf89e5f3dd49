import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { text } from 'node:stream/consumers';
import { selfSignedCertificate } from '@adit/testing';
import { AddressPolicy } from './addresses.js';
import { connectChecked, type CheckedConnection } from './checked-socket.js';
import type { ResolveHost } from './resolve.js';

const loopback = new AddressPolicy(['127.0.0.1/32']);
const answers =
  (...found: string[]): ResolveHost =>
  () =>
    Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

describe('a checked connection', () => {
  let server: Server;
  let port: number;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((socket) => {
      connections++;
      socket.end('hello');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  const open = (more: Partial<CheckedConnection> = {}): Promise<Socket> =>
    connectChecked({ host: '127.0.0.1', port, addresses: loopback, timeoutMs: 2000, ...more });

  it('goes to a permitted address', async () => {
    expect(await text(await open())).toBe('hello');
    expect(await text(await open({ host: 'camera.test', resolveHost: answers('127.0.0.1') }))).toBe('hello');
  });

  /** @hardening privacy: A connection goes to an address that was not checked (SSRF) */
  it('is refused where the address is not permitted, before anything is opened', async () => {
    connections = 0;
    const refused = { code: 'SOURCE_REFUSED' };
    await expect(open({ addresses: new AddressPolicy() })).rejects.toMatchObject(refused);
    for (const host of ['127.1', '2130706433', '0x7f.1', '[::1]', '::ffff:127.0.0.1', 'localhost']) {
      await expect(open({ host, addresses: new AddressPolicy() })).rejects.toMatchObject(refused);
    }
    for (const found of [['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['8.8.8.8', '::1'], []]) {
      await expect(open({ host: 'inner.test', resolveHost: answers(...found) })).rejects.toMatchObject(refused);
    }
    expect(connections).toBe(0);
  });

  it('asks for the address once', async () => {
    let lookups = 0;
    const rebinding: ResolveHost = (name) => answers(++lookups === 1 ? '127.0.0.1' : '127.0.0.2')(name);
    expect(await text(await open({ host: 'rebound.test', resolveHost: rebinding }))).toBe('hello');
    expect(lookups).toBe(1);
  });

  it('tries further addresses of a name', async () => {
    const addresses = new AddressPolicy(['127.0.0.0/8']);
    const resolveHost = answers('127.0.0.9', '127.0.0.1');
    expect(await text(await open({ host: 'two.test', resolveHost, addresses }))).toBe('hello');
  });

  it('ends with the signal and with its time, also while a name is resolved', async () => {
    const never: ResolveHost = () => new Promise(() => undefined);
    await expect(open({ host: 'slow.test', resolveHost: never, timeoutMs: 50 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(open({ signal })).rejects.toThrow('stopped');
  });
});

describe('a checked connection with TLS', () => {
  const { key, cert } = selfSignedCertificate(['127.0.0.1']);
  const server = createTlsServer({ key, cert }, (socket) => socket.end('secret'));
  let port: number;
  beforeAll(async () => {
    server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  const open = (tls: CheckedConnection['tls'], more: Partial<CheckedConnection> = {}): Promise<Socket> =>
    connectChecked({ host: '127.0.0.1', port, addresses: loopback, timeoutMs: 2000, tls, ...more });

  it('trusts only what it is told to trust', async () => {
    await expect(open({})).rejects.toMatchObject({ code: expect.stringMatching(/SELF_SIGNED|CERT/) });
    expect(await text(await open({ ca: cert }))).toBe('secret');
    expect(await text(await open({ acceptAnyCertificate: true }))).toBe('secret');
  });

  it('wants the certificate to be of the host that was asked for', async () => {
    const more = { host: 'other.test', resolveHost: answers('127.0.0.1') };
    await expect(open({ ca: cert }, more)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('gives up on a server that does not answer in TLS', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const silentPort = (silent.address() as AddressInfo).port;
      await expect(open({}, { port: silentPort, timeoutMs: 100 })).rejects.toMatchObject({ name: 'TimeoutError' });
    } finally {
      silent.close();
    }
  });
});
