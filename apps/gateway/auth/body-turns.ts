import { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Large bodies of one key that are read, parsed and worked on at the same time. */
const AT_ONCE = 4;
/** Those that wait for it, unread; more are refused. */
const MOST_WAITING = 100;

interface Turns {
  taken: number;
  waiting: Set<() => void>;
}

/** Lets a few large bodies of each key be read at a time. The others wait, and nothing of them is read meanwhile. */
export class BodyTurns {
  private readonly turns = new Map<string, Turns>();

  /** Waits for the request's turn, which ends with its reply or its connection. Throws RATE_LIMITED when too many wait. */
  async take(key: string, { raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
    // What a spec injects has no connection, and is there already.
    if (!(raw.socket instanceof Socket)) return;
    const turns = this.turns.get(key) ?? { taken: 0, waiting: new Set() };
    this.turns.set(key, turns);
    if (turns.taken < AT_ONCE) turns.taken++;
    else await nextOf(turns);
    // One that has gone meanwhile got its turn like any other.
    if (reply.raw.destroyed) this.pass(key, turns);
    else reply.raw.once('close', () => this.pass(key, turns));
  }

  private pass(key: string, turns: Turns): void {
    const [next] = turns.waiting;
    if (next !== undefined) {
      turns.waiting.delete(next);
      next();
    } else if (--turns.taken === 0) {
      this.turns.delete(key);
    }
  }
}

function nextOf({ waiting }: Turns): Promise<void> {
  if (waiting.size >= MOST_WAITING) {
    throw new AditError('RATE_LIMITED', 'Too many large requests came with this key at once; send fewer at a time.', {
      retryAfterSeconds: 1,
    });
  }
  return new Promise((resolve) => waiting.add(resolve));
}
