import type { RetentionKind } from '@adit/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Retention of the installation, as the settings of the sweeping process have it: others read it here. */
@Entity('retention_defaults')
export class RetentionDefaultEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'retention_defaults_pkey' }) kind!: RetentionKind;
  /** Null: no limit. */
  @Column('bigint', { nullable: true }) seconds!: string | null;
}

/** Changed retention of rows that carry their expiry: the sweeper computes it anew in steps. Removed when that is done. */
@Entity('retention_changes')
export class RetentionChangeEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'retention_changes_pkey' }) workspaceId!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'retention_changes_pkey' }) kind!: RetentionKind;
  /** Grows with each change, which begins anew. */
  @Column('integer', { default: 1 }) revision!: number;
  /** Position of the last step; null before the first. */
  @Column('jsonb', { nullable: true }) position!: string[] | null;
  @Column('timestamptz', { default: () => 'now()' }) timeChanged!: Date;
}
