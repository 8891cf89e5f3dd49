import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isKnown, REVALIDATED } from './etags.js';

/**
 * Gives JSON that may be kept its ETag, where its handler gave it none, and answers 304 to whom has it already. Files bring
 * ETags of their own.
 */
export function addRevalidation(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (reply.getHeader('cache-control') !== REVALIDATED) return done(null, payload);
    if (reply.statusCode >= 400) reply.header('cache-control', 'no-store');
    if (reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload);
    // Weak, since it is the same whether the bytes are compressed or not.
    const own = reply.getHeader('etag');
    const etag =
      typeof own === 'string'
        ? own.replace(/^W\/"|"$/g, '')
        : createHash('sha256').update(payload).digest('base64url').slice(0, 22);
    reply.header('etag', `W/"${etag}"`);
    if (!isKnown(request.headers['if-none-match'], etag)) return done(null, payload);
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    // An empty text would say content-length: 0, which is not that of what it stands for (RFC 9110, section 8.6).
    done(null, null);
  });
}
