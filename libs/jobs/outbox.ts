import { randomUUID } from 'node:crypto';
import { BUS, type Bus, type OutgoingMessage } from '@adit/bus';
import { isoTime, type Envelope, type Payload, type Topic } from '@adit/contracts';
import { inTransaction, OutboxEntity } from '@adit/database';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { NudgedLoop } from './nudged-loop.js';

export interface OutboxMessage<T extends Topic = Topic> {
  topic: T;
  key: string;
  jobId: string;
  traceparent?: string | null;
  payload: Payload<T>;
}

/** Writes messages in the caller's transaction; they leave only if it commits. */
export async function enqueue<T extends Topic>(manager: EntityManager, messages: OutboxMessage<T>[]): Promise<void> {
  if (messages.length === 0) return;
  const envelopes = messages.map(({ jobId, traceparent, payload }): string => {
    const envelope: Envelope = {
      id: randomUUID(),
      jobId,
      traceparent: traceparent ?? null,
      attempt: 1,
      occurredAt: isoTime(new Date()),
      payload,
    };
    return JSON.stringify(envelope);
  });
  await manager.query(
    `INSERT INTO outbox (topic, key, envelope)
     SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])`,
    [messages.map(({ topic }) => topic), messages.map(({ key }) => key), envelopes],
  );
}

const BATCH = 200;

/**
 * Publishes what transactions wrote to the outbox, in order, and removes it once the bus has accepted it: a crash in
 * between publishes twice, never not at all. Nudged after each commit; polls in case a nudge was lost.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop = new NudgedLoop(
    'outbox',
    async (stopping) => {
      while (!stopping() && (await this.publishBatch()) === BATCH);
    },
    1000,
  );

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

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

  /** Resolves when everything committed so far has been handed to the bus. */
  idle(): Promise<void> {
    return this.loop.idle();
  }

  private async publishBatch(): Promise<number> {
    const rows = await this.dataSource.manager.find(OutboxEntity, { order: { id: 'ASC' }, take: BATCH });
    if (rows.length === 0) return 0;
    await this.bus.publish(rows.map(({ topic, key, envelope }) => ({ topic, key, envelope }) as OutgoingMessage));
    await this.dataSource.manager.delete(
      OutboxEntity,
      rows.map((row) => row.id),
    );
    return rows.length;
  }
}
