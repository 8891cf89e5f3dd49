import { setTimeout as sleep } from 'node:timers/promises';
import { databaseNow } from '@adit/database';
import { NudgedLoop } from '@adit/outbox';
import { createLogger, withContext, withSpan } from '@adit/runtime';
import {
  claimDeliveries,
  dueBacklog,
  MAX_ATTEMPTS,
  messageBody,
  recordAttempts,
  retryDelay,
  standardHeaders,
  type Answer,
  type AttemptRecord,
  type ClaimedDelivery,
  type SecretSource,
  type Sender,
} from '@adit/webhooks';
import type { DataSource } from 'typeorm';
import { attempts, attemptSeconds, deliveries, deliveriesDue, oldestDueSeconds } from './metrics.js';
import { ReceiverLoad } from './receiver-load.js';

const log = createLogger('notifier');

const PERIOD_MILLISECONDS = 1000;
/** Time for which new and ended deliveries are gathered: a query costs as much for one as for many. */
const GATHER_MILLISECONDS = 10;
const BACKLOG_EVERY_MILLISECONDS = 15_000;
/** Time in addition to the time-out of an attempt, for the database. */
const LEASE_MARGIN_SECONDS = 15;

export interface DispatcherOptions {
  timeoutSeconds: number;
  concurrency: number;
  perReceiver: number;
  /** Clock of the specs, instead of the database's. */
  now?: () => Date;
}

/**
 * Delivers due webhooks, many at a time, few to one receiver. An attempt is counted before it is made; when the
 * process dies before it could store the answer, the delivery becomes due again under the same id.
 */
export class Dispatcher {
  private readonly loop = new NudgedLoop('notifier', (stopping) => this.run(stopping), PERIOD_MILLISECONDS);
  private readonly sending = new Set<Promise<void>>();
  /** Attempts that ended and are not stored yet; one statement stores all of them. */
  private ended: AttemptRecord[] = [];
  private readonly load: ReceiverLoad;
  private backlogSeen = 0;
  /** Database time when `performance.now()` was 0; read before anything is sent, and refreshed periodically. */
  private began = performance.timeOrigin;

  constructor(
    private readonly db: DataSource,
    private readonly sender: Sender,
    private readonly secrets: SecretSource[],
    private readonly options: DispatcherOptions,
  ) {
    this.load = new ReceiverLoad(options.perReceiver);
  }

  start(): void {
    this.loop.start();
  }

  /** Stops taking deliveries and waits for the attempts in progress, each no longer than its time-out. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.sending);
    await this.note().catch((error: unknown) => {
      log.warn({ err: error }, 'attempts could not be stored; they will be repeated');
    });
    await this.sender.close();
  }

  /** Clock of the specs in place of the database's; null for the latter. */
  get clock(): (() => Date) | null {
    return this.options.now ?? null;
  }

  nudge(): void {
    this.loop.nudge();
  }

  /** Resolves when all that is due by now has been attempted. */
  async idle(): Promise<void> {
    do {
      await this.loop.idle();
      await Promise.all(this.sending);
    } while (this.sending.size > 0 || this.loop.busy);
  }

  private async run(stopping: () => boolean): Promise<void> {
    for (;;) {
      await this.observeBacklog();
      if (stopping()) return void (await this.note());
      const free = this.options.concurrency - this.sending.size;
      // Both run in parallel: a receiver's few slots are empty for as long as this takes.
      const [noted, claimed] = await Promise.allSettled([this.note(), free > 0 ? this.claim(free) : []]);
      if (noted.status === 'rejected') throw noted.reason;
      if (claimed.status === 'rejected') throw claimed.reason;
      if (claimed.value.length === 0 && noted.value === 0 && this.ended.length === 0) return;
      await sleep(GATHER_MILLISECONDS);
    }
  }

  /** Time close to that of the database, by which all notifiers schedule deliveries. */
  private now(): Date {
    return this.clock?.() ?? new Date(this.began + performance.now());
  }

  private async claim(free: number): Promise<ClaimedDelivery[]> {
    const now = this.now();
    const seconds = this.options.timeoutSeconds + LEASE_MARGIN_SECONDS;
    const claimed = await claimDeliveries(this.db.manager, {
      now,
      leaseUntil: new Date(now.getTime() + seconds * 1000),
      limit: free,
      perReceiver: this.options.perReceiver,
      rooms: this.load.rooms(),
    });
    if (claimed.length === 0) return claimed;
    // On failure the deliveries become due again at the end of their lease.
    const secrets = await this.secretsOf(claimed, now);
    for (const delivery of claimed) this.begin(delivery, secrets.get(secretKey(delivery)) ?? []);
    return claimed;
  }

  /** Stores results of attempts; while the database is unavailable they are kept. Returns the number stored. */
  private async note(): Promise<number> {
    // Two attempts of one delivery, the first counted as lost, are stored one after the other.
    const records = [...new Map(this.ended.map((record) => [record.delivery.id, record])).values()];
    if (records.length === 0) return 0;
    this.ended = this.ended.filter((record) => !records.includes(record));
    try {
      await recordAttempts(this.db.manager, records);
      for (const source of this.secrets) {
        const own = records.filter(({ delivery }) => delivery.kind === source.kind);
        if (own.length > 0) await source.attempted?.(own);
      }
    } catch (error) {
      this.ended.push(...records);
      throw error;
    }
    return records.length;
  }

  private begin(delivery: ClaimedDelivery, secrets: string[]): void {
    this.load.begin(delivery.receiver);
    const run = withContext(delivery.jobId === null ? {} : { jobId: delivery.jobId }, () =>
      withSpan(
        'webhook attempt',
        { parent: delivery.traceparent, attributes: { 'adit.webhook.id': delivery.id, 'adit.event': delivery.event } },
        () => this.attempt(delivery, secrets),
      ),
    ).finally(() => {
      this.sending.delete(run);
      // The answer is stored, and the next delivery of this receiver or job may go now.
      this.nudge();
    });
    this.sending.add(run);
  }

  private async attempt(delivery: ClaimedDelivery, secrets: string[]): Promise<void> {
    const started = this.now();
    const began = performance.now();
    const answer = await this.send(delivery, secrets, started);
    const took = (performance.now() - began) / 1000;
    this.load.end(delivery.receiver, answer);
    attempts.inc({ reason: answer.reason });
    attemptSeconds.observe({ outcome: answer.outcome }, took);
    const ended = new Date(Math.max(this.now().getTime(), started.getTime() + Math.round(took * 1000)));
    const delay = answer.outcome === 'failed' ? retryDelay(delivery.tried, answer.retryAfterSeconds) : null;
    const nextDue = delay === null ? null : new Date(ended.getTime() + delay);
    this.ended.push({ delivery, answer, started, ended, nextDue });
    const { id: webhookId, event, attempt } = delivery;
    const { status, reason } = answer;
    if (nextDue === null) deliveries.inc({ outcome: answer.outcome });
    const line = { webhookId, event, attempt, status, reason, ...(nextDue === null ? {} : { nextDue }) };
    if (answer.outcome === 'delivered') log.debug(line, 'webhook delivered');
    else log.warn(line, nextDue === null ? 'webhook given up' : 'webhook not delivered; it will be tried again');
  }

  private async send(delivery: ClaimedDelivery, secrets: string[], now: Date): Promise<Answer> {
    const unsent = (error: string): Answer => ({
      outcome: 'failed',
      reason: 'refused',
      status: null,
      error,
      response: null,
      retryAfterSeconds: 0,
    });
    // Each time the process died between sending and storing.
    if (delivery.tried > MAX_ATTEMPTS) return unsent('The last attempt was lost.');
    const [secret] = secrets;
    if (secret === undefined) return unsent('There is no secret to sign with.');
    const body = messageBody(delivery, secret);
    const timestamp = Math.floor(now.getTime() / 1000);
    return this.sender.post(delivery.url, standardHeaders(secrets, { id: delivery.id, timestamp, body }), body);
  }

  private async secretsOf(claimed: ClaimedDelivery[], now: Date): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const source of this.secrets) {
      const signers = [...new Set(claimed.filter(({ kind }) => kind === source.kind).map(({ signer }) => signer))];
      if (signers.length === 0) continue;
      const secrets = await source.secretsOf(signers, now);
      for (const [signer, list] of secrets) found.set(secretKey({ kind: source.kind, signer }), list);
    }
    return found;
  }

  private async observeBacklog(): Promise<void> {
    const at = performance.now();
    if (this.backlogSeen > 0 && at - this.backlogSeen < BACKLOG_EVERY_MILLISECONDS) return;
    this.backlogSeen = at;
    // The estimate is rather ahead of the database by the latency than behind: what is stored now is due at once.
    if (this.clock === null) this.began = Number(await databaseNow(this.db)) - at;
    const { due, oldestSeconds } = await dueBacklog(this.db.manager, this.now());
    deliveriesDue.set(due);
    oldestDueSeconds.set(oldestSeconds);
  }
}

function secretKey({ kind, signer }: { kind: string; signer: string }): string {
  return `${kind}/${signer}`;
}
