import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What analyses took on one day in UTC, for one module of jobs that one key has posted. */
@Entity('usage_days')
@Index('usage_days_by_day', ['day'])
export class UsageDayEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'usage_days_pkey' }) workspaceId!: string;
  @PrimaryColumn('date', { primaryKeyConstraintName: 'usage_days_pkey' }) day!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'usage_days_pkey' }) moduleId!: string;
  /** Id of the key that posted the jobs; empty where it is not known. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'usage_days_pkey' }) keyId!: string;
  /** Length of the analysed media. */
  @Column('double precision') mediaSeconds!: number;
  /** Wall time of analyses. */
  @Column('double precision') chunkSeconds!: number;
  /** Runs of models. */
  @Column('double precision') cpuSeconds!: number;
  @Column('double precision') gpuSeconds!: number;
}
