import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** An index of unknown faces of a workspace, which jobs recognise again. Changes lock its row. */
@Entity('index_collections')
@Index('index_collections_of_workspace', ['workspaceId', 'name'], { unique: true, where: 'time_deleted IS NULL' })
export class IndexCollectionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'index_collections_pkey' }) id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text') name!: string;
  @Column('text', { default: '' }) description!: string;
  @Column('text', { default: 'face' }) type!: 'face';
  /** Network of the embeddings; null until the first face. */
  @Column('text', { nullable: true }) embeddingName!: string | null;
  @Column('text', { nullable: true }) embeddingDigest!: string | null;
  @Column('integer', { nullable: true }) dimensions!: number | null;
  /** Number of its identities. */
  @Column('integer', { default: 0 }) size!: number;
  /** Revision of the last change; changed rows carry its number. It grows with the clock, so that none is reused. */
  @Column('bigint', { default: 0 }) revision!: string;
  /** Revision of the last removal: a reader with an older one reloads everything. */
  @Column('bigint', { default: 0 }) shrunk!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { default: () => 'now()' }) timeUpdated!: Date;
  /** Deleted for clients; its identities are removed in steps. */
  @Index('index_collections_deleted', { where: 'time_deleted IS NOT NULL' })
  @Column('timestamptz', { nullable: true })
  timeDeleted!: Date | null;
}

/** A person whose name is unknown, or was given later. */
@Entity('index_identities')
@Index('index_identities_in_order', ['collectionId', 'timeCreated', 'indexId'])
@Index('index_identities_changed', ['collectionId', 'revision'])
@Index('index_identities_labelled', ['collectionId', 'label'], { where: "label <> ''" })
export class IndexedIdentityEntity {
  /** Ten digits. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'index_identities_pkey' }) indexId!: string;
  @Column('uuid') collectionId!: string;
  @Index('index_identities_of_workspace') @Column('uuid') workspaceId!: string;
  /** Name; empty until one is given. */
  @Column('text', { default: '' }) label!: string;
  /** Identity into which it was merged when both got one label. That one is merged into none itself. */
  @Index('index_identities_merged', { where: 'merged_into IS NOT NULL' })
  @Column('text', { nullable: true })
  mergedInto!: string | null;
  /**
   * Mean of its first appearances, of length 1. An array, which pgvector's types are made from: an index over the
   * cast serves the search where the server has the extension (vector-indexes.ts).
   */
  @Column('real', { array: true, select: false }) centroid?: number[];
  /** Number of appearances in the mean. */
  @Column('integer') members!: number;
  /** JPEG of the first appearance, in the row so that it is removed with it. */
  @Column('bytea', { nullable: true, select: false }) thumbnail?: Buffer | null;
  @Column('integer', { nullable: true }) thumbnailWidth!: number | null;
  @Column('integer', { nullable: true }) thumbnailHeight!: number | null;
  @Column('bigint') revision!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { default: () => 'now()' }) timeUpdated!: Date;
}
