import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/**
 * pending: due, scheduled or being sent · delivered · failed: its attempts are used up · gone: the receiver answered
 * 410.
 */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed' | 'gone';

/** A client's subscription to one event of its workspace's resources. */
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn('uuid') id!: string;
  @Index() @Column('uuid') workspaceId!: string;
  @Column('text') event!: string;
  @Column('text') url!: string;
  @Column('text') secret!: string;
  /** Former secret, which signs beside the new one for a while. */
  @Column('text', { nullable: true }) formerSecret!: string | null;
  @Column('timestamptz', { nullable: true }) formerSecretUntil!: Date | null;
  @Column('text', { default: '' }) description!: string;
  @Column('boolean', { default: true }) enabled!: boolean;
  @Column('text', { nullable: true }) disabledReason!: string | null;
  @Column('timestamptz', { nullable: true }) timeDisabled!: Date | null;
  /** Time of the first failure since the last delivery. */
  @Column('timestamptz', { nullable: true }) failingSince!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** One event for one receiver. It has everything needed for sending but the secret, which may be renewed meanwhile. */
@Entity('webhook_deliveries')
@Index(['subscription', 'fact'], { unique: true })
@Index(['receiver', 'dueAt', 'seq'], { where: "state = 'pending'" })
@Index(['orderKey', 'seq'], { where: "state = 'pending' AND order_key IS NOT NULL" })
@Index(['timeEnded'], { where: 'time_ended IS NOT NULL' })
// Index for each new delivery, of a subscription that may have thousands of them.
@Index(['subscription'], { where: "state = 'gone'" })
export class WebhookDeliveryEntity {
  /** Order of creation. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) seq!: string;
  /** Value of `webhook-id`, the same at every attempt. */
  @Index({ unique: true }) @Column('uuid') id!: string;
  /** Subscription: `job:<id>` or `webhook:<id>`; a 410 ends everything of one subscription. */
  @Column('text') subscription!: string;
  /** Idempotency key of the event within the subscription, so that a duplicate message is delivered once. */
  @Column('text') fact!: string;
  /** Service that knows the secret of `signer`. */
  @Column('text') kind!: string;
  @Column('uuid') signer!: string;
  @Index() @Column('uuid', { nullable: true }) jobId!: string | null;
  @Column('text') url!: string;
  /** Origin of `url`, which health and limits apply to. */
  @Column('text') receiver!: string;
  /** Ordering key: first attempts of one key go out one after the other; null for no order. */
  @Column('text', { nullable: true }) orderKey!: string | null;
  @Column('text') event!: string;
  /** Unix seconds with fraction of the event. */
  @Column('double precision') timestamp!: number;
  /** JSON, byte for byte as it is signed and sent. */
  @Column('text') data!: string;
  @Column('text', { nullable: true }) traceparent!: string | null;
  @Column('text', { default: 'pending' }) state!: WebhookDeliveryState;
  /** Counted before each attempt. */
  @Column('integer', { default: 0 }) attempts!: number;
  /** Number of attempts when it was replayed last: the schedule began anew then. */
  @Column('integer', { default: 0 }) attemptsBeforeReplay!: number;
  /** Time when the next attempt is due; while one runs, when it counts as lost. */
  @Column('timestamptz') dueAt!: Date;
  /** Time when an attempt last ended; null while the first one has not. */
  @Column('timestamptz', { nullable: true }) timeAttempted!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeEnded!: Date | null;
}

/** Result of one attempt of a delivery. */
@Entity('webhook_attempts')
@Index(['webhookId', 'timeStarted'], { where: 'webhook_id IS NOT NULL' })
export class WebhookAttemptEntity {
  @PrimaryColumn('uuid') deliveryId!: string;
  /** From 1. */
  @PrimaryColumn('integer') attempt!: number;
  /** Webhook of the delivery; null for those of jobs. */
  @Column('uuid', { nullable: true }) webhookId!: string | null;
  @Column('timestamptz') timeStarted!: Date;
  /** Milliseconds. */
  @Column('integer') took!: number;
  /** HTTP status; null without an answer. */
  @Column('integer', { nullable: true }) status!: number | null;
  /** Reason of the failure. */
  @Column('text', { nullable: true }) error!: string | null;
  /** The first bytes of the answer's body. */
  @Column('text', { nullable: true }) response!: string | null;
}
