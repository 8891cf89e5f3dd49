import type { DictionaryLanguage, DictionaryType } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A list or map of labels. What its file says is a version; jobs pin one. */
@Entity('dictionaries')
export class DictionaryEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Null for those that come with Adit, which everybody reads and nobody changes. */
  @Index() @Column('uuid', { nullable: true }) workspaceId!: string | null;
  @Column('text') name!: string;
  @Column('text') type!: DictionaryType;
  @Column('text') language!: DictionaryLanguage;
  /** Uploaded with `auto`, and nobody has looked yet which language it is. */
  @Index({ where: 'detecting' }) @Column('boolean', { default: false }) detecting!: boolean;
  /** The current one, from 1. */
  @Column('integer') version!: number;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** The file of a dictionary at one time; kept while a job refers to it, even after the dictionary has gone. */
@Entity('dictionary_versions')
export class DictionaryVersionEntity {
  @PrimaryColumn('uuid') dictionaryId!: string;
  @PrimaryColumn('integer') version!: number;
  /** SHA-256 of the file. */
  @Column('text') digest!: string;
  /** Bytes. */
  @Column('integer') size!: number;
  @Column('text') objectKey!: string;
  /** When another version took its place, or the dictionary was deleted. */
  @Index() @Column('timestamptz', { nullable: true }) timeRetired!: Date | null;
}
