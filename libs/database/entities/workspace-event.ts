import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** Event of a workspace, kept for a while for readers of its whole stream. */
@Entity('workspace_events')
@Index(['workspaceId', 'number'])
@Index(['workspaceId', 'id'], { where: 'number IS NULL' })
export class WorkspaceEventEntity {
  /** Assigned before the commit, so one may appear after greater ones. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('uuid') workspaceId!: string;
  /** Position in the stream, assigned once it is visible to all; null before. */
  @Column('bigint', { nullable: true }) number!: string | null;
  /** Job of the event or of its subject. */
  @Index() @Column('uuid', { nullable: true }) jobId!: string | null;
  /** Id of the subject: a job, a transcript, an export, a training, an import. */
  @Index() @Column('uuid') subjectId!: string;
  @Column('text') event!: string;
  /** Variable fields of a job, else the resource as it was. */
  @Column('jsonb') data!: Record<string, unknown>;
  @Index() @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** End of the stream of a workspace. Its row is locked to assign numbers, or to remove events. */
@Entity('workspace_event_heads')
export class WorkspaceEventHeadEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  /** Last number assigned. */
  @Column('bigint', { default: 0 }) last!: string;
  /** Events up to this number are removed. */
  @Column('bigint', { default: 0 }) forgotten!: string;
}
