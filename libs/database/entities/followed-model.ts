import type { FollowedState } from '@adit/contracts';
import { Column, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A version in the bucket that is followed, as it was last looked at. Rows stay when it goes: its number means these bytes. */
@Entity('followed_models')
export class FollowedModelEntity {
  @PrimaryColumn('text') name!: string;
  @PrimaryColumn('integer') version!: number;
  @Column('text') state!: FollowedState;
  /** Of the names, sizes and tags of its files. */
  @Column('text') fingerprint!: string;
  /** That of the version in the store; null before it is to be published. */
  @Column('text', { nullable: true }) digest!: string | null;
  /** What is wrong with what lies there now. */
  @Column('text', { nullable: true }) problem!: string | null;
  /** How often looking at it began, since it last ended in whatever way: more than one when the process died of it. */
  @Column('integer', { default: 0 }) attempts!: number;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
}
