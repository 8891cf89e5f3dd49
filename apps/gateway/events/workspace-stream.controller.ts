import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { eventData } from '@adit/jobs';
import { createLogger } from '@adit/runtime';
import { eventsAfter, streamHead } from '@adit/webhooks';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { ANY_JOB, JobSignals, type JobWatch } from '../jobs/job-signals.js';
import { workspaceEvents } from './event-routes.js';
import { lastEventId } from './last-event-id.js';
import { OpenStreams } from './open-streams.js';
import { EVENT_STREAM, ServerSent } from './server-sent.js';

const log = createLogger('gateway');
/** Each is shown with its job, so few at a time. */
const BATCH = 50;
/** Interval of polling for changes without a signal: only jobs have signals. */
const CHECK_MS = 1_000;
/** Signals of all workspaces come here: one of them leads to one look for all that come within. */
const GATHERED_MS = 250;
/** Balancers that share connections out get to do so again; the client reconnects. */
const LIFETIME_MS = 15 * 60_000;
const TOLD = new Set(['on_started', 'on_completed', 'on_failed', 'on_stopped'].map((change) => `job.${change}`));

interface Following extends Pick<Exchange, 'caller' | 'request'> {
  sent: ServerSent;
  watch: JobWatch;
  baseUrl: string;
}

/** Streams the events of a workspace, as webhooks receive them, in one order that every reconnect finds again. */
@Controller()
export class WorkspaceStreamController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobSignals) private readonly signals: JobSignals,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(workspaceEvents)
  async stream(_: Input<typeof workspaceEvents>, { caller, request, reply }: Exchange): Promise<unknown> {
    const { workspaceId } = caller;
    const seen = lastEventId(request);
    if (request.method === 'HEAD') return reply.header('content-type', EVENT_STREAM).send();
    const end = this.streams.begin(workspaceId);
    const watch = this.signals.watch(ANY_JOB, (event) => TOLD.has(event));
    let sent: ServerSent | null = null;
    try {
      const after = await this.startOf(workspaceId, seen);
      const baseUrl = this.links.baseUrl(request);
      sent = new ServerSent(reply);
      // A client that is cut off before its first event goes on from here.
      await sent.place(String(after));
      await this.follow(after, { caller, request, sent, watch, baseUrl });
    } catch (error) {
      if (sent === null) throw error;
      // Its key was taken back, or the database went away: the client reconnects and gets a proper error.
      if (!sent.gone.aborted) log.debug({ err: error, workspaceId }, 'an event stream ended early');
    } finally {
      end();
      watch.close();
      sent?.end();
    }
    return undefined;
  }

  /** From now on, or after what was seen. Throws PRECONDITION_FAILED when some of what came since is kept no more. */
  private async startOf(workspaceId: string, seen: string | null): Promise<bigint> {
    const { last, forgotten } = await streamHead(this.db, workspaceId);
    if (seen === null) return last;
    const after = BigInt(seen);
    if (after >= forgotten && after <= last) return after;
    throw new AditError(
      'PRECONDITION_FAILED',
      `What came after event ${seen} is kept no more. Read the lists anew, and follow again without Last-Event-ID.`,
    );
  }

  private async follow(start: bigint, { caller, request, sent, watch, baseUrl }: Following): Promise<void> {
    const { workspaceId } = caller;
    const until = Date.now() + LIFETIME_MS;
    let after = start;
    while (!this.isOver(sent) && Date.now() < until) {
      await this.streams.mayGoOn(caller, request);
      const { last } = await streamHead(this.db, workspaceId);
      const events = await eventsAfter(this.db.manager, workspaceId, { after, last, limit: BATCH });
      // It read so slowly that it has missed some: the next request says so.
      if (events === null) return;
      for (const { number, event, timeCreated, jobId, data: kept } of events) {
        const message = await eventData(this.db.manager, { event, jobId, data: kept, time: timeCreated }, baseUrl);
        if (message !== null) await sent.send({ id: number, event, timeCreated, data: message.data });
      }
      const isFull = events.length === BATCH;
      after = isFull ? BigInt(events.at(-1)?.number ?? last) : last;
      if (isFull) continue;
      await watch.next(CHECK_MS, sent.gone);
      await sleep(GATHERED_MS, undefined, { signal: sent.gone }).catch(() => undefined);
      await sent.beat();
    }
  }

  private isOver({ gone }: ServerSent): boolean {
    return gone.aborted || this.signals.closed.aborted;
  }
}
