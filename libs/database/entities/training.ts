import type { Dataset, DatasetType, TaskState, TrainingConfig, TrainingReport } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Generated, Index, PrimaryColumn } from 'typeorm';

/** Training of a model version: one process at a time, under a lease, three attempts. */
@Entity('trainings')
@Index(['workspaceId', 'seq'])
@Index(['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
export class TrainingEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('bigint') @Generated('increment') seq!: string;
  @Column('uuid') datasetId!: string;
  @Column('text') type!: DatasetType;
  /** Dataset as it was when the training was posted. */
  @Column('jsonb') dataset!: Dataset;
  @Column('text') modelName!: string;
  @Column('text', { default: '' }) modelDescription!: string;
  @Column('text', { default: '' }) modelChangelog!: string;
  @Column('jsonb') config!: TrainingConfig;
  @Column('text', { default: 'waiting' }) state!: TaskState;
  @Column('text', { nullable: true }) errorMsg!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @Column('double precision', { default: 0 }) progress!: number;
  /** Model and number of the version; null until it is completed. */
  @Column('uuid', { nullable: true }) modelId!: string | null;
  @Column('integer', { nullable: true }) modelVersion!: number | null;
  @Column('jsonb', { nullable: true }) report!: TrainingReport | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeStarted!: Date | null;
  @Column('timestamptz', { nullable: true }) timeCompleted!: Date | null;
}
