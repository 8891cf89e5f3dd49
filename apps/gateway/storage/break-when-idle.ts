import type { FastifyRequest } from 'fastify';

/** Breaks the connection of a client that sends nothing for so long; `setTimeout(0)` on the raw request ends the watch. */
export function breakWhenIdle(request: FastifyRequest, seconds: number): void {
  request.raw.setTimeout(seconds * 1000, () => {
    if (!request.raw.complete) request.raw.destroy();
  });
}
