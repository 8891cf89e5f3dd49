import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Between two refusals of one client. */
const EVERY_MS = 250;
/** Refusals of one client that wait; further ones go out at once, and their connections are closed. */
const MAX_WAITING = 20;

/**
 * Paces refusals: those of each client go out one by one. Nothing of the body is read until then, so that a client which
 * sends the next one as soon as it is refused keeps neither this process busy with what it throws away nor the machine with
 * sending it.
 */
export class SlowRefusals {
  private readonly waiting = new Map<string, { count: number; last: Promise<unknown> }>();

  /** Waits until the client may be refused once more. */
  async take(client: string, reply: FastifyReply): Promise<void> {
    const line = this.waiting.get(client) ?? { count: 0, last: Promise.resolve() };
    if (line.count >= MAX_WAITING) {
      // Otherwise all that it still sends would be read, to get at the connection's next request.
      reply.header('connection', 'close');
      return;
    }
    line.count++;
    line.last = line.last.then(() => sleep(EVERY_MS, undefined, { ref: false }));
    this.waiting.set(client, line);
    await line.last;
    if (--line.count === 0) this.waiting.delete(client);
  }
}
