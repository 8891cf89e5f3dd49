import type { MediaFacts } from '@adit/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Media of one source of a dry run, or the reason why it cannot be mined. */
export interface ProbeResult {
  facts: MediaFacts | null;
  error: string | null;
}

/** Request of a dry run to a decoder, and its answer. It lives for seconds: the requester removes it. */
@Entity('probes')
export class ProbeEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text', { array: true }) sources!: string[];
  /** True when a decoder has taken it: one that crashes the process is not retried. */
  @Column('boolean', { default: false }) taken!: boolean;
  /** Answers in the order of the sources; null until they are known. */
  @Column('jsonb', { nullable: true }) results!: ProbeResult[] | null;
  /** True when a dependency is unavailable, or it took too long. */
  @Column('boolean', { default: false }) unavailable!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}
