import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { PROBLEM_TYPE, problemHeaders, problemOf, refusalOf } from './problem.js';
import { requestIdOf } from './request-hooks.js';

/** Fastify as the interface needs it: both slash forms, bounded bodies, ids on requests, problem+json even for garbage. */
export function gatewayAdapter(config: Pick<GatewayConfig, 'trustProxy' | 'maxBodyBytes'>): FastifyAdapter {
  const options: FastifyHttpOptions<Server> = {
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    bodyLimit: config.maxBodyBytes,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Slow clients may upload for hours, but not take minutes for a head.
    connectionTimeout: 0,
    requestTimeout: 0,
    http: { headersTimeout: 30_000 },
    // On a connection that is still open when the process ends, the last request is served: what it needs is there.
    return503OnClosing: false,
    frameworkErrors: (thrown, request, reply) => {
      const error = refusalOf(thrown);
      const problem = problemOf(error, request.url.split('?')[0] ?? '/', request.id);
      // Fastify types this reply by a route that does not exist here.
      void (reply as FastifyReply)
        .status(error.status)
        .headers({ ...problemHeaders(error), 'x-request-id': request.id })
        .send(JSON.stringify(problem));
    },
    clientErrorHandler: (thrown, socket) => answerUnreadable(thrown as NodeJS.ErrnoException, socket as Socket),
  };
  return new FastifyAdapter(options);
}

/** What is not HTTP never becomes a request; it is answered on the bare socket. */
function answerUnreadable(thrown: NodeJS.ErrnoException, socket: Socket): void {
  if (thrown.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const tooLarge = thrown.code === 'HPE_HEADER_OVERFLOW';
  const id = requestIdOf(undefined);
  const error = new AditError('VALIDATION', tooLarge ? 'The headers are too large.' : 'This is not an HTTP request.');
  const body = JSON.stringify(problemOf(error, '/', id));
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
