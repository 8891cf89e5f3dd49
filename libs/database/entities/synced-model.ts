import type { FollowedState } from '@adit/contracts';
import { Column, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/**
 * A version in the synced models bucket, as it was checked last. Rows stay when it is removed: its number stands for
 * these bytes.
 */
@Entity('followed_models')
export class SyncedModelEntity {
  @PrimaryColumn('text') name!: string;
  @PrimaryColumn('integer') version!: number;
  @Column('text') state!: FollowedState;
  /** Hash of the names, sizes and tags of its files. */
  @Column('text') fingerprint!: string;
  /** Digest of the version in the store; null before it is published. */
  @Column('text', { nullable: true }) digest!: string | null;
  /** Reason why the current files are refused. */
  @Column('text', { nullable: true }) problem!: string | null;
  /** Checks begun since the last one that ended: more than one when the process died of it. */
  @Column('integer', { default: 0 }) attempts!: number;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
}
