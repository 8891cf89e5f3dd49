import type { Quotas, RetentionKind } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** Everything a client owns belongs to one workspace. */
@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') name!: string;
  /** Cache of observations, which are biometric data: a workspace can switch it off. */
  @Column('boolean', { default: true }) observationCache!: boolean;
  /** Weight against other workspaces when all machines are busy. */
  @Column('integer', { default: 1 }) weight!: number;
  /** Secret that signs the webhooks of jobs. */
  @Column('text') signingSecret!: string;
  /** Former secret, which signs beside the new one for a while. */
  @Column('text', { nullable: true }) formerSigningSecret!: string | null;
  @Column('timestamptz', { nullable: true }) formerSigningSecretUntil!: Date | null;
  /** Quota of bytes of its files, transcripts and recordings together. Null: the gateway's own limit; 0: none. */
  @Column('bigint', { nullable: true }) storageBytes!: string | null;
  /** Further quotas: of each kind of these, and of what analyses take. */
  @Column('jsonb', { default: {} }) quotas!: Quotas;
  /** Seconds for which it keeps things, by kind; kinds that are missing are kept as the installation keeps them. */
  @Column('jsonb', { default: {} }) retention!: Partial<Record<RetentionKind, number>>;
  /** Tags of jobs under a legal hold. */
  @Column('text', { array: true, default: [] }) heldTags!: string[];
  /** Set while all of it is being erased. */
  @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** An API key; only the SHA-256 of its secret is kept. */
@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Index() @Column('uuid') workspaceId!: string;
  @Column('text') name!: string;
  /** First characters of the key, to recognise it in a list. */
  @Column('text') prefix!: string;
  @Index({ unique: true }) @Column('text') hash!: string;
  @Column('text', { default: 'member' }) role!: 'admin' | 'member' | 'reader';
  /**
   * An admin key that may also make and erase workspaces: a column of its own, since older builds do not know the
   * role.
   */
  @Column('boolean', { default: false }) isOwner!: boolean;
  /** Null: the gateway's own limit; 0: none. */
  @Column('integer', { nullable: true }) requestsPerSecond!: number | null;
  @Column('integer', { nullable: true }) jobsPerDay!: number | null;
  /** Member who made it, or a key of theirs did; null of keys that no member is behind. */
  @Column('uuid', { nullable: true }) makerId!: string | null;
  /** Time from which on it is refused; set when it is rotated. */
  @Column('timestamptz', { nullable: true }) timeExpires!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeLastUsed!: Date | null;
}

/** Reply to a POST, stored so that a repeated request with the same Idempotency-Key is answered, not done again. */
@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  @PrimaryColumn('text') key!: string;
  /** SHA-256 over method, path and canonical body. */
  @Column('text') requestDigest!: string;
  /** Null while the first request is still being answered. */
  @Column('integer', { nullable: true }) status!: number | null;
  @Column('jsonb', { nullable: true }) body!: unknown;
  /** Headers of the reply beyond those of its body, by their lower-case names. */
  @Column('jsonb', { nullable: true }) headers!: Record<string, string> | null;
  /** Id of the resource that the request makes. */
  @Column('uuid', { nullable: true }) newId!: string | null;
  /** Written in the transaction of the request's work; null until then. */
  @Column('timestamptz', { nullable: true }) timeDone!: Date | null;
  /** Expiry of the answer; without an answer, time when its process counts as dead. */
  @Index() @Column('timestamptz') timeExpires!: Date;
}
