import type { AudioInterval, FrameInterval, Maker, MediaFacts } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** Result of the probe, so that known media is not probed again. */
@Entity('media')
@Index('media_of_file', ['workspaceId', 'partOf'], { where: 'part_of IS NOT NULL' })
export class MediaEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  /** SHA-256 of the bytes. */
  @PrimaryColumn('text') digest!: string;
  /** Digest of the file that it is one programme of; null for a whole file. */
  @Column('text', { nullable: true }) partOf!: string | null;
  @Column('jsonb') facts!: MediaFacts;
  /** The chunk grid of a film; null for images. */
  @Column('jsonb', { nullable: true }) grid!: FrameInterval[] | null;
  /** Cuts of its sound by the AUDIO_DECODER_VERSION `decoder`; null until an analysis has requested them. */
  @Column('jsonb', { nullable: true }) audioGrid!: { decoder: number; intervals: AudioInterval[] } | null;
  /** Object key of the encoded frame index; null for images. */
  @Column('text', { nullable: true }) indexKey!: string | null;
  @Index() @Column('timestamptz') timeExpires!: Date;
  /** Retention in seconds that `timeExpires` was computed with; null from builds that knew only the installation's. */
  @Column('bigint', { nullable: true }) lifetime!: string | null;
  /** Folder of its objects: a new one each time it becomes known again, so that no key is used twice. */
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
  /** Analysing services of the observations at `of`: earlier builds replace the observations without changing it. */
  @Column('jsonb', { nullable: true }) maker!: (Maker & { of: string }) | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Index() @Column('timestamptz') timeExpires!: Date;
  /** Retention in seconds that `timeExpires` was computed with; null from builds that knew only the installation's. */
  @Column('bigint', { nullable: true }) lifetime!: string | null;
}

/** Objects to remove from the object store: recorded with the deletion of their rows, processed later. */
@Entity('object_removals')
export class ObjectRemovalEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  /** A key, or with a slash at its end a prefix. */
  @Column('text') prefix!: string;
  /** Repeat the removal after a while, for objects that work in flight still wrote. */
  @Column('boolean', { default: false }) again!: boolean;
  @Index() @Column('timestamptz') timeDue!: Date;
}

/** Erasure of a deleted job: recorded by its deletion, done in steps later. */
@Entity('job_erasures')
export class JobErasureEntity {
  @PrimaryColumn('uuid') jobId!: string;
  /** The job's own row may be removed before its erasure is complete. */
  @Index() @Column('uuid') workspaceId!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}
