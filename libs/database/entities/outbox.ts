import type { Envelope } from '@adit/contracts';
import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A message written in the transaction that caused it; the relay publishes and removes it. */
@Entity('outbox')
// Index of shards, which are hashes of keys, with their flows and ids.
@Index('outbox_shard', { synchronize: false })
export class OutboxEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('text') topic!: string;
  @Column('text') key!: string;
  @Column('jsonb') envelope!: Envelope;
  /** What is served in turn: the workspace, else the job; empty in rows of builds that knew none. */
  @Column('text', { default: '' }) flow!: string;
}
