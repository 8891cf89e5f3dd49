import { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../http/caller.js';
import { BodyQueue } from './body-queue.js';
import { SlowRefusals } from './slow-refusals.js';
import { TokenBucket } from './token-bucket.js';

const WINDOW_SECONDS = 60;
/** Bytes of a body that nobody minds, whatever is in it: a few milliseconds of everybody's time take more. */
const SMALL = 65_536;
/** Clients that are remembered. */
const MAX_ENTRIES = 10_000;
/** Statuses that say that a body was read for nothing. */
const REFUSED = [400, 413, 415, 422];

/**
 * Holds back whoever sends large bodies that are refused: reading them takes everybody's time. A client, as `countedAs` tells
 * them apart, may send so many bytes of them a minute, then its large bodies are refused unread, a few a second; small requests pass. A few are read at a time,
 * so that many at once are not all read before the first is refused. Uploads to the storage and forms with a model, which are
 * never held in memory, are not counted. In this process's memory, as the other limits are.
 */
export class RefusedBodies {
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly bodies = new BodyQueue();
  private readonly refusals = new SlowRefusals();
  /** Bytes of a connection before the request. */
  private readonly before = new WeakMap<FastifyRequest, number>();

  /** `bytesPerMinute` of one client; 0 is no limit. */
  constructor(private readonly bytesPerMinute: number) {}

  /**
   * Waits until a large body may be read. Throws RATE_LIMITED when the client has sent too much, those included that were read
   * while this one waited.
   */
  async admit(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.bytesPerMinute === 0 || !isHeldInMemory(request)) return;
    const { socket } = request.raw;
    if (socket instanceof Socket) this.before.set(request, socket.bytesRead);
    if ((announced(request) ?? Infinity) <= SMALL) return;
    await this.check(caller, reply);
    await this.bodies.take(caller.countedAs, request, reply);
    await this.check(caller, reply);
  }

  private async check(caller: Caller, reply: FastifyReply): Promise<void> {
    const now = performance.now();
    const bucket = this.buckets.get(caller.countedAs);
    if (bucket === undefined || bucket.has(now)) return;
    await this.refusals.take(caller.countedAs, reply);
    const retryAfterSeconds = Math.max(1, Math.ceil(bucket.secondsUntil(1, performance.now())));
    throw new AditError(
      'RATE_LIMITED',
      `Too many bytes of requests that were refused came from you; send large ones again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }

  /** To be told of each answer. */
  answered(caller: Caller | undefined, request: FastifyRequest, status: number): void {
    if (caller === undefined || this.bytesPerMinute === 0 || !REFUSED.includes(status)) return;
    if (!isHeldInMemory(request)) return;
    const bytes = announced(request) ?? this.received(request);
    if (bytes <= SMALL) return;
    const now = performance.now();
    let bucket = this.buckets.get(caller.countedAs);
    if (bucket === undefined) {
      if (this.buckets.size >= MAX_ENTRIES) this.forgetQuiet(now);
      bucket = new TokenBucket(this.bytesPerMinute, WINDOW_SECONDS, now);
      this.buckets.set(caller.countedAs, bucket);
    }
    // It may owe some, since the first body beyond is read, too; but no more than a minute's.
    bucket.take(now, Math.min(bytes, bucket.left(now) + this.bytesPerMinute));
  }

  private received(request: FastifyRequest): number {
    const before = this.before.get(request);
    return before === undefined ? 0 : request.raw.socket.bytesRead - before;
  }

  private forgetQuiet(now: number): void {
    for (const [key, bucket] of this.buckets) if (bucket.isFull(now)) this.buckets.delete(key);
    if (this.buckets.size >= MAX_ENTRIES) this.buckets.clear();
  }
}

/** Adds what has to know of each answer. */
export function addRefusedBodies(fastify: FastifyInstance, refused: RefusedBodies): void {
  fastify.addHook('onResponse', (request: FastifyRequest & { caller?: Caller }, reply, done) => {
    refused.answered(request.caller, request, reply.statusCode);
    done();
  });
}

function isHeldInMemory({ method, routeOptions: { url = '' }, headers }: FastifyRequest): boolean {
  if (method === 'GET' || url.includes('/storage')) return false;
  return !(url.includes('/models') && /^multipart\//i.test(headers['content-type'] ?? ''));
}

/** Bytes of the body; null when that shows only as they come. */
function announced({ headers }: FastifyRequest): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}
