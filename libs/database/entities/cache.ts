import type { FrameInterval, MediaFacts } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** What the probe found, so that known media is not probed again. */
@Entity('media')
export class MediaEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  /** SHA-256 of the bytes. */
  @PrimaryColumn('text') digest!: string;
  @Column('jsonb') facts!: MediaFacts;
  /** The chunk grid of a film; null for images. */
  @Column('jsonb', { nullable: true }) grid!: FrameInterval[] | null;
  /** Object key of the encoded frame index; null for images. */
  @Column('text', { nullable: true }) indexKey!: string | null;
  @Index() @Column('timestamptz') timeExpires!: Date;
}

/** Observations of one unit by one analysis: asking again costs a look-up. */
@Entity('observations')
export class ObservationEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  @PrimaryColumn('text') mediaDigest!: string;
  /** `image`, or the exact frame interval. */
  @PrimaryColumn('text') interval!: string;
  @PrimaryColumn('text') analysisDigest!: string;
  @Column('text') objectKey!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Index() @Column('timestamptz') timeExpires!: Date;
}
