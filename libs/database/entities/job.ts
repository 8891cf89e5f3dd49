import type {
  AudioSpec,
  Conform,
  DictionaryPin,
  FrameSpec,
  JobState,
  JobWebhook,
  MediaFacts,
  MediaKind,
  MediaType,
  ModelPin,
  ProcessingRange,
  StoredSummary,
  StoredExtent,
  UnitOutcome,
} from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('jobs')
@Index(['workspaceId', 'timeCreated'])
@Index(['workspaceId', 'tag'])
@Index(['batchId', 'timeCreated'], { where: 'batch_id IS NOT NULL' })
@Index(['workspaceId', 'rank', 'timeCreated'], { where: "state = 'waiting' AND NOT admitted AND time_deleted IS NULL" })
@Index('jobs_ended', ['workspaceId', 'timeCompleted'], { where: 'time_completed IS NOT NULL AND time_deleted IS NULL' })
@Index('jobs_recorded', ['workspaceId', 'timeCompleted'], {
  where: 'recorded AND time_completed IS NOT NULL AND time_deleted IS NULL',
})
@Index(['state'], { where: "state IN ('waiting', 'processing')" })
@Index('jobs_admitted', ['workspaceId'], {
  where: "admitted AND state IN ('waiting', 'processing') AND time_deleted IS NULL",
})
@Index('jobs_of_exports', ['exportId'], { where: 'export_id IS NOT NULL AND time_deleted IS NULL' })
export class JobEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text') tag!: string;
  /** Batch of the job. */
  @Column('uuid', { nullable: true }) batchId!: string | null;
  @Column('text') state!: JobState;
  @Column('jsonb', { default: [] }) errors!: string[];
  /** 0 to 9 as posted. */
  @Column('integer') priority!: number;
  /** 9 − priority: the scheduler takes the lowest first. */
  @Column('integer') rank!: number;
  @Column('text') mediaType!: MediaType;
  /** Addresses for earlier builds; the current ones are in job_sources. Removed once no such build is left. */
  @Column('jsonb', { name: 'sources', default: [], select: false }) sourcesOfEarlierBuilds?: string[];
  @Column('jsonb', { nullable: true }) webhook!: JobWebhook | null;
  /** Seconds until the job is deleted, as posted. */
  @Column('integer', { nullable: true }) ttl!: number | null;
  @Index() @Column('timestamptz', { nullable: true }) timeExpires!: Date | null;
  /** Admitted by the scheduler: its first source was requested. */
  @Column('boolean', { default: false }) admitted!: boolean;
  @Column('double precision', { default: 0 }) progress!: number;
  /** Dense sequence number of the next segment. */
  @Column('integer', { default: 0 }) segmentCount!: number;
  /** Summary, as large as the job has sources: read only where it is shown. */
  @Column('jsonb', { default: [], select: false }) summary?: StoredSummary[];
  @Column('text', { nullable: true }) traceparent!: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeStarted!: Date | null;
  @Column('timestamptz', { nullable: true }) timeCompleted!: Date | null;
  /** When a client asked to stop a live stream, whose last chunks are still folded. */
  @Column('timestamptz', { nullable: true }) timeStopAsked!: Date | null;
  /** Programme of its transport streams that is mined alone; null: the whole files. */
  @Column('integer', { nullable: true }) program!: number | null;
  /** Its live stream is recorded. */
  @Column('boolean', { default: false }) recorded!: boolean;
  /** Seconds of its live stream after which the next job goes on with it; null: never. */
  @Column('integer', { nullable: true }) rotateSeconds!: number | null;
  /** Jobs of the same stream before and after it. They may have been deleted. */
  @Column('uuid', { nullable: true }) previousPart!: string | null;
  @Column('uuid', { nullable: true }) nextPart!: string | null;
  /** Master that its source is a proxy of; null where nothing was said of it. */
  @Column('jsonb', { nullable: true }) conform!: Conform | null;
  /** Id of the key that posted it; null from earlier builds. */
  @Column('text', { nullable: true }) keyId!: string | null;
  /** Export for which it looks around borders of segments: nobody but that finds it. Null for jobs of clients. */
  @Column('uuid', { nullable: true }) exportId!: string | null;
  /** A tombstone: work still in flight for it is dropped; the row is swept 48 h later. */
  @Index() @Column('timestamptz', { nullable: true }) timeDeleted!: Date | null;
}

/** One module of a job, with its arguments and the models pinned when it was posted. */
@Entity('job_modules')
@Index(['jobId'], { where: 'dictionaries IS NOT NULL' })
export class JobModuleEntity {
  @PrimaryColumn('uuid') jobId!: string;
  @PrimaryColumn('text') moduleId!: string;
  @Column('integer') position!: number;
  /** Id as posted: an alias stays an alias in replies and events. */
  @Column('text') postedAs!: string;
  /** Arguments with defaults filled in. */
  @Column('jsonb') args!: Record<string, unknown>;
  @Column('jsonb', { nullable: true }) range!: ProcessingRange | null;
  @Column('jsonb') models!: ModelPin[];
  /** Kinds of source that it takes; null from builds whose modules all took images and video. */
  @Column('jsonb', { nullable: true }) media!: MediaKind[] | null;
  /** Dictionaries that its arguments name, as they were when it was posted; null when they name none. */
  @Column('jsonb', { nullable: true }) dictionaries!: DictionaryPin[] | null;
  /** Digests of the analyses it folds, by analysis name. */
  @Column('jsonb') analyses!: Record<string, string>;
  @Column('text') state!: JobState;
  @Column('text', { nullable: true }) error!: string | null;
  @Column('double precision', { default: 0 }) progress!: number;
  @Column('integer', { default: 0 }) segmentCount!: number;
}

/** One distinct analysis of a job: several modules may need it. */
@Entity('job_analyses')
export class JobAnalysisEntity {
  @PrimaryColumn('uuid') jobId!: string;
  /** Covers models, frame specs, version and arguments. */
  @PrimaryColumn('text') digest!: string;
  @Column('text') analysis!: string;
  @Column('text') family!: string;
  @Column('jsonb') args!: Record<string, unknown>;
  /** Frame specs; empty for an analysis without frames. */
  @Column('jsonb') frames!: FrameSpec[];
  /** Audio parameters; null for an analysis without sound. */
  @Column('jsonb', { nullable: true }) audio!: AudioSpec[] | null;
  @Column('jsonb') models!: ModelPin[];
}

export type SourceState = 'waiting' | 'requested' | 'planned' | 'failed';

@Entity('job_sources')
@Index(['mediaDigest'], { where: 'media_digest IS NOT NULL' })
// Index of stored files by their keys: the scheme of an address may have any case.
@Index('job_sources_of_file', { synchronize: false })
@Index('job_sources_requested', ['jobId'], { where: "state = 'requested'" })
@Index('job_sources_waiting', ['jobId', 'index'], { where: "state = 'waiting'" })
export class JobSourceEntity {
  @PrimaryColumn('uuid') jobId!: string;
  @PrimaryColumn('integer') index!: number;
  @Column('text') uri!: string;
  /** Name of an uploaded file when the job was posted; null for other sources and earlier builds. */
  @Column('text', { nullable: true }) name!: string | null;
  @Column('text') state!: SourceState;
  @Column('text', { nullable: true }) error!: string | null;
  @Column('text', { nullable: true }) mediaDigest!: string | null;
  @Column('jsonb', { nullable: true }) facts!: MediaFacts | null;
  /** Attempts to open it, counted before each. */
  @Column('integer', { default: 0 }) attempts!: number;
  /**
   * Fencing token of the last attempt: grows with each, and is never decremented as `attempts` is. Older builds leave
   * it as it is.
   */
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  /** Expiry of a running attempt's lease; past or null while none runs. */
  @Column('timestamptz', { nullable: true }) runningUntil!: Date | null;
  /** End time of its job when its results were erased: nothing of that end is left. */
  @Column('timestamptz', { nullable: true, select: false }) erasedEnd?: Date | null;
}

/**
 * drafted: its plan may be incomplete · planned: not yet requested · requested: holds a slot, being decoded ·
 * decoded: being analysed · done.
 */
export type ChunkState = 'drafted' | 'planned' | 'requested' | 'decoded' | 'done';

/** Packs of one unit's frames or sound: object key by the spec's name. */
export type PackKeys = Record<string, string>;

@Entity('chunks')
@Index(['jobId', 'sourceStart', 'position'], { unique: true })
@Index(['state', 'leaseUntil'])
@Index('chunks_in_flight', ['jobId'], { where: "state IN ('requested', 'decoded')" })
@Index('chunks_planned', ['jobId', 'sourceStart', 'position'], { where: "state = 'planned'" })
export class ChunkEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') jobId!: string;
  /** Position within its source. */
  @Column('integer') position!: number;
  /** Sources that it covers: one film, or a run of images; `sourceEnd` exclusive. */
  @Column('integer') sourceStart!: number;
  @Column('integer') sourceEnd!: number;
  /** Extent, written by `storedExtent`; `extentOf` and the SQL of CHUNK_KIND read it. */
  @Column('jsonb', { nullable: true }) interval!: StoredExtent;
  @Column('text') state!: ChunkState;
  /** Attempts to decode it, counted before each. */
  @Column('integer', { default: 0 }) attempts!: number;
  /**
   * Fencing token of the last attempt: grows with each, and is never decremented as `attempts` is. Older builds leave
   * it as it is.
   */
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  /** Expiry of a running attempt's lease; past or null while none runs. */
  @Column('timestamptz', { nullable: true }) runningUntil!: Date | null;
  /** Pack keys by source index; null before decoding and after the last analysis has read them. */
  @Column('jsonb', { nullable: true }) packs!: Record<string, PackKeys> | null;
  /** Modules for which the length of its media is counted (`usage_days`). */
  @Column('text', { array: true, default: [] }) mediaCounted!: string[];
}

export type ChunkAnalysisState = 'waiting' | 'requested' | 'done' | 'failed';

/** One analysis of one chunk: the unit of retry. */
@Entity('chunk_analyses')
@Index('waiting_analyses', ['leaseUntil'], {
  where: "state = 'requested' AND attempts = 0 AND running_until IS NULL",
})
export class ChunkAnalysisEntity {
  @PrimaryColumn('uuid') chunkId!: string;
  @PrimaryColumn('text') digest!: string;
  @Index() @Column('uuid') jobId!: string;
  @Column('text') state!: ChunkAnalysisState;
  /** Attempts, counted before each, so that a crash of native code counts too. */
  @Column('integer', { default: 0 }) attempts!: number;
  /**
   * Fencing token of the last attempt: grows with each, and is never decremented as `attempts` is. Older builds leave
   * it as it is.
   */
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Index() @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  /** Expiry of a running attempt's lease; past or null while none runs. */
  @Column('timestamptz', { nullable: true }) runningUntil!: Date | null;
  /** Share of its units that the running attempt has analysed, below 1; older builds leave it as it is. */
  @Column('real', { default: 0 }) progress!: number;
  @Column('jsonb', { nullable: true }) units!: UnitOutcome[] | null;
  @Column('text', { nullable: true }) error!: string | null;
  /** Time since when no process that was given it could do it, during a rolling upgrade. */
  @Column('timestamptz', { nullable: true }) putOffSince!: Date | null;
}

/** A fold in progress: one per module and film, or one per module over all images (`sourceIndex` −1). */
@Entity('folds')
export class FoldEntity {
  @PrimaryColumn('uuid') jobId!: string;
  @PrimaryColumn('text') moduleId!: string;
  @PrimaryColumn('integer') sourceIndex!: number;
  /** Ids of its chunks in order; NO_LIST for a live stream. */
  @Column('jsonb') chunkIds!: string[];
  @Column('integer', { default: 0 }) nextChunk!: number;
  /** State with the module's name and version; null before the first chunk. */
  @Column('text', { nullable: true }) state!: string | null;
  @Column('boolean', { default: false }) closed!: boolean;
  /** Position of the next chunk of a live stream, whose fold has no list of chunks; null for other sources. */
  @Column('integer', { nullable: true }) nextLive!: number | null;
  /** Segments of a live stream that were announced to the job's webhook and have not ended; null for none. */
  @Column('jsonb', { nullable: true }) announced!: AnnouncedSegment[] | null;
}

/** Says nothing about what is shown. */
export interface AnnouncedSegment {
  id: string;
  /** First frame and second. */
  frame: number | null;
  time: number;
}

/**
 * The list of chunks of a live stream's fold. A build that knows only lists waits for this chunk for ever, and so
 * leaves the fold to those that know the stream.
 */
export const NO_LIST: readonly string[] = ['00000000-0000-0000-0000-000000000000'];
