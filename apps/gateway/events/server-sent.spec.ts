import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import fastify from 'fastify';
import { ServerSent } from './server-sent.js';

it('cuts off a client that takes nothing, and not one that is slow', async () => {
  const server = fastify();
  const ends: Record<string, Promise<string>> = {};
  const data = 'x'.repeat(100_000);
  server.get('/:name', async (request, reply) => {
    const sent = new ServerSent(reply, 3_000);
    const sending = async (): Promise<string> => {
      for (let id = 1; id <= 200; id += 1)
        await sent.send({ id: String(id), event: 'e', timeCreated: new Date(), data });
      const end = sent.gone.aborted ? 'cut off' : 'told all';
      sent.end();
      return end;
    };
    const { name } = request.params as { name: string };
    ends[name] = sending();
  });
  const port = Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port);
  const ask = async (name: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(`GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  };
  const [stopped, slow] = [await ask('stopped'), await ask('slow')];
  const reading = setInterval(() => slow.read(), 5);
  expect(await ends['slow']).toBe('told all');
  expect(await ends['stopped']).toBe('cut off');
  clearInterval(reading);
  stopped.destroy();
  slow.destroy();
  await server.close();
}, 30_000);
