import type { FastifyInstance } from 'fastify';
import { REPLY_HEADERS } from './reply-headers.js';

/** Headers that pages of other origins may send, including those of tus. */
const SENT = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Prefer', 'Last-Event-ID', 'X-Request-Id', 'traceparent'],
  ...['Range', 'If-Range', 'If-Match', 'If-None-Match'],
  ...['Tus-Resumable', 'Upload-Length', 'Upload-Offset', 'Upload-Metadata', 'Upload-Concat', 'Upload-Defer-Length'],
  'X-HTTP-Method-Override',
].join(', ');
/** Headers that such pages may read beyond those that HTTP shows everybody. */
const SHOWN = [...Object.keys(REPLY_HEADERS), 'Tus-Resumable', 'Allow', 'RateLimit', 'RateLimit-Policy'].join(', ');
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** Seconds for which a browser remembers; none remembers longer than two hours. */
const REMEMBERED = '7200';

/**
 * Lets pages of these origins use the API (`*`: of all), and answers their preflights, which carry no key. Such a page has no more
 * rights than the key that it was given: no answer lets it send the cookie of a session (`Access-Control-Allow-Credentials`), nor the
 * header that a change by one takes.
 */
export function addCrossOrigin(fastify: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const any = origins.includes('*');
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!any) reply.header('vary', 'Origin');
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (origin === undefined || (!any && !origins.includes(origin))) return done();
    reply.headers({ 'access-control-allow-origin': any ? '*' : origin, 'access-control-expose-headers': SHOWN });
    if (request.method !== 'OPTIONS' || wanted === undefined) return done();
    void reply
      .code(204)
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': SENT,
        'access-control-max-age': REMEMBERED,
      })
      .send();
  });
}
