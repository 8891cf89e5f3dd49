import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** requested: a decoder was asked for it · made · none: the file has no thumbnail. */
type ThumbnailState = 'requested' | 'made' | 'none';

/** A file or folder of a workspace's storage tree. */
@Entity('storage_entries')
@Index(['workspaceId', 'folder', 'name'])
@Index('storage_entries_uploaded', ['workspaceId', 'timeUploaded'], { where: 'uploaded AND NOT is_folder' })
@Index(['timeTouched'], { where: 'NOT uploaded AND NOT upload_failed' })
export class StorageEntryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' }) id!: number;
  @Column('uuid') workspaceId!: string;
  /** The parent folder's path, `/` for the root; null for the root itself. */
  @Column('text') folder!: string;
  /** File name; for a folder its full path. */
  @Column('text') name!: string;
  @Column('boolean') isFolder!: boolean;
  /** 20 URL-safe characters behind `storage://`; null for folders. */
  @Index({ unique: true }) @Column('text', { nullable: true }) key!: string | null;
  /** Bytes; of an incomplete upload, those that are stored. */
  @Column('bigint', { nullable: true }) size!: string | null;
  @Column('text', { nullable: true }) contentType!: string | null;
  /** SHA-256 of the bytes; null for files uploaded in parts. */
  @Column('text', { nullable: true }) digest!: string | null;
  @Column('boolean', { default: false }) uploaded!: boolean;
  @Column('boolean', { default: false }) uploadFailed!: boolean;
  /** Bytes announced for a resumable upload, which is stored in parts; null for a single object. */
  @Column('bigint', { nullable: true }) uploadLength!: string | null;
  /** True when it replaces the file that has its name. */
  @Column('boolean', { default: false }) replaces!: boolean;
  /** True when it takes the next free name if its own is taken by then. */
  @Column('boolean', { default: false }) renames!: boolean;
  /** Time of the upload's last activity. */
  @Column('timestamptz', { default: () => 'now()' }) timeTouched!: Date;
  @Column('timestamptz', { nullable: true }) timeUploaded!: Date | null;
  /** State of the thumbnail; null until it is requested. */
  @Column('text', { nullable: true }) thumbnail!: ThumbnailState | null;
  /** Reason why there is none. */
  @Column('text', { nullable: true }) thumbnailError!: string | null;
  /** Attempts to make it, counted before each. */
  @Column('integer', { default: 0 }) thumbnailAttempts!: number;
  /** Expiry of the lease of the decoder that makes it. */
  @Column('timestamptz', { nullable: true }) thumbnailLeaseUntil!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** Part of a file that was uploaded in parts: each is an object of its own. */
@Entity('storage_parts')
export class StoragePartEntity {
  @PrimaryColumn('integer') entryId!: number;
  /** First byte within the file. */
  @PrimaryColumn('bigint') start!: string;
  /** Bytes. */
  @Column('bigint') size!: string;
  /** Last segment of its object key. */
  @Column('text') name!: string;
}

/** Objects of deleted files, until they are removed from the object store too. */
@Entity('storage_removals')
export class StorageRemovalEntity {
  /** Key of the file's object; keys that begin with it and a slash are removed too. */
  @PrimaryColumn('text') objectKey!: string;
}
