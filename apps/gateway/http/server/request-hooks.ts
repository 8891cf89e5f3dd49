import { randomUUID } from 'node:crypto';
import { createLogger, httpMethod, openSpan, withContext, type OpenSpan } from '@adit/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requestsAnswered, requestSeconds } from '../../metrics.js';
import { addCrossOrigin } from './cross-origin.js';

/** The API's own replies are data; the pages of the documentation set their own policy. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
} as const;

/** A client's own request id is kept when it is one; anything else could forge log lines. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID();
}

const log = createLogger('gateway');

/** Adds the hooks around every request: id, trace, headers, metrics and, with `logs`, its log line. */
export function addRequestHooks(
  fastify: FastifyInstance,
  corsOrigins: readonly string[],
  { logs }: { logs: boolean },
): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
    const { method, headers } = request;
    const route = request.routeOptions.url;
    const parent = typeof headers.traceparent === 'string' ? headers.traceparent : null;
    const name = httpMethod(method);
    const attributes = {
      'http.request.method': name,
      ...(route !== undefined && { 'http.route': route }),
      // Without the query, which may hold a token.
      'url.path': request.url.split('?')[0],
      'url.scheme': request.protocol,
      'server.address': request.hostname,
      'network.protocol.version': request.raw.httpVersion,
      ...(headers['user-agent'] !== undefined && { 'user_agent.original': headers['user-agent'] }),
    };
    const span = openSpan(route === undefined ? name : `${name} ${route}`, { role: 'server', parent, attributes });
    spans.set(request, span);
    span.run(() => withContext({ requestId: request.id }, done));
  });
  addCrossOrigin(fastify, corsOrigins);
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    requestSeconds.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    requestsAnswered.inc({ method: request.method, route, status: String(reply.statusCode) });
    const span = spans.get(request);
    span?.describe({ 'http.response.status_code': reply.statusCode });
    // A client error is no failure of the server.
    if (reply.statusCode >= 500) span?.failAs(String(reply.statusCode));
    span?.end();
    if (logs) {
      const [path] = request.url.split('?');
      const fields = { status: reply.statusCode, ms: Math.round(reply.elapsedTime), requestId: request.id };
      log.info(fields, `${request.method} ${path}`);
    }
    done();
  });
}
