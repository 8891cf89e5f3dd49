import type { TaskState } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Generated, Index, PrimaryColumn } from 'typeorm';

/** Import of pictures into a dataset: one process at a time, under a lease. */
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
  /** Key in `storage://`; null for a folder. */
  @Column('text', { nullable: true }) storageKey!: string | null;
  @Column('text', { nullable: true }) folder!: string | null;
  @Column('text', { default: 'waiting' }) state!: TaskState;
  @Column('text', { nullable: true }) errorMsg!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  /** Position to continue from, a file in terms of its reader; written with the imported images. */
  @Column('text', { nullable: true }) cursor!: string | null;
  /** Position at which its attempts were last counted from. */
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

/** A file that an import refused. */
@Entity('dataset_import_errors')
export class DatasetImportErrorEntity {
  @PrimaryColumn('uuid') importId!: string;
  /** Number of the error within the import. */
  @PrimaryColumn('integer') position!: number;
  @Column('text') file!: string;
  @Column('text') code!: string;
  @Column('text') message!: string;
}
