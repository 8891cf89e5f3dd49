import type { DiversityInfo, ExportStrategy, TaskState } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A node of the tree that groups a workspace's jobs. */
@Entity('batches')
@Index(['workspaceId', 'timeCreated'])
export class BatchEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Index() @Column('uuid', { nullable: true }) parentId!: string | null;
  @Column('text') name!: string;
  @Column('text', { default: '' }) description!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
  /** Gone for clients; its jobs are being aborted. */
  @Index({ where: 'time_deleted IS NOT NULL' }) @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
}

/** What is worked off behind the back of a request: one process at a time, under a lease, three attempts. */
abstract class TaskEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text', { default: 'waiting' }) state!: TaskState;
  @Column('text', { nullable: true }) errorMsg!: string | null;
  /** Attempts, counted before each. */
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** What is left to do when the modules of a job have ended: its files, and its end. Goes when that is done. */
@Entity('job_endings')
@Index(['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
export class JobEndingEntity extends TaskEntity {
  @Index({ unique: true }) @Column('uuid') jobId!: string;
}

@Entity('reports')
@Index(['workspaceId', 'timeCreated'])
@Index(['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
export class ReportEntity extends TaskEntity {
  @Column('uuid') batchId!: string;
  @Column('text') title!: string;
}

/** What a report says of one batch and all below it. */
@Entity('report_items')
export class ReportItemEntity {
  @PrimaryColumn('uuid') reportId!: string;
  /** From 0; a batch comes before those in it. */
  @PrimaryColumn('integer') position!: number;
  @Column('uuid') batchId!: string;
  @Column('jsonb') info!: DiversityInfo;
}

@Entity('exports')
@Index(['workspaceId', 'timeCreated'])
@Index(['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
export class ExportEntity extends TaskEntity {
  @Column('text') strategy!: ExportStrategy;
  @Column('jsonb') config!: Record<string, unknown>;
  /** The job whose results it holds: they go with the job. */
  @Index() @Column('uuid', { nullable: true }) jobId!: string | null;
  /** The transcript that it was made of: it goes with that. */
  @Index() @Column('uuid', { nullable: true }) transcriptId!: string | null;
  /** The dataset that it is made of: it goes with that. */
  @Index() @Column('uuid', { nullable: true }) datasetId!: string | null;
  /** Grows with each attempt, and when one that runs is to begin anew. */
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('double precision', { default: 0 }) progress!: number;
  @Column('timestamptz', { nullable: true }) timeCompleted!: Date | null;
}
