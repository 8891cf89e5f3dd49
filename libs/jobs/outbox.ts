import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUS, type Bus, type OutgoingMessage } from '@adit/bus';
import { isoTime, type Envelope, type Payload, type Topic } from '@adit/contracts';
import { GroupCommit, inTransaction, isShared, OutboxEntity } from '@adit/database';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { NudgedLoop } from './nudged-loop.js';
import { takeBatch } from './outbox-shards.js';

export interface OutboxMessage<T extends Topic = Topic> {
  topic: T;
  key: string;
  jobId: string;
  traceparent?: string | null;
  /** The try of the work that it asks for; 1 when left out. */
  attempt?: number;
  payload: Payload<T>;
}

/** Writes messages in the caller's transaction; they leave only if it commits. */
export async function enqueue<T extends Topic>(manager: EntityManager, messages: OutboxMessage<T>[]): Promise<void> {
  if (messages.length === 0) return;
  await manager.query(
    `INSERT INTO outbox (topic, key, envelope)
     SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])`,
    [messages.map(({ topic }) => topic), messages.map(({ key }) => key), messages.map(envelopeText)],
  );
}

/** The message's envelope as the outbox keeps it. */
export function envelopeText({ jobId, traceparent, attempt, payload }: OutboxMessage): string {
  const envelope: Envelope = {
    id: randomUUID(),
    jobId,
    traceparent: traceparent ?? null,
    attempt: attempt ?? 1,
    occurredAt: isoTime(new Date()),
    payload,
  };
  return JSON.stringify(envelope);
}

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
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: NudgedLoop;

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(BUS) private readonly bus: Bus,
  ) {
    this.loop = new NudgedLoop(
      'outbox',
      isShared(dataSource)
        ? (stopping) => this.publishBesideOthers(stopping)
        : (stopping) => this.publishAlone(stopping),
      1000,
    );
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Runs the work in one transaction and sends what it enqueued as soon as that has committed. */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = await inTransaction(this.dataSource, work);
    this.loop.nudge();
    return result;
  }

  /** The same for rows that many callers write by the same statement at the same time. */
  grouped<Made extends { id: string }>(sql: string): GroupCommit<Made> {
    return new GroupCommit(this.dataSource, sql, () => this.loop.nudge());
  }

  /** Resolves when everything this process has committed so far has been handed to the bus, here or by another relay. */
  idle(): Promise<void> {
    return this.loop.idle();
  }

  /**
   * The only process of an embedded database. Outside of a transaction, which would keep its one session from the handlers
   * while a full partition makes the bus wait for them.
   */
  private async publishAlone(stopping: () => boolean): Promise<void> {
    for (let published = BATCH; published === BATCH && !stopping();) {
      const rows = await this.dataSource.manager.find(OutboxEntity, { order: { id: 'ASC' }, take: BATCH });
      published = rows.length;
      if (published === 0) return;
      await this.bus.publish(rows.map(outgoing));
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
  private async publishBesideOthers(stopping: () => boolean): Promise<void> {
    while (!stopping() && (await this.hasMessages())) {
      const published = await inTransaction(this.dataSource, async (manager) => {
        const rows = await takeBatch(manager);
        // Inside the transaction: a crash, or a bus that refuses, brings the rows back.
        if (rows.length > 0) await this.bus.publish(rows.map(outgoing));
        return rows.length;
      });
      // Others hold all the shards that have messages, and publish them.
      if (published === 0) return;
      if (published < BATCH) await sleep(Math.min(published, GATHER_MS));
    }
  }

  private async hasMessages(): Promise<boolean> {
    const [{ found }] = await this.dataSource.query(`SELECT EXISTS (SELECT FROM outbox) AS found`);
    return found;
  }
}

function outgoing({ topic, key, envelope }: Pick<OutboxEntity, 'topic' | 'key' | 'envelope'>): OutgoingMessage {
  return { topic, key, envelope } as OutgoingMessage;
}
