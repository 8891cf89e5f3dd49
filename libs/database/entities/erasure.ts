import type { ErasureSubject } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * Phases of an erasure: pictures and observations of the subject, its class, then the recorded objects. An erasure of
 * a file is one phase, which older builds leave alone, since they know fewer derivatives of files.
 */
export type ErasurePhase = 'traces' | 'class' | 'objects' | 'file';

/** Erasure of a person or a file, and its receipt. */
@Entity('erasures')
@Index('erasures_of_workspace', ['workspaceId', 'timeCreated'])
@Index('erasures_to_do', ['timeCreated'], { where: 'time_completed IS NULL' })
export class ErasureEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'erasures_pkey' }) id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('jsonb') subject!: ErasureSubject;
  @Column('text', { default: 'traces' }) phase!: ErasurePhase;
  @Column('jsonb', { default: {} }) counts!: Record<string, number>;
  /** Rows of object_removals: it is complete when they are gone. */
  @Column('jsonb', { default: [] }) removals!: string[];
  @Column('text') actorKind!: 'api-key' | 'access-key' | 'member';
  @Column('text') actorId!: string;
  @Column('text') actorName!: string;
  @Column('text') requestId!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeCompleted!: Date | null;
}
