import type { AudioInterval, FrameInterval, Maker, MediaFacts } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** What the probe found, so that known media is not probed again. */
@Entity('media')
export class MediaEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  /** SHA-256 of the bytes. */
  @PrimaryColumn('text') digest!: string;
  @Column('jsonb') facts!: MediaFacts;
  /** The chunk grid of a film; null for images. */
  @Column('jsonb', { nullable: true }) grid!: FrameInterval[] | null;
  /** Where the AUDIO_DECODER_VERSION `decoder` cuts its sound; null until an analysis has asked for it. */
  @Column('jsonb', { nullable: true }) audioGrid!: { decoder: number; intervals: AudioInterval[] } | null;
  /** Object key of the encoded frame index; null for images. */
  @Column('text', { nullable: true }) indexKey!: string | null;
  @Index() @Column('timestamptz') timeExpires!: Date;
  /** Folder of all that is kept of it: another one each time it becomes known again, so that no key is used twice. */
  @Column('text', { nullable: true }) generation!: string | null;
}

/** Observations of one unit by one analysis: asking again costs a look-up. */
@Entity('observations')
export class ObservationEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  @PrimaryColumn('text') mediaDigest!: string;
  /** `extentName` of the unit: `image`, or the exact interval. */
  @PrimaryColumn('text') interval!: string;
  @PrimaryColumn('text') analysisDigest!: string;
  @Column('text') objectKey!: string;
  /** Who made what lies at `of`: earlier builds put other observations in their place and leave this as it is. */
  @Column('jsonb', { nullable: true }) maker!: (Maker & { of: string }) | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Index() @Column('timestamptz') timeExpires!: Date;
}

/** What is to go from the object store: noted with the deletion of its rows, worked off after that. */
@Entity('object_removals')
export class ObjectRemovalEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  /** A key; when it ends with a slash, all keys that begin with it. */
  @Column('text') prefix!: string;
  /** Once more after a while, for what work in flight still wrote. */
  @Column('boolean', { default: false }) again!: boolean;
  @Index() @Column('timestamptz') timeDue!: Date;
}

/** What a deleted job left: noted by its deletion, erased in steps after that. */
@Entity('job_erasures')
export class JobErasureEntity {
  @PrimaryColumn('uuid') jobId!: string;
  /** The job's own row may go before its erasure is over. */
  @Index() @Column('uuid') workspaceId!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}
