import type { TranscriptWord } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** Transcript of one source of a job. It is removed with the job, so each of its tables names that. */
@Entity('transcripts')
@Index(['workspaceId', 'timeCreated'])
export class TranscriptEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Index() @Column('uuid') jobId!: string;
  @Column('text') tag!: string;
  @Column('text') source!: string;
  /**
   * Bytes of its variants, as of the last write or deletion of one. Null: not computed yet. Writes of a build that
   * does not know the column are in the next computation.
   */
  @Column('bigint', { nullable: true }) bytes!: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
  /** Deleted for clients; its rows are being removed. */
  @Index({ where: 'time_deleted IS NOT NULL' }) @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
}

/** Its text in one language. Writers of versions lock this row. */
@Entity('transcript_variants')
@Index(['transcriptId', 'timeCreated'])
export class TranscriptVariantEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') transcriptId!: string;
  @Index() @Column('uuid') jobId!: string;
  @Column('text') name!: string;
  @Column('text', { nullable: true }) language!: string | null;
  /** Newest version, and the highest number ever used: a number is not reused. */
  @Column('integer') latestVersion!: number;
  @Column('integer') lastNumber!: number;
  /**
   * Bytes of the paragraphs of all its versions. Null until they are counted: a build that does not know the column
   * made it. Changes of such a build are not counted, so the figure is off by that much from then on.
   */
  @Column('bigint', { nullable: true }) bytes!: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
  /** Deleted for clients; its rows are being removed. */
  @Index({ where: 'time_deleted IS NOT NULL' }) @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
}

@Entity('transcript_versions')
export class TranscriptVersionEntity {
  @PrimaryColumn('uuid') variantId!: string;
  /** From 1. */
  @PrimaryColumn('integer') version!: number;
  @Index({ unique: true }) @Column('uuid') id!: string;
  @Index() @Column('uuid') jobId!: string;
  /** Number of its paragraphs. */
  @Column('integer') paragraphs!: number;
  /** Version that it restored. */
  @Column('integer', { nullable: true }) restored!: number | null;
  /** Name of the key that made it. */
  @Column('text') author!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/**
 * A paragraph as it is from one version to another. An edit ends a row and begins one: unchanged paragraphs are
 * stored once, however many versions there are.
 */
@Entity('transcript_paragraphs')
@Index(['variantId', 'position'])
@Index(['variantId', 'toVersion'])
export class TranscriptParagraphEntity {
  @PrimaryColumn('uuid') variantId!: string;
  @PrimaryColumn('uuid') id!: string;
  /** First version with it. */
  @PrimaryColumn('integer') fromVersion!: number;
  /** First version without it; null while the newest has it. */
  @Column('integer', { nullable: true }) toVersion!: number | null;
  @Index() @Column('uuid') jobId!: string;
  /** Orders the paragraphs of a version; between two there is always another number. */
  @Column('numeric') position!: string;
  @Column('text') text!: string;
  @Column('text', { nullable: true }) speaker!: string | null;
  /** Seconds from the start of the source. */
  @Column('double precision') timeStart!: number;
  @Column('double precision') timeEnd!: number;
  @Column('jsonb') words!: TranscriptWord[];
}
