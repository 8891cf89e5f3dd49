import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** pending: due at some time, or being sent · delivered · failed: its attempts are used up · gone: the receiver answered 410. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed' | 'gone';

/** A client's wish to be told of one event of its workspace's resources. */
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn('uuid') id!: string;
  @Index() @Column('uuid') workspaceId!: string;
  @Column('text') event!: string;
  @Column('text') url!: string;
  @Column('text') secret!: string;
  /** The secret before, which signs beside the new one for a while. */
  @Column('text', { nullable: true }) formerSecret!: string | null;
  @Column('timestamptz', { nullable: true }) formerSecretUntil!: Date | null;
  @Column('text', { default: '' }) description!: string;
  @Column('boolean', { default: true }) enabled!: boolean;
  @Column('text', { nullable: true }) disabledReason!: string | null;
  @Column('timestamptz', { nullable: true }) timeDisabled!: Date | null;
  /** The first failure since something was delivered. */
  @Column('timestamptz', { nullable: true }) failingSince!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** One event on its way to one receiver. It knows all that sending takes but the secret, which may be renewed meanwhile. */
@Entity('webhook_deliveries')
@Index(['subscription', 'fact'], { unique: true })
@Index(['receiver', 'dueAt', 'seq'], { where: "state = 'pending'" })
@Index(['orderKey', 'seq'], { where: "state = 'pending' AND order_key IS NOT NULL" })
@Index(['timeEnded'], { where: 'time_ended IS NOT NULL' })
// Asked for each new delivery, of a subscription that may have thousands of them.
@Index(['subscription'], { where: "state = 'gone'" })
export class WebhookDeliveryEntity {
  /** Order of creation. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) seq!: string;
  /** The receiver sees it as `webhook-id`, the same at every attempt. */
  @Index({ unique: true }) @Column('uuid') id!: string;
  /** Who asked for it: `job:<id>` or `webhook:<id>`; a 410 ends everything of one subscription. */
  @Column('text') subscription!: string;
  /** Names what happened, once per subscription, so that a message that comes twice is delivered once. */
  @Column('text') fact!: string;
  /** Which part of Adit knows the secret of `signer`. */
  @Column('text') kind!: string;
  @Column('uuid') signer!: string;
  @Index() @Column('uuid', { nullable: true }) jobId!: string | null;
  @Column('text') url!: string;
  /** Origin of `url`: what shares its health and its limits. */
  @Column('text') receiver!: string;
  /** First attempts of one key go out one after the other; null for no order. */
  @Column('text', { nullable: true }) orderKey!: string | null;
  @Column('text') event!: string;
  /** Unix seconds with fraction, when it happened. */
  @Column('double precision') timestamp!: number;
  /** JSON, byte for byte as it is signed and sent. */
  @Column('text') data!: string;
  @Column('text', { nullable: true }) traceparent!: string | null;
  @Column('text', { default: 'pending' }) state!: WebhookDeliveryState;
  /** Counted before each attempt. */
  @Column('integer', { default: 0 }) attempts!: number;
  /** How many attempts there were when it was replayed last: the schedule began anew then. */
  @Column('integer', { default: 0 }) attemptsBeforeReplay!: number;
  /** When the next attempt is due; while one runs, when it counts as lost. */
  @Column('timestamptz') dueAt!: Date;
  /** When an attempt last ended; null while the first one has not. */
  @Column('timestamptz', { nullable: true }) timeAttempted!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeEnded!: Date | null;
}

/** What came of one attempt of a delivery. */
@Entity('webhook_attempts')
@Index(['webhookId', 'timeStarted'], { where: 'webhook_id IS NOT NULL' })
export class WebhookAttemptEntity {
  @PrimaryColumn('uuid') deliveryId!: string;
  /** From 1. */
  @PrimaryColumn('integer') attempt!: number;
  /** Of a webhook's deliveries; null for those of jobs. */
  @Column('uuid', { nullable: true }) webhookId!: string | null;
  @Column('timestamptz') timeStarted!: Date;
  /** Milliseconds. */
  @Column('integer') took!: number;
  /** HTTP status; null when no answer came. */
  @Column('integer', { nullable: true }) status!: number | null;
  /** Why it did not succeed. */
  @Column('text', { nullable: true }) error!: string | null;
  /** The first bytes of the answer's body. */
  @Column('text', { nullable: true }) response!: string | null;
}
