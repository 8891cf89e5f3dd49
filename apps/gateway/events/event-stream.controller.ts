import { once } from 'node:events';
import { AditError, isTerminal } from '@adit/contracts';
import { JobEventEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Controller, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource, MoreThan } from 'typeorm';
import { Route, type Exchange, type Input } from '../http/route.js';
import { JobReader } from '../jobs/job-reader.js';
import { JobSignals, type JobWatch } from '../jobs/job-signals.js';
import { goneSignal } from '../jobs/wait-for-job.js';
import { jobEvents } from './event-routes.js';

const log = createLogger('gateway');
const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const BATCH = 200;
/** Also how often the database is asked without a signal; proxies cut streams that are silent for a minute. */
const HEARTBEAT_MS = 15_000;

/** A job's events as they happen, read from their table in order of id: nothing is lost over a reconnect. */
@Controller()
export class EventStreamController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(JobSignals) private readonly signals: JobSignals,
  ) {}

  @Route(jobEvents)
  async stream({ params: { jobId } }: Input<typeof jobEvents>, { caller, request, reply }: Exchange): Promise<unknown> {
    const after = lastEventId(request.headers['last-event-id']);
    await this.jobs.row(caller.workspaceId, jobId);
    if (request.method === 'HEAD') return reply.header('content-type', EVENT_STREAM).send();
    const watch = this.signals.watch(jobId);
    const gone = goneSignal(reply);
    reply.hijack();
    reply.raw.writeHead(200, {
      // Node takes what Fastify holds; their types of a header differ.
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': EVENT_STREAM,
      // nginx would hold the events back otherwise.
      'x-accel-buffering': 'no',
    });
    reply.raw.write('retry: 2000\n\n');
    try {
      await this.follow(caller.workspaceId, jobId, after, reply, watch, gone);
    } catch (error) {
      // Deleted meanwhile, or the database went away: the client reconnects and is told properly.
      if (!gone.aborted) log.debug({ err: error, jobId }, 'an event stream ended early');
    } finally {
      watch.close();
      reply.raw.end();
    }
    return undefined;
  }

  private async follow(
    workspaceId: string,
    jobId: string,
    after: string,
    reply: FastifyReply,
    watch: JobWatch,
    gone: AbortSignal,
  ): Promise<void> {
    let last = after;
    const ended = (): boolean => gone.aborted || this.signals.closed.aborted;
    while (!ended()) {
      // The state is read first: its last event is committed with it, so the rows read afterwards hold that event.
      const over = isTerminal((await this.jobs.row(workspaceId, jobId)).state);
      for (;;) {
        const rows = await this.db.manager.find(JobEventEntity, {
          where: { jobId, id: MoreThan(last) },
          order: { id: 'ASC' },
          take: BATCH,
        });
        for (const row of rows) await write(reply, eventText(row), gone);
        last = rows.at(-1)?.id ?? last;
        if (rows.length < BATCH || ended()) break;
      }
      if (over || ended()) return;
      const began = Date.now();
      await watch.next(HEARTBEAT_MS, gone);
      if (Date.now() - began >= HEARTBEAT_MS - 50) await write(reply, ': still here\n\n', gone);
    }
  }
}

/** JSON has no raw line breaks, so one `data` line carries it. */
function eventText({ id, event, data, timeCreated }: JobEventEntity): string {
  const timestamp = timeCreated.getTime() / 1000;
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ event, timestamp, data })}\n\n`;
}

/** Waits while the client reads slower than we write. */
async function write(reply: FastifyReply, text: string, gone: AbortSignal): Promise<void> {
  if (gone.aborted || reply.raw.write(text)) return;
  await once(reply.raw, 'drain', { signal: gone }).catch(() => undefined);
}

function lastEventId(header: string | string[] | undefined): string {
  if (header === undefined || header === '') return '0';
  if (typeof header === 'string' && /^\d{1,18}$/.test(header)) return header;
  throw new AditError('VALIDATION', 'Last-Event-ID is the id of an event of this stream.');
}
