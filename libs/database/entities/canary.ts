import type { CanarySighting, CanaryState } from '@adit/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Histogram of run times: counts of each class of `libs/model-store/latency.ts`, and their sum. */
export interface RunTimes {
  counts: number[];
  seconds: number;
}

/** Counts while a version ran beside another. */
export interface CanaryCounts {
  /** Units by outcome. */
  compared: number;
  skipped: number;
  failed: number;
  pictures: number;
  differing: number;
  /** Counts by label: of both versions, of the stable one alone, of the candidate alone. */
  labels: Record<string, [both: number, stable: number, candidate: number]>;
  /** Null before the first run. */
  stable: RunTimes | null;
  candidate: RunTimes | null;
}

/** Canary: a version of a model that analyses a share of the chunks beside the current one. The last one is kept. */
@Entity('model_canaries')
export class CanaryEntity {
  @PrimaryColumn('uuid') modelId!: string;
  /** Changes each time that a version is tried. */
  @Column('uuid') id!: string;
  @Column('text') state!: CanaryState;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer') stableVersion!: number;
  /** Version in the pins of jobs. */
  @Column('text') stableDigest!: string;
  /** Digest of the candidate. */
  @Column('integer') version!: number;
  @Column('text') digest!: string;
  /** Share of the units, 0..1. */
  @Column('double precision') share!: number;
  @Column('jsonb') counts!: CanaryCounts;
  @Column('text', { nullable: true }) lastError!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeEnded!: Date | null;
}

/** A candidate's run on one unit. A remaining row means that its process died of it. */
@Entity('canary_runs')
export class CanaryRunEntity {
  @PrimaryColumn('uuid') id!: string;
  @Index() @Column('uuid') canaryId!: string;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}

/**
 * A picture with different results of the two versions. It lies with the observations of its media, and is removed
 * with them.
 */
@Entity('canary_pictures')
@Index(['canaryId', 'workspaceId'])
export class CanaryPictureEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') canaryId!: string;
  @Column('uuid') workspaceId!: string;
  @Index() @Column('uuid') jobId!: string;
  @Column('text') objectKey!: string;
  @Column('integer') frame!: number;
  @Column('double precision') time!: number;
  /** Sum of the scores of results of one version alone. */
  @Column('double precision') difference!: number;
  @Column('jsonb') stable!: CanarySighting[];
  @Column('jsonb') candidate!: CanarySighting[];
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}
