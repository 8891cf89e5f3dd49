import type { Envelope } from '@adit/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A message written in the transaction that caused it; the relay publishes and removes it. */
@Entity('outbox')
export class OutboxEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('text') topic!: string;
  @Column('text') key!: string;
  @Column('jsonb') envelope!: Envelope;
}
