import type { TaskState } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Generated, Index, PrimaryColumn } from 'typeorm';

/** Pictures on their way into a dataset: one process at a time, under a lease. */
@Entity('dataset_imports')
@Index(['datasetId', 'seq'])
@Index(['workspaceId'])
@Index(['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
@Index(['timeExpiration'])
export class DatasetImportEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('uuid') datasetId!: string;
  @Column('bigint') @Generated('increment') seq!: string;
  /** Behind `storage://`; null for a folder. */
  @Column('text', { nullable: true }) storageKey!: string | null;
  @Column('text', { nullable: true }) folder!: string | null;
  @Column('text', { default: 'waiting' }) state!: TaskState;
  @Column('text', { nullable: true }) errorMsg!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  /** Behind which file it goes on, in the words of what is read; written with what was imported. */
  @Column('text', { nullable: true }) cursor!: string | null;
  /** Where it was when its attempts were counted from. */
  @Column('text', { nullable: true }) countedFrom!: string | null;
  @Column('integer', { default: 0 }) files!: number;
  @Column('integer', { default: 0 }) images!: number;
  @Column('integer', { default: 0 }) classes!: number;
  @Column('integer', { default: 0 }) errors!: number;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeStarted!: Date | null;
  @Column('timestamptz', { nullable: true }) timeCompleted!: Date | null;
  @Column('timestamptz', { nullable: true }) timeExpiration!: Date | null;
}

/** A file that an import could not take. */
@Entity('dataset_import_errors')
export class DatasetImportErrorEntity {
  @PrimaryColumn('uuid') importId!: string;
  /** The how manieth error of the import. */
  @PrimaryColumn('integer') position!: number;
  @Column('text') file!: string;
  @Column('text') code!: string;
  @Column('text') message!: string;
}
