import type { Detection, PersonShown, PictureRef } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A segment. `seq` and `moduleSeq` are dense, so that any page is one index range. */
@Entity('segments')
@Index(['jobId', 'moduleId', 'moduleSeq'], { unique: true })
export class SegmentEntity {
  @PrimaryColumn('uuid') jobId!: string;
  @PrimaryColumn('integer') seq!: number;
  @Column('text') moduleId!: string;
  @Column('integer') moduleSeq!: number;
  @Column('integer') sourceIndex!: number;
  @Column('integer', { nullable: true }) frameStart!: number | null;
  @Column('integer', { nullable: true }) frameEnd!: number | null;
  @Column('double precision') timeStart!: number;
  @Column('double precision') timeEnd!: number;
  @Column('text') type!: string;
  @Column('text') label!: string;
  @Column('double precision') confidence!: number;
  @Column('jsonb') meta!: Record<string, unknown>;
  @Column('jsonb') detections!: Detection[];
  @Column('jsonb', { nullable: true }) thumbnail!: PictureRef | null;
  @Column('jsonb', { nullable: true }) keyFrame!: { frame: number; picture: PictureRef } | null;
  /** Face to enrol in the dataset that its module names; `filed` once that is done or impossible. */
  @Column('jsonb', { nullable: true }) teaches!: { label: string; picture: PictureRef; filed?: boolean } | null;
  /** Identity of its claim: number within the collection. */
  @Column('text', { nullable: true }) identityCollection!: string | null;
  @Column('integer', { nullable: true }) identityNumber!: number | null;
  /** Identity of an index collection, as found then; it may be merged or removed since. */
  @Index('segments_of_index_id', { where: 'index_id IS NOT NULL' })
  @Column('text', { nullable: true })
  indexId!: string | null;
}

/** A group that no gallery names: "Unknown #3" of a job. */
@Entity('identities')
export class IdentityEntity {
  @PrimaryColumn('uuid') jobId!: string;
  @PrimaryColumn('text') collection!: string;
  @PrimaryColumn('integer') number!: number;
  /** Running mean of its members, little-endian float32, L2-normalised. */
  @Column('bytea') centroid!: Buffer;
  @Column('integer') members!: number;
  /** Maximum distance of a claim to it; null where an earlier build wrote it. */
  @Column('double precision', { nullable: true }) maxDistance!: number | null;
}

@Entity('summaries')
export class SummaryEntity {
  @PrimaryColumn('uuid') jobId!: string;
  @PrimaryColumn('integer') seq!: number;
  @Column('uuid') id!: string;
  @Column('text') moduleId!: string;
  @Column('integer') sourceIndex!: number;
  @Column('text') type!: string;
  @Column('jsonb') meta!: Record<string, number>;
  /**
   * Intervals in which each person is shown, for the summary of a film; clients do not see it. Up to 200 kB a film,
   * so that it is read only on request.
   */
  @Column('jsonb', { nullable: true, select: false }) people?: PersonShown[] | null;
}

@Entity('artifacts')
export class ArtifactEntity {
  @PrimaryColumn('uuid') id!: string;
  @Index() @Column('uuid', { nullable: true }) jobId!: string | null;
  /** Either a job or an export has made it. */
  @Index() @Column('uuid', { nullable: true }) exportId!: string | null;
  @Column('text') filename!: string;
  @Column('text', { nullable: true }) mimeType!: string | null;
  @Column('text') objectKey!: string;
  /** Bytes. */
  @Column('bigint') size!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Index() @Column('timestamptz') timeExpiration!: Date;
}

/** A client-visible event of a job, kept for resumable streams. */
@Entity('job_events')
@Index(['jobId', 'id'])
export class JobEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('uuid') jobId!: string;
  @Column('text') event!: string;
  @Column('jsonb') data!: Record<string, unknown>;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}
