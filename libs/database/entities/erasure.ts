import type { ErasureSubject } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * What is left to do: pictures and observations of where the subject was seen, its class, then the objects noted. Of a file all is
 * one phase, which builds leave alone that know less of what is made of files.
 */
export type ErasurePhase = 'traces' | 'class' | 'objects' | 'file';

/** A person or a file that is erased, and in the end the receipt of it. */
@Entity('erasures')
@Index('erasures_of_workspace', ['workspaceId', 'timeCreated'])
@Index('erasures_to_do', ['timeCreated'], { where: 'time_completed IS NULL' })
export class ErasureEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'erasures_pkey' }) id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('jsonb') subject!: ErasureSubject;
  @Column('text', { default: 'traces' }) phase!: ErasurePhase;
  @Column('jsonb', { default: {} }) counts!: Record<string, number>;
  /** Of object_removals: it is over when they have gone. */
  @Column('jsonb', { default: [] }) removals!: string[];
  @Column('text') actorKind!: 'api-key' | 'access-key';
  @Column('text') actorId!: string;
  @Column('text') actorName!: string;
  @Column('text') requestId!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { nullable: true }) timeCompleted!: Date | null;
}
