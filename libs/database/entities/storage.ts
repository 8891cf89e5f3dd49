import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A file or folder of a workspace's storage tree. */
@Entity('storage_entries')
@Index(['workspaceId', 'folder', 'name'])
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
  /** Bytes. */
  @Column('bigint', { nullable: true }) size!: string | null;
  @Column('text', { nullable: true }) contentType!: string | null;
  /** SHA-256 of the bytes. */
  @Column('text', { nullable: true }) digest!: string | null;
  @Column('boolean', { default: false }) uploaded!: boolean;
  @Column('boolean', { default: false }) uploadFailed!: boolean;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}
