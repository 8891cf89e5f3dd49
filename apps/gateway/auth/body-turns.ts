import { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endUnanswered } from '../http/server/bare-socket.js';

/** Large bodies of one client that are read, parsed and worked on at the same time. */
const AT_ONCE = 4;
/** Those that wait for it; more are refused. */
const MOST_WAITING = 100;
/** Of these, those that gave way: what they have brought so far is in memory. */
const MOST_INTERRUPTED = 8;
/** Bytes a second that a body has to bring while others wait, once it has had its place for so long. */
const LEAST_PACE = 65_536;
const GRACE_MS = 1_000;
const LOOK_MS = 500;

/** A body, from the moment it asks for a place until it is answered. */
interface Turn {
  request: FastifyRequest;
  reply: FastifyReply;
  socket: Socket;
  /** When it got its place, and bytes of its connection until then. */
  since: number;
  before: number;
  isInterrupted: boolean;
}

interface Line {
  reading: Set<Turn>;
  /** In their order, with what lets each go on. */
  waiting: Map<Turn, () => void>;
}

/**
 * Lets a few large bodies of each client be read at a time. The others wait, and nothing of them is read meanwhile. One that
 * comes slowly while others wait gives its place to the first of them, and is read on when there is one again.
 */
export class BodyTurns {
  private readonly lines = new Map<string, Line>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Waits for the request's turn, which ends with its reply or its connection. Throws RATE_LIMITED when too many wait. */
  async take(client: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { socket } = request.raw;
    // What a spec injects has no connection, and is there already.
    if (!(socket instanceof Socket)) return;
    const line = this.lines.get(client) ?? { reading: new Set(), waiting: new Map() };
    this.lines.set(client, line);
    const turn: Turn = { request, reply, socket, since: 0, before: 0, isInterrupted: false };
    if (line.reading.size < AT_ONCE) this.begin(line, turn);
    else await this.wait(line, turn);
    // One that has gone meanwhile got its turn like any other.
    if (reply.raw.destroyed) this.leave(client, turn);
    else reply.raw.once('close', () => this.leave(client, turn));
  }

  /** Takes their places from those that are slow while others wait; done every so often, public for the specs. */
  look(): void {
    const lines = [...this.lines.values()].filter(({ waiting }) => waiting.size > 0);
    if (lines.length === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    for (const line of lines) {
      const slow = [...line.reading].filter((turn) => this.isSlow(turn)).slice(0, line.waiting.size);
      for (const turn of slow) this.interrupt(line, turn);
    }
  }

  private begin(line: Line, turn: Turn): void {
    Object.assign(turn, { since: this.now(), before: turn.socket.bytesRead, isInterrupted: false });
    line.reading.add(turn);
  }

  private wait({ waiting }: Line, turn: Turn): Promise<void> {
    if (waiting.size >= MOST_WAITING) {
      throw new AditError('RATE_LIMITED', 'Too many large requests came at once; send fewer at a time.', {
        retryAfterSeconds: 1,
      });
    }
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    return new Promise((resolve) => waiting.set(turn, resolve));
  }

  /** What has come whole, or lies here unread, waits for us: that is not its client's pace. */
  private isSlow({ request: { raw }, socket, since, before }: Turn): boolean {
    if (raw.complete || raw.readableLength > 0) return false;
    const ms = this.now() - since;
    return ms >= GRACE_MS && socket.bytesRead - before < (LEAST_PACE * ms) / 1000;
  }

  private interrupt(line: Line, turn: Turn): void {
    const { request, reply } = turn;
    const interrupted = [...line.waiting.keys()].filter(({ isInterrupted }) => isInterrupted);
    if (interrupted.length >= MOST_INTERRUPTED) {
      const message = `The body brought less than ${LEAST_PACE} bytes a second while others waited; send it again.`;
      // It leaves when its connection closes.
      endUnanswered(request, reply, new AditError('TIMED_OUT', message));
      return;
    }
    request.raw.pause();
    turn.isInterrupted = true;
    line.reading.delete(turn);
    line.waiting.set(turn, () => request.raw.resume());
    this.next(line);
  }

  private leave(client: string, turn: Turn): void {
    const line = this.lines.get(client);
    if (line === undefined) return;
    line.waiting.delete(turn);
    if (line.reading.delete(turn)) this.next(line);
    if (line.reading.size === 0) this.lines.delete(client);
  }

  private next(line: Line): void {
    const [first] = line.waiting;
    if (first === undefined) return;
    const [turn, goOn] = first;
    line.waiting.delete(turn);
    this.begin(line, turn);
    goOn();
  }
}
