import type { CanarySighting, CanaryState } from '@adit/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Times of runs: how many lie in each class of `libs/model-store/latency.ts`, and their sum. */
export interface RunTimes {
  counts: number[];
  seconds: number;
}

/** What was counted while a version ran beside another. */
export interface CanaryCounts {
  /** Units by what came of them. */
  compared: number;
  skipped: number;
  failed: number;
  pictures: number;
  differing: number;
  /** By label: said by both, by the stable version alone, by the candidate alone. */
  labels: Record<string, [both: number, stable: number, candidate: number]>;
  /** Null before the first run. */
  stable: RunTimes | null;
  candidate: RunTimes | null;
}

/** A version of a model that looks at a share of the chunks beside the one that is used: the last that was tried. */
@Entity('model_canaries')
export class CanaryEntity {
  @PrimaryColumn('uuid') modelId!: string;
  /** Another one for each time that a version is tried. */
  @Column('uuid') id!: string;
  @Column('text') state!: CanaryState;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer') stableVersion!: number;
  /** As pins of jobs have it. */
  @Column('text') stableDigest!: string;
  /** Of the candidate. */
  @Column('integer') version!: number;
  @Column('text') digest!: string;
  /** Part of the units, 0..1. */
  @Column('double precision') share!: number;
  @Column('jsonb') counts!: CanaryCounts;
  @Column('text', { nullable: true }) lastError!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeEnded!: Date | null;
}

/** A candidate at work on one unit. One that is left over was at work when its process died. */
@Entity('canary_runs')
export class CanaryRunEntity {
  @PrimaryColumn('uuid') id!: string;
  @Index() @Column('uuid') canaryId!: string;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}

/** A picture of which the two versions said different things. It lies with the observations of its media, and goes with them. */
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
  /** Sum of the scores of what one alone saw. */
  @Column('double precision') difference!: number;
  @Column('jsonb') stable!: CanarySighting[];
  @Column('jsonb') candidate!: CanarySighting[];
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}
