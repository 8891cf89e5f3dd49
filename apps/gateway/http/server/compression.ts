import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Bytes below which compressing costs more than it saves. */
const MIN_BYTES = 1024;
/** The highest qualities that are as fast as gzip, and smaller. */
const QUALITY = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
};
const JSON_TYPES = /^application\/(problem\+)?json\b/;

/** Compresses JSON for clients that take it, off the main thread. Streams are left alone: files, media and events. */
export function addCompression(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const type = reply.getHeader('content-type');
    if (typeof payload !== 'string' || !JSON_TYPES.test(String(type)) || Buffer.byteLength(payload) < MIN_BYTES) {
      return done(null, payload);
    }
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
    const coding = codingFor(request.headers['accept-encoding']);
    if (coding === null || request.method === 'HEAD') return done(null, payload);
    reply.header('content-encoding', coding).removeHeader('content-length');
    // Fastify's type of `done` has one form for an error and one for a payload.
    const finish = (error: Error | null, bytes: Buffer): void => done(error as null, bytes);
    if (coding === 'br') brotliCompress(payload, QUALITY, finish);
    else gzip(payload, finish);
  });
}

/** The better of those that the client takes (RFC 9110, section 12.5.3); null for none. */
export function codingFor(header: string | string[] | undefined): 'br' | 'gzip' | null {
  const weights = new Map(
    String(header ?? '')
      .split(',')
      .map((part): [string, number] => {
        const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(weight)];
      }),
  );
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  if (weightOf('br') > 0 && weightOf('br') >= weightOf('gzip')) return 'br';
  return weightOf('gzip') > 0 ? 'gzip' : null;
}
