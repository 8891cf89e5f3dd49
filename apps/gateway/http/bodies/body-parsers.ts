import { AditError } from '@adit/contracts';
import type { FastifyInstance } from 'fastify';
import { boundedJson } from './bounded-json.js';

/**
 * Parses bodies as JSON within its bounds. Anything else (forms, text) is 415, unless a route has its own parser. An
 * empty body has no type that could be refused. Call it before other parsers are added.
 */
export function addBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      if (body.length === 0) {
        throw new AditError('VALIDATION', 'The body is empty; send JSON, or no Content-Type.');
      }
      done(null, boundedJson(body));
    } catch (error) {
      done(AditError.from(error));
    }
  });
  fastify.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') return done(null);
    const message = 'This Content-Type is not accepted here; send application/json (multipart/form-data for uploads).';
    done(new AditError('UNSUPPORTED_MEDIA_TYPE', message));
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
    if (encoding === 'identity') return done();
    const message = `Send the body as it is; Content-Encoding: ${encoding.slice(0, 40)} is not read here.`;
    done(new AditError('UNSUPPORTED_MEDIA_TYPE', message));
  });
}
