import type { CustomFields, ModelType } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A model that jobs may name. What it is lies in the model repository; this keeps its id and since when it is known. */
@Entity('models')
export class ModelEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Null for one that was installed as files, which every workspace sees. */
  @Index() @Column('uuid', { nullable: true }) workspaceId!: string | null;
  @Column('text') name!: string;
  @Column('text') type!: ModelType;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** A version as it was first seen; other files under the same number are another row. */
@Entity('model_versions')
export class ModelVersionEntity {
  @PrimaryColumn('uuid') modelId!: string;
  @PrimaryColumn('integer') versionNumber!: number;
  /** That of the pins of jobs. */
  @PrimaryColumn('text') digest!: string;
  @Column('text', { default: '' }) changelog!: string;
  /** What it was trained with; null for one that was installed as files. */
  @Column('uuid', { nullable: true }) sourceDatasetId!: string | null;
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
