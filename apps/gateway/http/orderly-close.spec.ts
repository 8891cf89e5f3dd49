import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { gatewayAdapter } from './adapter.js';
import { addOrderlyClose } from './orderly-close.js';

it('closes once everybody who asked has an answer, whoever else is connected', async () => {
  const fastify = gatewayAdapter({ trustProxy: [], maxBodyBytes: 1_000 }).getInstance<FastifyInstance>();
  addOrderlyClose(fastify, 500);
  fastify.get('/', async () => {
    await sleep(1_000);
    return 'served';
  });
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as AddressInfo;
  const open = async (text: string) => {
    const connected = once(fastify.server, 'connection');
    const socket = connect(port, '127.0.0.1');
    const ended = once(socket, 'close');
    let all = '';
    socket.on('error', () => undefined).on('data', (data) => (all += String(data)));
    const [[server]] = await Promise.all([connected, once(socket, 'connect')]);
    socket.write(text);
    while (server.bytesRead < text.length) await sleep(5);
    return { ended, said: () => all };
  };
  const silent = await open('');
  const half = await open('GET / HT');
  const asking = await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n');

  try {
    // Node alone would wait for ever, and for the last for more than a minute.
    const late = sleep(30_000, 'late', { ref: false });
    expect(await Promise.race([fastify.close(), late])).not.toBe('late');
    await Promise.all([silent.ended, half.ended, asking.ended]);
    expect([silent.said(), half.said()]).toEqual(['', '']);
    expect(asking.said()).toMatch(/^HTTP\/1\.1 200 [^]*served$/);
  } finally {
    fastify.server.closeAllConnections();
  }
});
