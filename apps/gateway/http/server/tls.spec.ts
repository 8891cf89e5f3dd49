import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { selfSignedCertificate } from '@adit/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { gatewayAdapter } from './adapter.js';
import { addOrderlyClose } from './orderly-close.js';
import { certificateOf, renewCertificate } from './tls.js';

const folder = mkdtempSync(join(tmpdir(), 'adit-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const files = { tlsCertFile: join(folder, 'tls.crt'), tlsKeyFile: join(folder, 'tls.key') };

function written(): string {
  const { cert, key } = selfSignedCertificate(['127.0.0.1']);
  writeFileSync(files.tlsCertFile, cert);
  writeFileSync(files.tlsKeyFile, key);
  return cert;
}

describe('a gateway with a certificate', () => {
  let fastify: FastifyInstance;
  let cert: string;
  let answer: () => void;
  beforeEach(async () => {
    cert = written();
    fastify = gatewayAdapter({ trustProxy: [], maxBodyBytes: 1_000, ...files }).getInstance<FastifyInstance>();
    addOrderlyClose(fastify, 1_500);
    renewCertificate(fastify, files, 50);
    fastify.get('/', (asked) => asked.protocol);
    const answered = new Promise<void>((resolve) => (answer = resolve));
    fastify.get('/later', async () => {
      await answered;
      return 'later';
    });
    await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => fastify.close());

  const port = () => (fastify.server.address() as AddressInfo).port;
  const get = (path: string, ca: string) =>
    new Promise<string>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: port(), path, ca, agent: false }, (response) => {
        let text = '';
        response.on('data', (data: Buffer) => (text += data.toString())).on('end', () => resolve(text));
      });
      asked.on('error', reject).end();
    });

  it('speaks HTTPS, and nothing else', async () => {
    expect(await get('/', cert)).toBe('https');
    await expect(get('/', selfSignedCertificate(['127.0.0.1']).cert)).rejects.toThrow(/self-signed|verify/);
    await expect(fetch(`http://127.0.0.1:${port()}/`)).rejects.toThrow('fetch failed');
  });

  it('the image’s probe reaches the gateway when it knows the certificate', async () => {
    const probe = join(import.meta.dirname, '../../../../deploy/probe.mjs');
    const ended = async (path: string, env: NodeJS.ProcessEnv) => {
      const child = spawn(process.execPath, [probe, `http://127.0.0.1:${port()}${path}`], { env, stdio: 'ignore' });
      const [code] = (await once(child, 'exit')) as [number];
      return code;
    };
    const env = { ADIT_TLS_CERT_FILE: files.tlsCertFile };
    expect(await ended('/', env)).toBe(0);
    expect(await ended('/none', env)).toBe(1);
    expect(await ended('/', {})).toBe(1);
  });

  it('new connections get a renewed certificate; the former one stays while the files do not fit, and open connections are served', async () => {
    const open = connect({ host: '127.0.0.1', port: port(), ca: cert });
    await new Promise((resolve) => open.once('secureConnect', resolve));
    writeFileSync(files.tlsKeyFile, 'torn');
    await sleep(200);
    expect(await get('/', cert)).toBe('https');
    const renewed = written();
    for (let tries = 0; ; tries += 1) {
      const text = await get('/', renewed).catch((error: Error) => error);
      if (text === 'https') break;
      if (tries > 100) throw text;
      await sleep(50);
    }
    open.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await said(open)).toMatch(/https$/);
  }, 30_000);

  it('running answers end before the gateway closes, and idle connections close at once', async () => {
    const idle = connect({ host: '127.0.0.1', port: port(), ca: cert });
    await new Promise((resolve) => idle.once('secureConnect', resolve));
    const asking = get('/later', cert);
    await sleep(200);
    const closing = fastify.close();
    await said(idle);
    answer();
    expect(await asking).toBe('later');
    await closing;
  }, 20_000);
});

/** All that comes until the connection ends. */
function said(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString()));
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

it.each([
  [{ tlsCertFile: '/none.crt' }, /needs both ADIT_TLS_CERT_FILE and ADIT_TLS_KEY_FILE/],
  [{ tlsCertFile: '/none.crt', tlsKeyFile: '/none.key' }, /\/none\.crt \(ADIT_TLS_CERT_FILE\) cannot be read/],
])('a certificate is refused: %j', (settings, why) => {
  expect(() => certificateOf(settings)).toThrow(why);
});

it('a certificate with another key is refused', () => {
  written();
  writeFileSync(files.tlsKeyFile, selfSignedCertificate(['127.0.0.1']).key);
  expect(() => certificateOf(files)).toThrow(/are no certificate with its key: .*key values mismatch/);
});
