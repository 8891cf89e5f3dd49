import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A third party's key for signing tokens. Its secret is stored in clear: HS256 tokens are verified with it. */
@Entity('access_keys')
export class AccessKeyEntity {
  /** 20 URL-safe characters. */
  @PrimaryColumn('text') key!: string;
  @Index() @Column('uuid') workspaceId!: string;
  @Column('text') name!: string;
  @Column('text') secret!: string;
  @Column('jsonb') scopes!: string[];
  /** Exports that its tokens may read in addition to those of transcripts. */
  @Column('jsonb', { default: [] }) exportStrategies!: string[];
  /** Member who made it, or a key of theirs did; null of keys that no member is behind. */
  @Column('uuid', { nullable: true }) makerId!: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** A change that was made through the API; of the request only the names of its fields are stored. */
@Entity('audit_entries')
@Index(['workspaceId', 'id'])
export class AuditEntryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('uuid') workspaceId!: string;
  @Index() @Column('timestamptz') time!: Date;
  @Column('text') actorKind!: 'api-key' | 'access-key' | 'member';
  @Column('text') actorId!: string;
  @Column('text') actorName!: string;
  @Column('text') action!: string;
  @Column('text') resource!: string;
  @Column('text', { nullable: true }) resourceId!: string | null;
  @Column('jsonb') fields!: string[];
  @Column('text') requestId!: string;
}
