import type { TranscriptWord } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** What was said in one source of a job. It goes with the job, so each of its tables names that. */
@Entity('transcripts')
@Index(['workspaceId', 'timeCreated'])
export class TranscriptEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Index() @Column('uuid') jobId!: string;
  @Column('text') tag!: string;
  @Column('text') source!: string;
  /**
   * What its variants hold, as of the last time that one was written or deleted. Null: no process has summed them up. What a build
   * writes that does not know the column is in the next sum.
   */
  @Column('bigint', { nullable: true }) bytes!: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
  /** Gone for clients; what it consists of is being removed. */
  @Index({ where: 'time_deleted IS NOT NULL' }) @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
}

/** Its text in one language. Whoever writes versions holds the lock on this row. */
@Entity('transcript_variants')
@Index(['transcriptId', 'timeCreated'])
export class TranscriptVariantEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') transcriptId!: string;
  @Index() @Column('uuid') jobId!: string;
  @Column('text') name!: string;
  @Column('text', { nullable: true }) language!: string | null;
  /** The newest version there is, and the newest there ever was: a number is not given twice. */
  @Column('integer') latestVersion!: number;
  @Column('integer') lastNumber!: number;
  /**
   * What the paragraphs of all its versions hold. Null until they are counted: it was made by a build that does not know the
   * column. What such a build writes or forgets beside this one is left out: the bound is off by that much from then on.
   */
  @Column('bigint', { nullable: true }) bytes!: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
  /** Gone for clients; what it consists of is being removed. */
  @Index({ where: 'time_deleted IS NOT NULL' }) @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
}

@Entity('transcript_versions')
export class TranscriptVersionEntity {
  @PrimaryColumn('uuid') variantId!: string;
  /** From 1. */
  @PrimaryColumn('integer') version!: number;
  @Index({ unique: true }) @Column('uuid') id!: string;
  @Index() @Column('uuid') jobId!: string;
  /** How many it has. */
  @Column('integer') paragraphs!: number;
  /** The version that it brought back. */
  @Column('integer', { nullable: true }) restored!: number | null;
  /** Name of the key that made it. */
  @Column('text') author!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/**
 * A paragraph as it is from one version to another. An edit ends a row and begins one: what is not edited is written once,
 * however many versions there are.
 */
@Entity('transcript_paragraphs')
@Index(['variantId', 'position'])
@Index(['variantId', 'toVersion'])
export class TranscriptParagraphEntity {
  @PrimaryColumn('uuid') variantId!: string;
  @PrimaryColumn('uuid') id!: string;
  /** The first version that has it. */
  @PrimaryColumn('integer') fromVersion!: number;
  /** The first that does not; null while the newest does. */
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
