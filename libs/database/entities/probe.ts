import type { MediaFacts } from '@adit/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What one source of a dry run is, or why it cannot be mined. */
export interface ProbeResult {
  facts: MediaFacts | null;
  error: string | null;
}

/** A dry run's question to a decoder, and its answer. It lives for seconds: whoever asked removes it. */
@Entity('probes')
export class ProbeEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text', { array: true }) sources!: string[];
  /** Whether a decoder took it: one that dies of it is not asked again. */
  @Column('boolean', { default: false }) taken!: boolean;
  /** In the order of the sources; null until they are known. */
  @Column('jsonb', { nullable: true }) results!: ProbeResult[] | null;
  /** Whether something that was needed is away, or it took too long. */
  @Column('boolean', { default: false }) unavailable!: boolean;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}
