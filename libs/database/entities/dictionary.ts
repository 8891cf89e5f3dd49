import type { DictionaryLanguage, DictionaryType } from '@adit/contracts';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A list or map of labels. Each uploaded file is a version; jobs pin one. */
@Entity('dictionaries')
export class DictionaryEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Workspace; null for built-in ones, which all workspaces read and none changes. */
  @Index() @Column('uuid', { nullable: true }) workspaceId!: string | null;
  @Column('text') name!: string;
  @Column('text') type!: DictionaryType;
  @Column('text') language!: DictionaryLanguage;
  /** Uploaded with `auto`, and its language is not detected yet. */
  @Index({ where: 'detecting' }) @Column('boolean', { default: false }) detecting!: boolean;
  /** The current one, from 1. */
  @Column('integer') version!: number;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** A version of a dictionary's file; kept while a job refers to it, even after the dictionary was deleted. */
@Entity('dictionary_versions')
export class DictionaryVersionEntity {
  @PrimaryColumn('uuid') dictionaryId!: string;
  @PrimaryColumn('integer') version!: number;
  /** SHA-256 of the file. */
  @Column('text') digest!: string;
  /** Bytes. */
  @Column('integer') size!: number;
  @Column('text') objectKey!: string;
  /** Time when another version replaced it, or the dictionary was deleted. */
  @Index() @Column('timestamptz', { nullable: true }) timeRetired!: Date | null;
}
