import type { CustomFields, Json, ModelManifest, ModelType } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A model that jobs may name. What it is lies in the model repository; this keeps its id and since when it is known. */
@Entity('models')
export class ModelEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Null for one that every workspace sees, as what was installed as files. */
  @Index() @Column('uuid', { nullable: true }) workspaceId!: string | null;
  @Column('text') name!: string;
  @Column('text') type!: ModelType;
  /** The version in the store that its name alone means; null: the highest. */
  @Column('integer', { nullable: true }) defaultVersion!: number | null;
  /** The highest number that a version in the store has had; none is used twice. */
  @Column('integer', { default: 0 }) lastVersion!: number;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** A file of a stored version. */
export interface StoredModelFile {
  name: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

/** A version as it was first seen, or as it was stored; other files under the same number are another row. */
@Entity('model_versions')
export class ModelVersionEntity {
  @PrimaryColumn('uuid') modelId!: string;
  @PrimaryColumn('integer') versionNumber!: number;
  /** That of the pins of jobs. */
  @PrimaryColumn('text') digest!: string;
  @Column('text', { default: '' }) changelog!: string;
  /** What it was trained with; null for one that was installed as files. */
  @Column('uuid', { nullable: true }) sourceDatasetId!: string | null;
  /** Null for one that lies in a folder, as are the next three. */
  @Column('jsonb', { nullable: true }) manifest!: ModelManifest | null;
  @Column('jsonb', { nullable: true }) files!: StoredModelFile[] | null;
  /** What the keys of its files begin with. */
  @Column('text', { nullable: true }) objectPrefix!: string | null;
  /** What whoever made it measured. */
  @Column('jsonb', { nullable: true }) metrics!: Record<string, Json> | null;
  /** Since when no new job may name it; its files stay until no job refers to it. */
  @Column('timestamptz', { nullable: true }) timeRetired!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** What one workspace made of a model that all of them see. */
@Entity('workspace_models')
export class WorkspaceModelEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  @PrimaryColumn('uuid') modelId!: string;
  /** Null: what the model says of itself. */
  @Column('text', { nullable: true }) description!: string | null;
  @Column('jsonb', { default: [] }) customFields!: CustomFields;
  /** `<number> <digest>` of the versions there were when it was deleted here; another one brings the model back. */
  @Column('jsonb', { nullable: true }) deletedVersions!: string[] | null;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
}
