import { isTerminal } from '@adit/contracts';
import { JobEventEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { Route, type Exchange, type Input } from '../http/route.js';
import { JobReader } from '../jobs/job-reader.js';
import { JobSignals, type JobWatch } from '../jobs/job-signals.js';
import { jobEvents } from './event-routes.js';
import { lastEventId } from './last-event-id.js';
import { OpenStreams } from './open-streams.js';
import { EVENT_STREAM, ServerSent } from './server-sent.js';

const log = createLogger('gateway');
const BATCH = 200;
/** Interval of checks without a signal, including whether the key is still valid. */
const CHECK_MS = 5_000;

interface Following extends Pick<Exchange, 'caller' | 'request'> {
  sent: ServerSent;
  watch: JobWatch;
}

/** A job's events as they happen, read from their table in order of id: nothing is lost over a reconnect. */
@Controller()
export class EventStreamController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(JobSignals) private readonly signals: JobSignals,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Route(jobEvents)
  async stream({ params: { jobId } }: Input<typeof jobEvents>, { caller, request, reply }: Exchange): Promise<unknown> {
    const after = lastEventId(request) ?? '0';
    await this.jobs.row(caller.workspaceId, jobId);
    if (request.method === 'HEAD') return reply.header('content-type', EVENT_STREAM).send();
    const end = this.streams.begin(caller.workspaceId);
    const watch = this.signals.watch(jobId);
    const sent = new ServerSent(reply);
    try {
      await this.follow(jobId, after, { caller, request, sent, watch });
    } catch (error) {
      // Deleted meanwhile, its key taken back, or the database went away: the client reconnects and is told properly.
      if (!sent.gone.aborted) log.debug({ err: error, jobId }, 'an event stream ended early');
    } finally {
      end();
      watch.close();
      sent.end();
    }
    return undefined;
  }

  private async follow(jobId: string, after: string, { caller, request, sent, watch }: Following): Promise<void> {
    const { workspaceId } = caller;
    let last = after;
    const ended = (): boolean => sent.gone.aborted || this.signals.closed.aborted;
    while (!ended()) {
      await this.streams.mayGoOn(caller, request);
      // The state is read first: its last event is committed with it, so the rows read afterwards hold that event.
      const over = isTerminal((await this.jobs.row(workspaceId, jobId)).state);
      for (;;) {
        const rows = await this.db.manager.find(JobEventEntity, {
          where: { jobId, id: MoreThan(last) },
          order: { id: 'ASC' },
          take: BATCH,
        });
        for (const row of rows) await sent.send(row);
        last = rows.at(-1)?.id ?? last;
        if (rows.length < BATCH || ended()) break;
      }
      if (over || ended()) return;
      await watch.next(CHECK_MS, sent.gone);
      await sent.beat();
    }
  }
}
