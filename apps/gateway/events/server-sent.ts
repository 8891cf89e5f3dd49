import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { goneSignal } from '../jobs/wait-for-job.js';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';
/** Proxies cut streams that are silent for a minute. */
const HEARTBEAT_MS = 15_000;

/** Time that a client may take nothing of what was sent: others want its place among the streams of its workspace. */
const PATIENCE_MS = 5 * 60_000;

interface SentEvent {
  id: string;
  event: string;
  timeCreated: Date;
  data: unknown;
}

/** A reply that goes on while its client listens. */
export class ServerSent {
  readonly gone: AbortSignal;
  private written = Date.now();

  /**
   * Begins the reply.
   *
   * @param patienceMs for the specs
   */
  constructor(
    private readonly reply: FastifyReply,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.gone = goneSignal(reply);
    reply.hijack();
    reply.raw.writeHead(200, {
      // Node takes what Fastify holds; their types of a header differ.
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': EVENT_STREAM,
      // nginx would hold the events back otherwise.
      'x-accel-buffering': 'no',
    });
    reply.raw.write('retry: 2000\n\n');
  }

  /** JSON has no raw line breaks, so one `data` line carries it. */
  send({ id, event, timeCreated, data }: SentEvent): Promise<void> {
    const timestamp = timeCreated.getTime() / 1000;
    return this.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ event, timestamp, data })}\n\n`);
  }

  /** Resume point for a client that has seen no event of its own since. */
  place(id: string): Promise<void> {
    return this.write(`id: ${id}\n\n`);
  }

  /** Says that it is still there, when nothing was said for a while. */
  async beat(): Promise<void> {
    if (Date.now() - this.written >= HEARTBEAT_MS - 50) await this.write(': still here\n\n');
  }

  end(): void {
    this.reply.raw.end();
  }

  /** Waits while the client reads slower than we write, and cuts off one that has stopped. */
  private async write(text: string): Promise<void> {
    this.written = Date.now();
    const { raw } = this.reply;
    if (this.gone.aborted || raw.write(text)) return;
    const stopped = setTimeout(() => raw.destroy(), this.patienceMs);
    await once(raw, 'drain', { signal: this.gone }).catch(() => undefined);
    clearTimeout(stopped);
  }
}
