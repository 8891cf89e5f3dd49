import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import type { GatewayConfig } from '../../config.js';
import { answerOnSocket } from './bare-socket.js';
import { problemHeaders, problemOf, refusalOf } from '../problem.js';
import { requestIdOf } from './request-hooks.js';
import { certificateOf, type TlsSettings } from './tls.js';

/** Its parsers of bodies are those of `addBodyParsers`: Nest's own would take forms, and JSON without bounds. */
class GatewayAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {
    return;
  }
}

/** Fastify as the interface needs it: both slash forms, bounded bodies, ids on requests, problem+json even for garbage. */
export function gatewayAdapter(
  config: Pick<GatewayConfig, 'trustProxy' | 'maxBodyBytes'> & Partial<TlsSettings>,
): FastifyAdapter {
  const options: Omit<FastifyHttpOptions<Server>, 'http'> = {
    // An id may be as long as a head: what is too long for one is unknown (404), no other address.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 32_768 },
    rewriteUrl: (request) => {
      overrideMethod(request);
      return request.url ?? '/';
    },
    bodyLimit: config.maxBodyBytes,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Slow clients may upload for hours (body-watch.ts), but not take minutes for a head.
    connectionTimeout: 0,
    requestTimeout: 0,
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
    clientErrorHandler: (thrown, socket) => answerUnreadable(thrown, socket),
  };
  const timed = { headersTimeout: 30_000 };
  const certificate = certificateOf(config);
  return new GatewayAdapter(
    certificate === null ? { ...options, http: timed } : { ...options, https: { ...timed, ...certificate } },
  );
}

/**
 * Input that is not HTTP, or takes too long to become it, never becomes a request; it is answered on the bare socket.
 */
function answerUnreadable({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET') return;
  answerOnSocket(socket, unreadable(code), requestIdOf(undefined));
}

function unreadable(code: string | undefined): AditError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AditError('VALIDATION', 'The headers are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AditError('TIMED_OUT', 'The head of the request was not sent in time.');
    default:
      return new AditError('VALIDATION', 'This is not an HTTP request.');
  }
}

/** tus lets clients that can only POST say what they mean; nothing else does. */
function overrideMethod(request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): void {
  const meant = request.headers['x-http-method-override'];
  if (request.method !== 'POST' || (meant !== 'PATCH' && meant !== 'DELETE')) return;
  if (/^\/api\/v1\/storage\/uploads\/\d+\/?(\?|$)/.test(request.url ?? '')) request.method = meant;
}
