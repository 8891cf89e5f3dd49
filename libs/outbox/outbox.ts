import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUS, checkMessage, deadLetterEnvelope, deadLettersOf, type Bus, type OutgoingMessage } from '@adit/bus';
import { AditError, isoTime, type Envelope, type Payload, type Topic } from '@adit/contracts';
import { GroupCommit, inStatement, inTransaction, isShared, OutboxEntity } from '@adit/database';
import {
  createLogger,
  currentTraceparent,
  formatTraceparent,
  messageAttributes,
  openSpan,
  parseTraceparent,
  type OpenSpan,
} from '@adit/runtime';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundService } from './background-service.js';
import { unsendable } from './metrics.js';
import { BATCH, readBatch, SHARDS_AT_A_TIME, takeBatch } from './shards.js';

const log = createLogger('outbox');

export interface OutboxMessage<T extends Topic = Topic> {
  topic: T;
  key: string;
  jobId: string;
  traceparent?: string | null;
  /** Number of the requested attempt; 1 when left out. */
  attempt?: number;
  /** First MESSAGE_VERSION that reads it as intended; 1 when left out. */
  version?: number;
  /**
   * Workspace that causes it. Relays serve workspaces in turn, and the jobs of messages that name none. Messages of one
   * key keep their order where all of them name it, or none.
   */
  workspaceId?: string;
  payload: Payload<T>;
}

/**
 * Writes messages in the caller's transaction; they leave only if it commits. Throws AditError VALIDATION or
 * TOO_LARGE for messages that could not be sent or read: only their writer fails.
 */
export async function enqueue<T extends Topic>(manager: EntityManager, messages: OutboxMessage<T>[]): Promise<void> {
  if (messages.length === 0) return;
  await manager.query(writtenMessages('SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[])'), [
    ...outboxColumns(messages),
    messages.map(({ workspaceId, jobId }) => workspaceId ?? jobId),
  ]);
}

/** SQL: writes the messages that `select` finds, topic, key, envelope and flow, as part of a statement of one's own. */
export function writtenMessages(select: string): string {
  return `INSERT INTO outbox (topic, key, envelope, flow) ${select}`;
}

/** Topics, keys and envelopes, for a statement of one's own that writes messages too. Throws as `enqueue` does. */
export function outboxColumns(messages: OutboxMessage[]): [string[], string[], string[]] {
  return [messages.map(({ topic }) => topic), messages.map(({ key }) => key), messages.map(envelopeText)];
}

/** Envelope of the message as stored in the outbox. Throws as `enqueue` does. */
export function envelopeText({ topic, key, jobId, traceparent, attempt, version, payload }: OutboxMessage): string {
  checkMessage(topic, { key, payload });
  const envelope: Envelope = {
    ...(version !== undefined && { version }),
    id: randomUUID(),
    jobId,
    traceparent: causeOf(traceparent ?? null),
    attempt: attempt ?? 1,
    occurredAt: isoTime(new Date()),
    payload,
  };
  return JSON.stringify(envelope);
}

/**
 * Span that a message comes from: the one in which it is written, where that belongs to the trace of the job.
 * Messages of a loop that another job started (the scheduler) continue the request.
 */
function causeOf(traceparent: string | null): string | null {
  const current = currentTraceparent();
  if (traceparent === null || current === null) return traceparent ?? current;
  return parseTraceparent(current)?.traceId === parseTraceparent(traceparent)?.traceId ? current : traceparent;
}

/** Period in which the relays of an installation that look for what others left behind do so. */
export const POLL_MS = 1_000;
/** That of the others, which publish what their own process wrote, as soon as it is committed. */
export const SELDOM_POLL_MS = 30_000;
/**
 * Maximum time for which messages are gathered, after a batch as many milliseconds as it had messages. A transaction
 * and a request to the bus cost more than the messages in them. So a rare message leaves at once, and many leave
 * together.
 */
const GATHER_MS = 25;
/** Time after which a relay looks again for messages that others held: mostly it finds none. */
const HELD_MS = 250;
/** The longest one, where others go on holding them. */
const LONGEST_HELD_MS = 8_000;

/**
 * Transactional outbox: publishes messages that transactions wrote, and removes them once the bus has accepted them.
 * A crash in between publishes twice, but loses nothing. Nudged after each commit of this process; polls in case a
 * nudge, or another process, was lost. Not every process of a large installation does so each second.
 *
 * Workspaces take turns, so one that floods does not hold up the others. Messages of one key and flow leave in the
 * order of their ids, and that is the causal order where it matters. A job's events
 * are written under the lock on its row (LockedJob), so a later transaction gets its ids, and shows its rows, only
 * after the earlier one has committed. Messages of different keys have no order.
 *
 * It is idle when everything that this process has committed so far was published, here or by another relay, or is held by one
 * that may not have seen it: it looks for that again.
 */
@Injectable()
export class OutboxRelay extends BackgroundService {
  /** Where the next batch begins; relays that start together begin apart. */
  private shard = randomInt(2 ** 20);
  /** This process has committed something since the last round began: there are messages, with little doubt. */
  private committed = false;
  /** Pause before it looks again for what others hold; doubles while it gets nothing. */
  private heldMs = HELD_MS;

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(BUS) private readonly bus: Bus,
    @Optional() pollMs = POLL_MS,
  ) {
    super('outbox', pollMs);
  }

  protected round(): Promise<void> {
    return isShared(this.dataSource) ? this.publishBesideOthers() : this.publishByOneself();
  }

  /** Runs the work in one transaction and publishes its messages as soon as that has committed. */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = await inTransaction(this.dataSource, work);
    this.publishSoon();
    return result;
  }

  /** Runs a grouped insert of rows that many callers write by the same statement at the same time. */
  grouped<Made extends { id: string }>(sql: string): GroupCommit<Made> {
    return new GroupCommit(this.dataSource, sql, () => this.publishSoon());
  }

  /** Runs a statement that is a transaction of its own (see `inStatement`), and publishes its messages. */
  async statement<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    const rows = await inStatement<T>(this.dataSource, sql, parameters);
    this.publishSoon();
    return rows;
  }

  /** Publishes what this process has just committed. */
  private publishSoon(): void {
    this.committed = true;
    this.nudge();
  }

  /**
   * Publishes as the only process of an embedded database. It runs outside of a transaction, which would keep the one
   * session from the handlers while a full partition makes the bus wait for them.
   */
  private async publishByOneself(): Promise<void> {
    for (let published = BATCH; published === BATCH && !this.stopping;) {
      const rows = await readBatch(this.dataSource.manager);
      published = rows.length;
      if (published === 0) return;
      await this.publish(rows);
      await this.dataSource.manager.delete(
        OutboxEntity,
        rows.map((row) => row.id),
      );
    }
  }

  /**
   * Publishes as one of several processes until nothing is left that no other relay holds. Whoever had to skip a message
   * looks for it again: the relay that held its shard may have begun before it was written.
   */
  private async publishBesideOthers(): Promise<void> {
    let mayHave = this.committed || (await this.hasMessages());
    this.committed = false;
    let isHeld = false;
    let published = 0;
    while (!this.stopping && mayHave) {
      const batch = await inTransaction(this.dataSource, async (manager) => {
        const taken = await takeBatch(manager, this.shard);
        // The bus is called inside the transaction: a crash, or a refusal, brings the rows back.
        if (taken.rows.length > 0) await this.publish(taken.rows);
        return taken;
      });
      this.shard += SHARDS_AT_A_TIME;
      isHeld = batch.held;
      mayHave = batch.more;
      const count = batch.rows.length;
      published += count;
      if (mayHave && count < BATCH) await sleep(Math.min(count, GATHER_MS));
    }
    if (!isHeld || published > 0) this.heldMs = HELD_MS;
    if (!isHeld) return;
    this.nudgeIn(this.heldMs);
    this.heldMs = Math.min(2 * this.heldMs, LONGEST_HELD_MS);
  }

  /** Makes a dead letter of a message that the bus can never accept: nothing waits behind it. */
  private async publish(rows: OutboxRow[]): Promise<void> {
    const sent = rows.map((row) => this.traced(row));
    try {
      await this.bus.publish(sent.map(({ row }) => outgoing(row)));
    } catch (error) {
      for (const { span } of sent) span.fail(error);
      if (AditError.from(error).retryable) throw error;
      for (const row of rows) await this.publishAlone(row);
    } finally {
      for (const { span } of sent) span.end();
    }
  }

  /** Begins its span, and returns the row to send: the handler of the message continues from the sending. */
  private traced(row: OutboxRow): { span: OpenSpan; row: OutboxRow } {
    const { topic, key, envelope } = row;
    const { id, jobId, traceparent: parent } = envelope;
    const attributes = messageAttributes('send', { system: this.bus.system, topic, id, jobId, key });
    const span = openSpan(`send ${topic}`, { role: 'producer', parent, attributes });
    return { span, row: { ...row, envelope: { ...envelope, traceparent: formatTraceparent(span) } } };
  }

  private async publishAlone(row: OutboxRow): Promise<void> {
    try {
      await this.bus.publish([outgoing(row)]);
    } catch (error) {
      const problem = AditError.from(error);
      if (problem.retryable) throw error;
      await this.giveUp(row, problem);
    }
  }

  private async giveUp(row: OutboxRow, problem: AditError): Promise<void> {
    const { topic, key, envelope } = row;
    unsendable.inc({ topic });
    log.error({ topic, key, jobId: envelope.jobId, err: problem }, 'a message can’t be sent and became a dead letter');
    const letter = deadLetterEnvelope(envelope, problem, { topic, group: 'outbox', deliveries: 1 });
    const letters = deadLettersOf(topic);
    try {
      await this.bus.publish([outgoing({ topic: letters, key: key || 'none', envelope: letter })]);
    } catch (error) {
      if (AditError.from(error).retryable) throw error;
      log.error({ topic, key, envelope: letter, err: error }, 'a message has no dead-letter topic and is dropped');
    }
  }

  private async hasMessages(): Promise<boolean> {
    const [{ found }] = await this.dataSource.query(`SELECT ${UNSENT} AS found`);
    return found;
  }
}

/** SQL: there are messages that were not published. */
export const UNSENT = 'EXISTS (SELECT FROM outbox)';

type OutboxRow = Pick<OutboxEntity, 'topic' | 'key' | 'envelope'>;

/**
 * Topic of a message, which another build may have named: the relay does not interpret it, and the bus rejects
 * unknown ones.
 */
function outgoing({ topic, key, envelope }: OutboxRow): OutgoingMessage {
  return { topic, key, envelope } as OutgoingMessage;
}
