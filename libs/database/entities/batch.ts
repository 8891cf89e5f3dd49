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
  /** Deleted for clients; its jobs are being aborted. */
  @Index({ where: 'time_deleted IS NOT NULL' }) @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
}

/** Columns of a background task: one process at a time, under a lease, three attempts. */
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

/** Task that ends a job whose modules have ended: its files, and its end. Removed when that is done. */
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

/** Report of one batch and all below it. */
@Entity('report_items')
export class ReportItemEntity {
  @PrimaryColumn('uuid') reportId!: string;
  /** From 0; parents come first. */
  @PrimaryColumn('integer') position!: number;
  @Column('uuid') batchId!: string;
  @Column('jsonb') info!: DiversityInfo;
}

/** Frames of a film, both inclusive, that a job looks at for an export. */
export interface BorderLook {
  /** Id of that job. */
  id: string;
  /** Index of the film in the exported job. */
  source: number;
  module: string;
  from: number;
  to: number;
}

@Entity('exports')
@Index(['workspaceId', 'timeCreated'])
@Index(['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
// An inverted index: TypeORM cannot declare it.
@Index('exports_found_in', { synchronize: false })
export class ExportEntity extends TaskEntity {
  @Column('text') strategy!: ExportStrategy;
  @Column('jsonb') config!: Record<string, unknown>;
  /** Job whose results it holds: they are removed with the job. */
  @Index() @Column('uuid', { nullable: true }) jobId!: string | null;
  /** Transcript that it was made of, and is removed with. */
  @Index() @Column('uuid', { nullable: true }) transcriptId!: string | null;
  /** Dataset that it is made of, and is removed with. */
  @Index() @Column('uuid', { nullable: true }) datasetId!: string | null;
  /**
   * Jobs, and variants of transcripts, of which it holds what a search found: it is removed with each of them. Null until it was
   * searched, and for other exports.
   */
  @Column('uuid', { array: true, nullable: true }) foundIn!: string[] | null;
  /** Where jobs look for true borders of its segments; null before that is known, and for other exports. */
  @Column('jsonb', { nullable: true, select: false }) looks?: BorderLook[] | null;
  /** Grows with each attempt, and when a running one has to begin anew. */
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('double precision', { default: 0 }) progress!: number;
  /** What could not be done as it was asked for. */
  @Column('jsonb', { default: [] }) notes!: string[];
  @Column('timestamptz', { nullable: true }) timeCompleted!: Date | null;
}
