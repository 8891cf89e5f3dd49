import { NudgedLoop } from '@adit/jobs';
import { counter, createLogger, gauge, histogram, withContext, withSpan } from '@adit/runtime';
import {
  claimDeliveries,
  dueBacklog,
  MAX_ATTEMPTS,
  messageBody,
  recordAttempt,
  retryDelay,
  standardHeaders,
  type Answer,
  type ClaimedDelivery,
  type SecretSource,
  type Sender,
} from '@adit/webhooks';
import type { DataSource } from 'typeorm';
import { ReceiverLoad } from './receiver-load.js';

const log = createLogger('notifier');
const deliveries = counter('adit_webhook_deliveries_total', 'Deliveries that ended', ['outcome']);
const attempts = counter('adit_webhook_attempts_total', 'Attempts to deliver a webhook', ['reason']);
const attemptSeconds = histogram('adit_webhook_attempt_seconds', 'Time of one attempt to deliver a webhook', [
  'outcome',
]);
const dueGauge = gauge('adit_webhook_due', 'Deliveries whose time has come and that nobody has taken yet');
const oldestGauge = gauge('adit_webhook_oldest_due_seconds', 'For how long the oldest of them has been due');

const PERIOD_MILLISECONDS = 1000;
const BACKLOG_EVERY_MILLISECONDS = 15_000;
/** Beyond the time-out of an attempt, for the database. */
const LEASE_MARGIN_SECONDS = 15;

export interface DispatcherOptions {
  timeoutSeconds: number;
  concurrency: number;
  perReceiver: number;
  /** Instead of the system's clock. */
  now?: () => Date;
}

/**
 * Sends what is due, many at a time, few to one receiver. An attempt is counted before it is made; when the process dies
 * before it could note the answer, the delivery comes due again under the same id.
 */
export class Dispatcher {
  private readonly loop = new NudgedLoop('notifier', (stopping) => this.run(stopping), PERIOD_MILLISECONDS);
  private readonly sending = new Set<Promise<void>>();
  private readonly load: ReceiverLoad;
  private backlogSeen = 0;
  readonly now: () => Date;

  constructor(
    private readonly db: DataSource,
    private readonly sender: Sender,
    private readonly secrets: SecretSource[],
    private readonly options: DispatcherOptions,
  ) {
    this.now = options.now ?? (() => new Date());
    this.load = new ReceiverLoad(options.perReceiver);
  }

  start(): void {
    this.loop.start();
  }

  /** Takes nothing more and waits for the attempts under way, each no longer than its time-out. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.sending);
    await this.sender.close();
  }

  nudge(): void {
    this.loop.nudge();
  }

  /** Resolves when all that was due by now has been attempted. */
  async idle(): Promise<void> {
    do {
      await this.loop.idle();
      await Promise.all(this.sending);
    } while (this.sending.size > 0 || this.loop.busy);
  }

  private async run(stopping: () => boolean): Promise<void> {
    await this.observeBacklog();
    for (;;) {
      const free = this.options.concurrency - this.sending.size;
      if (stopping() || free <= 0) return;
      const now = this.now();
      const seconds = this.options.timeoutSeconds + LEASE_MARGIN_SECONDS;
      const claimed = await claimDeliveries(this.db.manager, {
        now,
        leaseUntil: new Date(now.getTime() + seconds * 1000),
        limit: free,
        perReceiver: this.options.perReceiver,
        rooms: this.load.rooms(),
      });
      if (claimed.length === 0) return;
      for (const delivery of claimed) this.load.begin(delivery.receiver);
      const secrets = await this.secretsOf(claimed).catch((error: unknown) => {
        for (const delivery of claimed) this.load.end(delivery.receiver, null);
        throw error;
      });
      for (const delivery of claimed) this.begin(delivery, secrets.get(secretKey(delivery)) ?? []);
    }
  }

  private begin(delivery: ClaimedDelivery, secrets: string[]): void {
    const run = withContext(delivery.jobId === null ? {} : { jobId: delivery.jobId }, () =>
      withSpan(
        'webhook attempt',
        { parent: delivery.traceparent, attributes: { 'adit.webhook.id': delivery.id, 'adit.event': delivery.event } },
        () => this.attempt(delivery, secrets),
      ),
    )
      .catch((error: unknown) => {
        log.warn({ webhookId: delivery.id, err: error }, 'an attempt could not be noted; it will be made again');
      })
      .finally(() => {
        this.sending.delete(run);
        // The next of this receiver or of this job may go now.
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
    const delay = answer.outcome === 'failed' ? retryDelay(delivery.attempt, answer.retryAfterSeconds) : null;
    const nextDue = delay === null ? null : new Date(ended.getTime() + delay);
    await recordAttempt(this.db.manager, { delivery, answer, started, ended, nextDue });
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
    // Each time the process died between sending and noting.
    if (delivery.attempt > MAX_ATTEMPTS) return unsent('The last attempt was lost.');
    const [secret] = secrets;
    if (secret === undefined) return unsent('There is no secret to sign with.');
    const body = messageBody(delivery, secret);
    const timestamp = Math.floor(now.getTime() / 1000);
    return this.sender.post(delivery.url, standardHeaders(secrets, { id: delivery.id, timestamp, body }), body);
  }

  private async secretsOf(claimed: ClaimedDelivery[]): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const source of this.secrets) {
      const signers = [...new Set(claimed.filter(({ kind }) => kind === source.kind).map(({ signer }) => signer))];
      if (signers.length === 0) continue;
      const secrets = await source.secretsOf(signers);
      for (const [signer, list] of secrets) found.set(secretKey({ kind: source.kind, signer }), list);
    }
    return found;
  }

  private async observeBacklog(): Promise<void> {
    const at = performance.now();
    if (this.backlogSeen > 0 && at - this.backlogSeen < BACKLOG_EVERY_MILLISECONDS) return;
    this.backlogSeen = at;
    const { due, oldestSeconds } = await dueBacklog(this.db.manager, this.now());
    dueGauge.set(due);
    oldestGauge.set(oldestSeconds);
  }
}

function secretKey({ kind, signer }: { kind: string; signer: string }): string {
  return `${kind}/${signer}`;
}
