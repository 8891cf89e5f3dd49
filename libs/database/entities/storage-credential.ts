import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** What opens a bucket of others, for the jobs of a workspace. */
@Entity('storage_credentials')
@Index('storage_credentials_of_bucket', ['workspaceId', 'bucket'], { unique: true })
export class StorageCredentialEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text') bucket!: string;
  @Column('text') endpoint!: string;
  @Column('text') region!: string;
  @Column('text') accessKey!: string;
  /** Encrypted. */
  @Column('text') secretKey!: string;
  @Column('boolean') pathStyle!: boolean;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}
