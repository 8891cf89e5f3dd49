import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** A connection, by what was asked on it. */
interface Asked {
  /** Requests and answers that have not come, or gone, whole; and the answers alone. */
  underway: number;
  answers: number;
  /** Bytes that had come when it last was at rest. */
  bytes: number;
}

export interface OrderlyClose {
  /**
   * Tells all who ask that their connection ends with the answer, until none is left or the time is over. Who sends on a connection
   * that ends at that moment gets no answer: so before the gateway closes, those in use are given up by their clients.
   */
  drain(milliseconds: number): Promise<void>;
}

/** Number of times that a gateway that drains looks whether somebody is left, in milliseconds. */
const CHECK_MS = 25;

/**
 * Lets the gateway close as soon as everybody who asked has an answer. Node alone cuts what is still to be sent of an answer
 * that was ended, and waits for ever for connections on which nothing has come, as browsers and pools open them in advance, for
 * heads that never end, since it stops looking at `headersTimeout`, and for answers that nobody fetches. Here connections at
 * rest end at once, those with an answer once it is sent; a head that is on its way and an answer that is not fetched have
 * `patienceMs`.
 */
export function addOrderlyClose(fastify: FastifyInstance, patienceMs: number): OrderlyClose {
  const { server } = fastify;
  const connections = new Map<Socket, Asked>();
  let draining = false;
  let closing = false;
  // Event of the socket that carries requests: with TLS the connection below it is another socket.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { underway: 0, answers: 0, bytes: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  // Before the handler, which may answer at once.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const asked = connections.get(socket);
    if (asked === undefined) return;
    // Node takes the timeout away with a connection's next request.
    if (closing) socket.setTimeout(patienceMs);
    asked.answers += 1;
    response.once('close', () => (asked.answers -= 1));
    for (const half of [request, response]) {
      asked.underway += 1;
      half.once('close', () => {
        asked.underway -= 1;
        asked.bytes = socket.bytesRead;
        if (closing && asked.underway === 0) socket.destroySoon();
      });
    }
  });
  fastify.addHook('onSend', ({ raw }, reply, payload, done) => {
    // Node ends the connection behind it: not while a body is still coming, or others wait behind it.
    if ((draining || closing) && hasCome(raw) && connections.get(raw.socket)?.answers === 1)
      reply.header('connection', 'close');
    done(null, payload);
  });
  // Node calls it when it closes; its own cuts answers.
  server.closeIdleConnections = () => {
    for (const [socket, { underway, bytes }] of connections)
      if (underway === 0 && socket.bytesRead === bytes) socket.destroySoon();
  };
  fastify.addHook('preClose', (done) => {
    closing = true;
    server.on('timeout', (socket: Socket) => {
      if (connections.get(socket)?.underway === 0 || socket.writableLength > 0) socket.destroy();
    });
    for (const socket of connections.keys()) socket.setTimeout(patienceMs);
    setTimeout(() => {
      for (const [socket, { underway }] of connections) if (underway === 0) socket.destroy();
    }, patienceMs).unref();
    done();
  });
  return {
    async drain(milliseconds) {
      draining = true;
      const until = performance.now() + milliseconds;
      while (connections.size > 0 && performance.now() < until) await sleep(CHECK_MS);
    },
  };
}

/** Tells whether nothing is to come of a request; one without a body may be answered before Node says that it is complete. */
function hasCome({ complete, headers }: IncomingMessage): boolean {
  return complete || (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0);
}
