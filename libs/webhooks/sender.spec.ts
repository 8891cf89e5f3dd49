import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { AddressPolicy, type ResolveHost } from '@adit/net';
import { selfSignedCertificate } from '@adit/testing';
import { Sender, type SenderOptions } from './sender.js';

const certificate = selfSignedCertificate(['127.0.0.1']);
let server: Server;
let url: string;
let received: { request: IncomingMessage; body: string }[] = [];
let sender: Sender | undefined;

const pages: Record<string, (response: ServerResponse) => void> = {
  '/ok': (response) => response.writeHead(204).end(),
  '/busy': (response) => response.writeHead(503, { 'retry-after': '120' }).end('later'),
  '/later': (response) => response.writeHead(429, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }).end(),
  '/gone': (response) => response.writeHead(410).end(),
  '/moved': (response) => response.writeHead(301, { location: '/ok' }).end(),
  '/moved-inside': (response) => response.writeHead(307, { location: 'http://169.254.169.254/latest/' }).end(),
  '/silent': () => undefined,
  '/breaks': (response) => response.destroy(),
  '/endless': (response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', more);
    };
    more();
  },
  '/drip': (response) => {
    response.write('thanks');
    const timer = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(timer));
  },
  '/binary': (response) => response.end(Buffer.from([0x61, 0, 0xff, 0x62])),
};

beforeAll(async () => {
  server = createServer(certificate, (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      received.push({ request, body });
      pages[request.url ?? '']?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await sender?.close();
  received = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function post(target: string, options: Partial<SenderOptions> = {}, body = '{}') {
  const policy = { allowHttp: false, addresses: new AddressPolicy(['127.0.0.1/32']) };
  sender = new Sender({ policy, ca: certificate.cert, timeoutSeconds: 1, ...options });
  return sender.post(target, { 'webhook-id': 'one' }, body);
}

describe('an attempt', () => {
  it('posts the bytes as they are', async () => {
    const body = '{"tag":"Zürich 🎬"}';
    const answer = await post(`${url}/ok`, {}, body);
    expect(answer).toEqual({
      outcome: 'delivered',
      reason: 'ok',
      status: 204,
      error: null,
      response: '',
      retryAfterSeconds: 0,
    });
    expect(received).toHaveLength(1);
    expect(received[0]!.body).toBe(body);
    expect(received[0]!.request).toMatchObject({ method: 'POST' });
    expect(received[0]!.request.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': 'one',
    });
  });

  it.each([
    ['/busy', { outcome: 'failed', reason: 'status', status: 503, response: 'later', retryAfterSeconds: 120 }],
    ['/gone', { outcome: 'gone', reason: 'gone', status: 410 }],
    ['/moved', { outcome: 'failed', reason: 'redirect', status: 301 }],
    ['/moved-inside', { outcome: 'failed', reason: 'redirect', status: 307 }],
    ['/silent', { outcome: 'failed', reason: 'timeout', status: null, error: 'No answer within 1 s.' }],
    ['/breaks', { outcome: 'failed', reason: 'network', status: null }],
    ['/drip', { outcome: 'delivered', reason: 'ok', status: 200 }],
    ['/binary', { outcome: 'delivered', response: 'a\uFFFD\uFFFDb' }],
  ])('at %s ends as %j', async (page, expected) => {
    expect(await post(url + page)).toMatchObject(expected);
    // A redirect is not followed, not even to where the first request went.
    expect(received).toHaveLength(1);
  });

  it('reads a date in Retry-After', async () => {
    const { retryAfterSeconds } = await post(`${url}/later`);
    expect(retryAfterSeconds).toBeGreaterThan(80);
    expect(retryAfterSeconds).toBeLessThanOrEqual(90);
  });

  it('keeps the beginning of an answer that does not end', async () => {
    const { outcome, response } = await post(`${url}/endless`);
    expect(outcome).toBe('delivered');
    expect(response).toBe('x'.repeat(4096));
  });

  it('goes nowhere private unless that is allowed', async () => {
    const closed = { policy: { allowHttp: true, addresses: new AddressPolicy() } };
    const resolveHost: ResolveHost = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const { port } = new URL(url);
    for (const target of [
      `${url}/ok`,
      `https://2130706433:${port}/ok`,
      `https://inner.test:${port}/ok`,
      'http://[::ffff:10.0.0.1]/',
      'https://user:secret@example.org/',
      'file:///etc/passwd',
      'nonsense',
    ]) {
      const answer = await post(target, { ...closed, resolveHost });
      expect(answer).toMatchObject({ outcome: 'failed', reason: 'refused', status: null });
      expect(answer.error).not.toMatch(/secret/);
    }
    expect(received).toEqual([]);
    const plain = await post(`http://127.0.0.1:${port}/ok`);
    expect(plain).toMatchObject({ reason: 'refused', error: expect.stringMatching(/use https/) });
  });

  it('insists on a certificate it trusts', async () => {
    const answer = await post(`${url}/ok`, { ca: undefined });
    expect(answer).toMatchObject({ outcome: 'failed', reason: 'network' });
    expect(answer.error).toMatch(/certificate/);
    expect(received).toEqual([]);
  });

  it('says when nobody listens', async () => {
    const answer = await post('https://127.0.0.1:1/');
    expect(answer).toMatchObject({ reason: 'network', error: expect.stringMatching(/cannot be reached/) });
  });
});
