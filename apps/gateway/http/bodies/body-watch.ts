import { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { endUnanswered } from '../server/bare-socket.js';

const log = createLogger('gateway');
/** Bytes a second that a body has to bring on average once it is older than it may be silent: a slow line brings more. */
const MIN_PACE = 1_024;
/** Time that a body without files may be silent. */
const SILENT_SECONDS = 30;
/** Time that a client may go on sending after it was answered: nobody reads it. */
const AFTER_REPLY_MS = 5_000;

interface Watched {
  request: FastifyRequest;
  reply: FastifyReply;
  socket: Socket;
  silentMs: number;
  /** Bytes of the connection before the body. */
  before: number;
  bytes: number;
  /** When the body began, and when bytes last came; both deferred while this process is the one that does not read. */
  since: number;
  last: number;
  answered: number | null;
}

/**
 * Ends bodies that never end. A client may be as slow as a bad line is, for hours: it has to send something every so often,
 * and a kilobyte a second in the long run. `uploadIdleSeconds` is how long an upload may be silent.
 */
export function addBodyWatch(fastify: FastifyInstance, uploadIdleSeconds: number): void {
  const watched = new Set<Watched>();
  const everyMs = Math.min(1_000, uploadIdleSeconds * 250);
  let looked = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const heldUpMs = Math.max(0, now - looked - everyMs);
    looked = now;
    for (const one of watched) look(one, now, heldUpMs);
  }, everyMs).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
  fastify.addHook('onResponse', ({ raw }, _reply, done) => {
    // The rest of a refused upload is discarded; otherwise the connection's next request would wait behind it.
    if (!raw.readableEnded && !raw.destroyed) raw.unpipe().resume();
    done();
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    // A request that a spec injects has no connection.
    if (!(raw.socket instanceof Socket) || !hasBody(request)) return done();
    const silentMs = 1000 * (isUpload(request) ? uploadIdleSeconds : Math.min(SILENT_SECONDS, uploadIdleSeconds));
    const now = performance.now();
    const { socket } = raw;
    const one = {
      request,
      reply,
      socket,
      silentMs,
      before: socket.bytesRead,
      bytes: 0,
      since: now,
      last: now,
      answered: null,
    };
    watched.add(one);
    raw.once('close', () => watched.delete(one));
    done();
  });
}

/** `heldUpMs` is for how long this process itself did nothing since it looked last: what came meanwhile is still to be read. */
function look(one: Watched, now: number, heldUpMs: number): void {
  const { request, reply, socket, silentMs } = one;
  one.since = Math.min(now, one.since + heldUpMs);
  one.last = Math.min(now, one.last + heldUpMs);
  if (reply.raw.writableFinished) {
    one.answered ??= now;
    if (now - one.answered > AFTER_REPLY_MS) socket.destroy();
    return;
  }
  const bytes = socket.bytesRead - one.before;
  if (bytes > one.bytes) {
    one.bytes = bytes;
    one.last = now;
  } else if (request.raw.complete || request.raw.readableLength > 0) {
    // It waits for us: the store is slow, not the client, or nobody reads a body that has come whole.
    one.since += now - one.last;
    one.last = now;
  }
  const isSilent = now - one.last > silentMs;
  const isSlow = now - one.since > silentMs + (bytes / MIN_PACE) * 1000;
  if (!isSilent && !isSlow) return;
  const why = isSilent ? `nothing came for ${silentMs / 1000} s` : `it brings less than ${MIN_PACE} bytes a second`;
  log.info({ bytes, requestId: request.id }, `a request was ended: ${why}`);
  endUnanswered(request, reply, new AditError('TIMED_OUT', `The body was not sent in time: ${why}.`));
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length']);
}

function isUpload({ headers }: FastifyRequest): boolean {
  return /^(multipart\/|application\/offset)/i.test(headers['content-type'] ?? '');
}
