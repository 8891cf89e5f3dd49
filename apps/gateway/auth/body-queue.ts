import { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endUnanswered } from '../http/server/bare-socket.js';

/** Large bodies of one client that are read, parsed and worked on at the same time. */
const CONCURRENCY = 4;
/** Bodies of one client that wait; more are refused. */
const MAX_WAITING = 100;
/** Interrupted bodies among those that wait; the bytes that they have brought so far are in memory. */
const MAX_INTERRUPTED = 8;
/** Bytes a second that a body has to bring while others wait, once GRACE_MS have passed. */
const MIN_PACE = 65_536;
const GRACE_MS = 1_000;
const CHECK_MS = 500;

/** A body, from the moment it asks for a slot until it is answered. */
interface QueuedBody {
  request: FastifyRequest;
  reply: FastifyReply;
  socket: Socket;
  /** The time at which it got its slot, and the bytes of its connection until then. */
  since: number;
  before: number;
  isInterrupted: boolean;
}

interface ClientQueue {
  reading: Set<QueuedBody>;
  /** Bodies in their order, each with the function that lets it go on. */
  waiting: Map<QueuedBody, () => void>;
}

/**
 * Reads a few large bodies of each client at a time. The others wait, and nothing of them is read meanwhile. A slow body yields
 * its slot to the first one that waits, and is read on when a slot is free again. So one client cannot fill the memory.
 */
export class BodyQueue {
  private readonly queues = new Map<string, ClientQueue>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Waits for the request's slot, which is freed with its reply or its connection. Throws RATE_LIMITED when too many wait. */
  async take(client: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { socket } = request.raw;
    // A body that a spec injects has no connection, and is there already.
    if (!(socket instanceof Socket)) return;
    const queue = this.queues.get(client) ?? { reading: new Set(), waiting: new Map() };
    this.queues.set(client, queue);
    const body: QueuedBody = { request, reply, socket, since: 0, before: 0, isInterrupted: false };
    if (queue.reading.size < CONCURRENCY) this.begin(queue, body);
    else await this.wait(queue, body);
    // A client that has gone meanwhile gets its slot like any other.
    if (reply.raw.destroyed) this.leave(client, body);
    else reply.raw.once('close', () => this.leave(client, body));
  }

  /** Takes the slots of slow bodies while others wait. Called by a timer, public for the specs. */
  interruptSlow(): void {
    const queues = [...this.queues.values()].filter(({ waiting }) => waiting.size > 0);
    if (queues.length === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    for (const queue of queues) {
      const slow = [...queue.reading].filter((body) => this.isSlow(body)).slice(0, queue.waiting.size);
      for (const body of slow) this.interrupt(queue, body);
    }
  }

  private begin(queue: ClientQueue, body: QueuedBody): void {
    Object.assign(body, { since: this.now(), before: body.socket.bytesRead, isInterrupted: false });
    queue.reading.add(body);
  }

  private wait({ waiting }: ClientQueue, body: QueuedBody): Promise<void> {
    if (waiting.size >= MAX_WAITING) {
      throw new AditError('RATE_LIMITED', 'Too many large requests came at once; send fewer at a time.', {
        retryAfterSeconds: 1,
      });
    }
    this.timer ??= setInterval(() => this.interruptSlow(), CHECK_MS).unref();
    return new Promise((resolve) => waiting.set(body, resolve));
  }

  /** A body that has come whole, or lies here unread, waits for this process, and its client is not slow. */
  private isSlow({ request: { raw }, socket, since, before }: QueuedBody): boolean {
    if (raw.complete || raw.readableLength > 0) return false;
    const ms = this.now() - since;
    return ms >= GRACE_MS && socket.bytesRead - before < (MIN_PACE * ms) / 1000;
  }

  private interrupt(queue: ClientQueue, body: QueuedBody): void {
    const { request, reply } = body;
    const interrupted = [...queue.waiting.keys()].filter(({ isInterrupted }) => isInterrupted);
    if (interrupted.length >= MAX_INTERRUPTED) {
      const message = `The body brought less than ${MIN_PACE} bytes a second while others waited; send it again.`;
      // It leaves when its connection closes.
      endUnanswered(request, reply, new AditError('TIMED_OUT', message));
      return;
    }
    request.raw.pause();
    body.isInterrupted = true;
    queue.reading.delete(body);
    queue.waiting.set(body, () => request.raw.resume());
    this.next(queue);
  }

  private leave(client: string, body: QueuedBody): void {
    const queue = this.queues.get(client);
    if (queue === undefined) return;
    queue.waiting.delete(body);
    if (queue.reading.delete(body)) this.next(queue);
    if (queue.reading.size === 0) this.queues.delete(client);
  }

  private next(queue: ClientQueue): void {
    const [first] = queue.waiting;
    if (first === undefined) return;
    const [body, goOn] = first;
    queue.waiting.delete(body);
    this.begin(queue, body);
    goOn();
  }
}
