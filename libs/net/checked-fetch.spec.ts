import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AddressPolicy } from './addresses.js';
import { CheckedFetch } from './checked-fetch.js';

const LOOPBACK = { addresses: new AddressPolicy(['127.0.0.1/32']), allowHttp: true };
let server: Server;
let base: string;
const opened: CheckedFetch[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/silent') return;
    if (request.url === '/moved') return response.writeHead(302, { location: '/' }).end();
    if (request.url === '/large') return response.end(Buffer.alloc(5_000));
    request.setEncoding('utf8').on('data', (text) => response.write(`${request.method} ${text}`));
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const one of opened) await one.close();
  server.closeAllConnections();
  server.close();
});

function ask(path: string, { policy = LOOPBACK, body }: { policy?: typeof LOOPBACK; body?: unknown } = {}) {
  const checked = new CheckedFetch({ policy, timeoutMs: 300, maxBytes: 4_096 });
  opened.push(checked);
  return checked.fetch(`${base}${path}`, { method: body === undefined ? 'GET' : 'POST', headers: {}, body });
}

it('sends texts and forms, and answers with what came', async () => {
  const answer = await ask('/', { body: new URLSearchParams({ a: '1 2' }) });
  expect([answer.status, await answer.text()]).toEqual([200, 'POST a=1+2']);
  await expect(ask('/', { body: new Uint8Array(1) })).rejects.toThrow(TypeError);
});

it('follows no redirect', async () => {
  const answer = await ask('/moved');
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/']);
});

it('refuses private addresses, http where it is not allowed, and answers that are too large or too slow', async () => {
  const closed = { addresses: new AddressPolicy(), allowHttp: true };
  await expect(ask('/', { policy: closed })).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
  await expect(ask('/', { policy: { ...LOOPBACK, allowHttp: false } })).rejects.toMatchObject({
    code: 'SOURCE_REFUSED',
  });
  await expect(ask('/large')).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(ask('/silent')).rejects.toMatchObject({ code: 'TIMED_OUT' });
});
