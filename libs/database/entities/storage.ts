import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** requested: a decoder was asked for it · made · none: nothing can be shown of the file. */
type ThumbnailState = 'requested' | 'made' | 'none';

/** A file or folder of a workspace's storage tree. */
@Entity('storage_entries')
@Index(['workspaceId', 'folder', 'name'])
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
  /** Bytes; of an upload that is not over, those that are stored. */
  @Column('bigint', { nullable: true }) size!: string | null;
  @Column('text', { nullable: true }) contentType!: string | null;
  /** SHA-256 of the bytes; null for what was uploaded in parts. */
  @Column('text', { nullable: true }) digest!: string | null;
  @Column('boolean', { default: false }) uploaded!: boolean;
  @Column('boolean', { default: false }) uploadFailed!: boolean;
  /** Bytes announced for a resumable upload, which is stored in parts; null for what is one object. */
  @Column('bigint', { nullable: true }) uploadLength!: string | null;
  /** Whether it takes the place of the file that has its name. */
  @Column('boolean', { default: false }) replaces!: boolean;
  /** Whether it takes the next free name when its own is taken by then. */
  @Column('boolean', { default: false }) renames!: boolean;
  /** When its upload last showed a sign of life. */
  @Column('timestamptz', { default: () => 'now()' }) timeTouched!: Date;
  @Column('timestamptz', { nullable: true }) timeUploaded!: Date | null;
  /** Null until somebody asks for it. */
  @Column('text', { nullable: true }) thumbnail!: ThumbnailState | null;
  /** Why there is none. */
  @Column('text', { nullable: true }) thumbnailError!: string | null;
  /** Attempts to make it, counted before each. */
  @Column('integer', { default: 0 }) thumbnailAttempts!: number;
  /** Until when the one who was asked is believed to be at it. */
  @Column('timestamptz', { nullable: true }) thumbnailLeaseUntil!: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** A stretch of a file that was uploaded in parts: each is an object of its own. */
@Entity('storage_parts')
export class StoragePartEntity {
  @PrimaryColumn('integer') entryId!: number;
  /** Byte of the file that it begins with. */
  @PrimaryColumn('bigint') start!: string;
  /** Bytes. */
  @Column('bigint') size!: string;
  /** Last segment of its object key. */
  @Column('text') name!: string;
}

/** Objects of files that are gone, until they are removed from the object store too. */
@Entity('storage_removals')
export class StorageRemovalEntity {
  /** Key of the file's object; what begins with it and a slash goes too. */
  @PrimaryColumn('text') objectKey!: string;
}
