import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** Strangers of a workspace that jobs know again. Whoever changes what is in it holds its row. */
@Entity('index_collections')
@Index('index_collections_of_workspace', ['workspaceId', 'name'], { unique: true, where: 'time_deleted IS NULL' })
export class IndexCollectionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'index_collections_pkey' }) id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text') name!: string;
  @Column('text', { default: '' }) description!: string;
  @Column('text', { default: 'face' }) type!: 'face';
  /** The network that made the embeddings; null until the first face. */
  @Column('text', { nullable: true }) embeddingName!: string | null;
  @Column('text', { nullable: true }) embeddingDigest!: string | null;
  @Column('integer', { nullable: true }) dimensions!: number | null;
  /** Identities in it. */
  @Column('integer', { default: 0 }) size!: number;
  /** Of the last change; what changed carries its number. It goes on with the time, so that none comes again. */
  @Column('bigint', { default: 0 }) revision!: string;
  /** The revision at which something was last taken away: who knows an older one reads all anew. */
  @Column('bigint', { default: 0 }) shrunk!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { default: () => 'now()' }) timeUpdated!: Date;
  /** Nobody finds it any more; its identities go in steps. */
  @Index('index_collections_deleted', { where: 'time_deleted IS NOT NULL' })
  @Column('timestamptz', { nullable: true })
  timeDeleted!: Date | null;
}

/** Somebody whose name is not known, or was given later. */
@Entity('index_identities')
@Index('index_identities_in_order', ['collectionId', 'timeCreated', 'indexId'])
@Index('index_identities_changed', ['collectionId', 'revision'])
@Index('index_identities_labelled', ['collectionId', 'label'], { where: "label <> ''" })
export class IndexedIdentityEntity {
  /** Ten digits. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'index_identities_pkey' }) indexId!: string;
  @Column('uuid') collectionId!: string;
  @Index('index_identities_of_workspace') @Column('uuid') workspaceId!: string;
  /** Empty until one is given. */
  @Column('text', { default: '' }) label!: string;
  /** The identity that it belongs to since both were given one label. That one belongs to none itself. */
  @Index('index_identities_merged', { where: 'merged_into IS NOT NULL' })
  @Column('text', { nullable: true })
  mergedInto!: string | null;
  /**
   * Mean of its first appearances, of length 1. An array, which pgvector's types are made from: an index over the cast serves
   * the search where the server has the extension (vector-indexes.ts).
   */
  @Column('real', { array: true, select: false }) centroid?: number[];
  /** Appearances in the mean. */
  @Column('integer') members!: number;
  /** JPEG of the first appearance. In the row, so that it goes with it. */
  @Column('bytea', { nullable: true, select: false }) thumbnail?: Buffer | null;
  @Column('integer', { nullable: true }) thumbnailWidth!: number | null;
  @Column('integer', { nullable: true }) thumbnailHeight!: number | null;
  @Column('bigint') revision!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz', { default: () => 'now()' }) timeUpdated!: Date;
}
