import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets the gateway close as soon as everybody who asked has an answer. Node waits for three more: for connections on which
 * nothing has come, as browsers and pools open them in advance, and for heads that never end, both for ever, since it stops
 * looking at `headersTimeout` when it closes; and for those who have their answer, until they have kept quiet for long
 * enough. The first end at once, a head that is on its way has `headMs` to come, and the last end with their answer.
 */
export function addOrderlyClose(fastify: FastifyInstance, headMs: number): void {
  const { server } = fastify;
  const silent = new Set<Socket>();
  let closing = false;
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    silent.delete(socket);
    response.once('finish', () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
    setTimeout(() => silent.forEach((socket) => socket.destroy()), headMs).unref();
    done();
  });
}
