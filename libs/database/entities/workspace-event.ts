import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** What happened in a workspace, kept for a while for those who follow all of it. */
@Entity('workspace_events')
@Index(['workspaceId', 'number'])
@Index(['workspaceId', 'id'], { where: 'number IS NULL' })
export class WorkspaceEventEntity {
  /** Given before the commit, so one may show up behind greater ones. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('uuid') workspaceId!: string;
  /** Its place in the stream, given once it is there for all to see; null before. */
  @Column('bigint', { nullable: true }) number!: string | null;
  /** The job that it is of, or that what it is of belongs to. */
  @Index() @Column('uuid', { nullable: true }) jobId!: string | null;
  /** What it happened to: a job, a transcript, an export, a training, an import. */
  @Index() @Column('uuid') subjectId!: string;
  @Column('text') event!: string;
  /** Of a job what changes about it, else the resource as it was. */
  @Column('jsonb') data!: Record<string, unknown>;
  @Index() @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** Where the stream of a workspace ends. Whoever gives numbers, or takes events away, holds the row. */
@Entity('workspace_event_heads')
export class WorkspaceEventHeadEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  /** The last number that was given. */
  @Column('bigint', { default: 0 }) last!: string;
  /** Events up to this number are kept no more. */
  @Column('bigint', { default: 0 }) forgotten!: string;
}
