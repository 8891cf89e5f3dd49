import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { gatewayAdapter } from './adapter.js';
import { addOrderlyClose, type OrderlyClose } from './orderly-close.js';

const PATIENCE_MS = 1_500;
/** More than the buffers of two sockets hold. */
const LARGE = 30_000_000;
const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('a gateway that closes', () => {
  let fastify: FastifyInstance;
  let orderlyClose: OrderlyClose;
  let answer = () => {};
  beforeEach(async () => {
    fastify = gatewayAdapter({ trustProxy: [], maxBodyBytes: 1_000 }).getInstance<FastifyInstance>();
    orderlyClose = addOrderlyClose(fastify, PATIENCE_MS);
    fastify.get('/', () => 'served');
    fastify.get('/large', () => 'x'.repeat(LARGE));
    const answered = new Promise<void>((resolve) => (answer = resolve));
    fastify.get('/later', async () => {
      await answered;
      return 'served later';
    });
    await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => fastify.server.closeAllConnections());

  /** A client that has sent this, and reads nothing yet where it is `slow`. */
  const open = async (text: string, slow = false) => {
    const { port } = fastify.server.address() as AddressInfo;
    const connected = once(fastify.server, 'connection');
    const socket = connect(port, '127.0.0.1');
    const ended = once(socket, 'close');
    let all = '';
    socket.setEncoding('latin1').on('error', () => undefined);
    const read = () => socket.on('data', (data: string) => (all += data));
    if (!slow) read();
    const [[server]] = (await Promise.all([connected, once(socket, 'connect')])) as [[Socket], unknown];
    const send = async (more: string) => {
      const before = server.bytesRead;
      socket.write(more);
      while (server.bytesRead < before + more.length) await sleep(5);
    };
    await send(text);
    return { server, send, read, ended, said: () => all };
  };

  it('a closing gateway ends once all requests have an answer, whoever else is connected', async () => {
    const silent = await open('');
    const half = await open('GET / HT');
    const asking = await open(ask('/later'));
    const again = await open(ask('/'));
    while (!again.said().endsWith('served')) await sleep(5);
    await again.send('GET / HT');
    const waiting = await open(ask('/later') + ask('/'));

    // Node alone would wait for ever.
    const closed = fastify.close();
    await silent.ended;
    answer();
    await Promise.all([closed, half.ended, asking.ended, again.ended, waiting.ended]);
    expect([silent.said(), half.said()]).toEqual(['', '']);
    expect(asking.said()).toMatch(/^HTTP\/1\.1 200 [^]*served later$/);
    expect(waiting.said()).toMatch(/^HTTP\/1\.1 200 [^]*served laterHTTP\/1\.1 200 [^]*served$/);
  });

  it('a closing gateway cuts no answer that is still on its way, but for those that nobody fetches', async () => {
    const slow = await open(ask('/large'), true);
    const never = await open(ask('/large'), true);
    const asking = await open(ask('/later'));
    while (slow.server.writableLength === 0 || never.server.writableLength === 0) await sleep(5);
    const closed = fastify.close();
    answer();
    // Its end ends nobody else.
    await asking.ended;
    slow.read();
    await slow.ended;
    expect(slow.said().length - slow.said().indexOf('\r\n\r\n') - 4).toBe(LARGE);
    await closed;
    never.read();
    await never.ended;
    expect(never.said().length).toBeLessThan(LARGE);
  });

  it('a closing gateway has workers give up their connections first', async () => {
    const working = await open(ask('/'));
    while (!working.said().endsWith('served')) await sleep(5);
    expect(working.said()).toMatch(/connection: keep-alive/i);
    const began = performance.now();
    const drained = orderlyClose.drain(60_000);
    const late = await open(ask('/'));
    await working.send(ask('/'));
    await Promise.all([working.ended, late.ended, drained]);
    expect(working.said()).toMatch(/served[^]+connection: close[^]+served$/i);
    expect(late.said()).toMatch(/connection: close[^]+served$/i);
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('a closing gateway waits for idle connections no longer than its limit', async () => {
    const silent = await open(ask('/'));
    while (!silent.said().endsWith('served')) await sleep(5);
    const began = performance.now();
    await orderlyClose.drain(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(199);
    await Promise.all([fastify.close(), silent.ended]);
    expect(silent.said()).toMatch(/served$/);
  });
});
