import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUS, checkMessage, deadLetterEnvelope, deadLettersOf, type Bus, type OutgoingMessage } from '@adit/bus';
import { AditError, isoTime, type Envelope, type Payload, type Topic } from '@adit/contracts';
import { GroupCommit, inTransaction, isShared, OutboxEntity } from '@adit/database';
import {
  createLogger,
  currentTraceparent,
  formatTraceparent,
  messageAttributes,
  openSpan,
  parseTraceparent,
  type OpenSpan,
} from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundService } from './background-service.js';
import { unsendable } from './metrics.js';
import { takeBatch } from './shards.js';

const log = createLogger('outbox');

export interface OutboxMessage<T extends Topic = Topic> {
  topic: T;
  key: string;
  jobId: string;
  traceparent?: string | null;
  /** The attempt at the work that it asks for; 1 when left out. */
  attempt?: number;
  /** The first MESSAGE_VERSION that reads it as it is meant; 1 when left out. */
  version?: number;
  payload: Payload<T>;
}

/**
 * Writes messages in the caller's transaction; they leave only if it commits. Throws AditError VALIDATION or TOO_LARGE for
 * what could not be sent or read: the writer is told, and nobody else is held up.
 */
export async function enqueue<T extends Topic>(manager: EntityManager, messages: OutboxMessage<T>[]): Promise<void> {
  if (messages.length === 0) return;
  await manager.query(
    `INSERT INTO outbox (topic, key, envelope)
     SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])`,
    outboxColumns(messages),
  );
}

/** Topics, keys and envelopes, for a statement of one's own that writes messages too. Throws as `enqueue` does. */
export function outboxColumns(messages: OutboxMessage[]): [string[], string[], string[]] {
  return [messages.map(({ topic }) => topic), messages.map(({ key }) => key), messages.map(envelopeText)];
}

/** The message's envelope as the outbox keeps it. Throws as `enqueue` does. */
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
 * The span that a message comes from: the one in which it is written, where that belongs to the trace of the job. What is
 * written beside (the scheduler's loop was started by another job) goes on from the request.
 */
function causeOf(traceparent: string | null): string | null {
  const current = currentTraceparent();
  if (traceparent === null || current === null) return traceparent ?? current;
  return parseTraceparent(current)?.traceId === parseTraceparent(traceparent)?.traceId ? current : traceparent;
}

const PERIOD_MILLISECONDS = 1000;
const BATCH = 200;
/**
 * For as many milliseconds as a batch had messages, but no longer than this, the next ones are gathered: a transaction and a
 * request to the bus cost more than the messages in them. So what is sent rarely leaves at once, and many leave together.
 */
const GATHER_MS = 25;

/**
 * Publishes what transactions wrote to the outbox and removes it once the bus has accepted it: a crash in between publishes
 * twice, never not at all. Nudged after each commit of this process; polls in case a nudge, or another process, was lost.
 *
 * Messages of one key leave in the order of their ids, and that is the order in which they were caused where it matters: a
 * job's events are written under the lock on its row (LockedJob), so a later transaction gets its ids, and shows its rows,
 * only after the earlier one has committed. Messages of different keys have no order.
 *
 * It is idle when everything this process has committed so far has been handed to the bus, here or by another relay.
 */
@Injectable()
export class OutboxRelay extends BackgroundService {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(BUS) private readonly bus: Bus,
  ) {
    super('outbox', PERIOD_MILLISECONDS);
  }

  protected round(): Promise<void> {
    return isShared(this.dataSource) ? this.publishBesideOthers() : this.publishByOneself();
  }

  /** Runs the work in one transaction and sends what it enqueued as soon as that has committed. */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = await inTransaction(this.dataSource, work);
    this.nudge();
    return result;
  }

  /** The same for rows that many callers write by the same statement at the same time. */
  grouped<Made extends { id: string }>(sql: string): GroupCommit<Made> {
    return new GroupCommit(this.dataSource, sql, () => this.nudge());
  }

  /**
   * The only process of an embedded database. Outside of a transaction, which would keep its one session from the handlers
   * while a full partition makes the bus wait for them.
   */
  private async publishByOneself(): Promise<void> {
    for (let published = BATCH; published === BATCH && !this.stopping;) {
      const rows = await this.dataSource.manager.find(OutboxEntity, { order: { id: 'ASC' }, take: BATCH });
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
   * One of several. Goes on until nothing is left: what another relay left to us because we held its shard was committed
   * before we ended, so we see it now.
   */
  private async publishBesideOthers(): Promise<void> {
    while (!this.stopping && (await this.hasMessages())) {
      const published = await inTransaction(this.dataSource, async (manager) => {
        const rows = await takeBatch(manager);
        // Inside the transaction: a crash, or a bus that refuses, brings the rows back.
        if (rows.length > 0) await this.publish(rows);
        return rows.length;
      });
      // Others hold all the shards that have messages, and publish them.
      if (published === 0) return;
      if (published < BATCH) await sleep(Math.min(published, GATHER_MS));
    }
  }

  /** What the bus can never take becomes a dead letter alone: nothing waits behind it. */
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

  /** Its span, and the row as it leaves: who handles the message goes on from its sending. */
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
    const [{ found }] = await this.dataSource.query(`SELECT EXISTS (SELECT FROM outbox) AS found`);
    return found;
  }
}

type OutboxRow = Pick<OutboxEntity, 'topic' | 'key' | 'envelope'>;

/** A message whose topic another build may have named: who carries it does not read it, and the bus says where it cannot. */
function outgoing({ topic, key, envelope }: OutboxRow): OutgoingMessage {
  return { topic, key, envelope } as OutgoingMessage;
}
