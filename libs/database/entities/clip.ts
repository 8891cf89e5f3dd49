import type { ErrorCode, TaskState } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a clip shows, and how it is cut. */
export interface ClipCut {
  /** Index of the source in its job. */
  source: number;
  /** Digest of the source's file; null of a live stream, whose recording is cut. */
  mediaDigest: string | null;
  /** First and last frame, inclusive; null where times tell more. */
  frames: { first: number; last: number } | null;
  /** Seconds from the start of the source. */
  timeStart: number;
  timeEnd: number;
  /** Seconds more on both sides. */
  handles: number;
  exact: boolean;
}

/** A clip that somebody asked for: a task of decoders, then a file that is kept for a while. */
@Entity('clips')
@Index('clips_of_job', ['jobId', 'digest'], { unique: true })
@Index('clips_of_workspace', ['workspaceId'])
@Index('clips_open', ['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
@Index('clips_expiring', ['timeExpires'], { where: "state IN ('completed', 'failed')" })
export class ClipEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('uuid') jobId!: string;
  /** Digest of `cut`: who asks for the same gets the same file. */
  @Column('text') digest!: string;
  @Column('jsonb') cut!: ClipCut;
  @Column('text', { default: 'waiting' }) state!: TaskState;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  /** When it is deleted, and cut anew if it is asked for again; null until it has ended. */
  @Column('timestamptz', { nullable: true }) timeExpires!: Date | null;
  /** Its file; null before it is there. */
  @Column('text', { nullable: true }) objectKey!: string | null;
  @Column('text', { nullable: true }) mimeType!: string | null;
  /** Bytes. */
  @Column('bigint', { nullable: true }) size!: string | null;
  /** Why there is none. */
  @Column('text', { nullable: true }) errorCode!: ErrorCode | null;
  @Column('text', { nullable: true }) errorMsg!: string | null;
}
