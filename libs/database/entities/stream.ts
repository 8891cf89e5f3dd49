import type { TaskState } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A live source of a job: one recorder reads it at a time, under a lease. */
@Entity('streams')
@Index(['jobId'])
@Index(['workspaceId'])
@Index(['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
export class StreamEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') jobId!: string;
  @Column('integer') sourceIndex!: number;
  @Column('uuid') workspaceId!: string;
  @Column('text', { default: 'waiting' }) state!: TaskState;
  /** Whole address, encrypted; null where the address of the source, as shown, hides nothing. */
  @Column('text', { nullable: true }) address!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  /** Wall clock of stream time 0; null before the first picture. */
  @Column('timestamptz', { nullable: true }) zeroAt!: Date | null;
  /** Frames in the chunks written so far: the number of the next one. */
  @Column('bigint', { default: 0 }) frames!: string;
  /** Stream time in microseconds up to which chunks are written. */
  @Column('bigint', { default: 0 }) lastUs!: string;
  /** The same of its sound, which is cut elsewhere. */
  @Column('bigint', { default: 0 }) soundUs!: string;
  /** Position of the next chunk. */
  @Column('integer', { default: 0 }) nextPosition!: number;
  /** `lastUs` from which `attempts` counts: one that got further restarts them. */
  @Column('bigint', { default: 0 }) countedFromUs!: string;
  /** Its recorder shuts down, and reads on until another has taken over. */
  @Column('boolean', { default: false }) handingOver!: boolean;
  /** Time until which one recorder may try to take over from the one that shuts down. */
  @Column('timestamptz', { nullable: true }) successorUntil!: Date | null;
  /** Seconds of it that are kept as a recording; null: it is not recorded. */
  @Column('integer', { nullable: true }) recordSeconds!: number | null;
  /** Secret that addresses of its recording are signed with; null where it is not recorded. */
  @Column('text', { nullable: true }) recordSecret!: string | null;
  /** Number of the next segment of its recording. */
  @Column('integer', { default: 0 }) recordNext!: number;
  /** Discontinuities of its recording so far. */
  @Column('integer', { default: 0 }) recordBreaks!: number;
}

/** A time of a live stream of which nothing arrived. */
@Entity('stream_gaps')
@Index(['jobId', 'seq'])
export class StreamGapEntity {
  @PrimaryColumn('uuid') streamId!: string;
  /** Number within the stream, from 1. */
  @PrimaryColumn('integer') seq!: number;
  @Column('uuid') jobId!: string;
  /** Stream time in microseconds. */
  @Column('bigint') fromUs!: string;
  @Column('bigint') toUs!: string;
  /** The same by wall clock; null where the stream had no picture yet. */
  @Column('timestamptz', { nullable: true }) timeFrom!: Date | null;
  @Column('timestamptz', { nullable: true }) timeTo!: Date | null;
  /** Reason in words for clients. */
  @Column('text') reason!: string;
}

/** A segment of the recording of a live stream. */
@Entity('recording_segments')
@Index(['workspaceId'])
export class RecordingSegmentEntity {
  @PrimaryColumn('uuid') jobId!: string;
  /** Number within the recording, from 0; never used again. */
  @PrimaryColumn('integer') seq!: number;
  @Column('uuid') workspaceId!: string;
  /** Stream time of its first picture in microseconds. */
  @Column('bigint') fromUs!: string;
  @Column('integer') durationUs!: number;
  /** Wall clock of its first picture. */
  @Column('timestamptz') timeStart!: Date;
  @Column('integer') bytes!: number;
  /** It does not go on from the one before. */
  @Column('boolean') discontinuity!: boolean;
  /** Discontinuities up to it, its own included. */
  @Column('integer') breaks!: number;
  /** Digest of the header that it is played with. */
  @Column('text') header!: string;
  @Column('text') objectKey!: string;
}

/** A header of segments of a recording: one for each set of parameters that its stream had. */
@Entity('recording_headers')
export class RecordingHeaderEntity {
  @PrimaryColumn('uuid') jobId!: string;
  @PrimaryColumn('text') digest!: string;
  /** The `ftyp` and `moov` of a fragmented MP4. */
  @Column('bytea') bytes!: Buffer;
}
