import type { CustomFields, Json, ModelManifest, ModelType } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/**
 * A model that jobs may name. Its metadata is in the model repository; this keeps its id and the time of its
 * discovery.
 */
@Entity('models')
export class ModelEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Workspace; null for a model of all workspaces, such as one installed as files. */
  @Index() @Column('uuid', { nullable: true }) workspaceId!: string | null;
  @Column('text') name!: string;
  @Column('text') type!: ModelType;
  /** Version in the store that its name alone means; null: the highest. */
  @Column('integer', { nullable: true }) defaultVersion!: number | null;
  /** Highest number of a version in the store; none is used twice. */
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

/** A version as first seen, or as stored; other files under the same number are another row. */
@Entity('model_versions')
export class ModelVersionEntity {
  @PrimaryColumn('uuid') modelId!: string;
  @PrimaryColumn('integer') versionNumber!: number;
  /** Digest in the pins of jobs. */
  @PrimaryColumn('text') digest!: string;
  @Column('text', { default: '' }) changelog!: string;
  /** Provenance of its training; null for one that was installed as files. */
  @Column('uuid', { nullable: true }) sourceDatasetId!: string | null;
  /** Files; null for a version in a folder, as are the next three. */
  @Column('jsonb', { nullable: true }) manifest!: ModelManifest | null;
  @Column('jsonb', { nullable: true }) files!: StoredModelFile[] | null;
  /** Prefix of the keys of its files. */
  @Column('text', { nullable: true }) objectPrefix!: string | null;
  /** Metrics reported by its maker. */
  @Column('jsonb', { nullable: true }) metrics!: Record<string, Json> | null;
  /** Time since when no new job may name it; its files stay until no job refers to it. */
  @Column('timestamptz', { nullable: true }) timeRetired!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** Changes of one workspace to a model that all workspaces see. */
@Entity('workspace_models')
export class WorkspaceModelEntity {
  @PrimaryColumn('uuid') workspaceId!: string;
  @PrimaryColumn('uuid') modelId!: string;
  /** Null: the model's own text. */
  @Column('text', { nullable: true }) description!: string | null;
  @Column('jsonb', { default: [] }) customFields!: CustomFields;
  /** `<number> <digest>` of the versions that existed when it was deleted here; another one brings the model back. */
  @Column('jsonb', { nullable: true }) deletedVersions!: string[] | null;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
}
