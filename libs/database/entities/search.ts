import type { SearchQuestion } from '@adit/contracts';
import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';

/**
 * What can be found of one segment, or of one paragraph of a transcript. Only what is searched is kept: answers are read
 * from the results themselves.
 */
@Entity('search_documents')
@Index('search_documents_of_segment', ['jobId', 'seq'])
@Index('search_documents_in_time', ['jobId', 'sourceIndex', 'timeStart'])
@Index('search_documents_of_paragraph', ['variantId', 'paragraphId'], { where: 'variant_id IS NOT NULL' })
@Index('search_documents_of_workspace', ['workspaceId', 'moment'])
@Index('search_documents_in_place', ['workspaceId', 'latitude'], { where: 'latitude IS NOT NULL' })
// The order of results with its directions, an expression, and an inverted index: TypeORM cannot declare them.
@Index('search_documents_in_order', { synchronize: false })
@Index('search_documents_by_duration', { synchronize: false })
@Index('search_documents_words', { synchronize: false })
export class SearchDocumentEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'search_documents_pkey' })
  id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('uuid') jobId!: string;
  @Column('integer') sourceIndex!: number;
  /** Number of the segment in its job; null for a paragraph. */
  @Column('integer', { nullable: true }) seq!: number | null;
  @Column('uuid', { nullable: true }) variantId!: string | null;
  @Column('uuid', { nullable: true }) paragraphId!: string | null;
  /** Version that the paragraph is as it is since. */
  @Column('integer', { nullable: true }) fromVersion!: number | null;
  /** Round of its job's indexing that wrote it. */
  @Column('integer') round!: number;
  @Column('text') moduleId!: string;
  @Column('text') type!: string;
  /** Field of its text: what, said, written or where; who where there are names alone. */
  @Column('text') field!: string;
  @Column('text', { nullable: true }) language!: string | null;
  /** Seconds from the start of the source. */
  @Column('double precision') timeStart!: number;
  @Column('double precision') timeEnd!: number;
  /** Wall clock of its start in a live stream; of other sources when the job was made. */
  @Column('timestamptz') moment!: Date;
  /** When its job was made. */
  @Column('timestamptz') timeCreated!: Date;
  @Column('uuid', { nullable: true }) batchId!: string | null;
  @Column('text') tag!: string;
  /** Degrees. */
  @Column('double precision', { nullable: true }) latitude!: number | null;
  @Column('double precision', { nullable: true }) longitude!: number | null;
  /** Number of words. */
  @Column('integer') length!: number;
  /** Words as they are written, and their stems; the weight says the field (libs/search/postgres/words.ts). */
  @Column('tsvector', { select: false }) words?: string;
  /** Of earlier builds. */
  @Column('text', { nullable: true, select: false }) names?: string | null;
  /** Of earlier builds. */
  @Column('text', { nullable: true, select: false }) folded?: string | null;
}

/**
 * Embedding of the face of a segment, which searches by a photo compare. Kept for workspaces that ask for it alone, and for
 * no longer than they say: it goes with its segment, too.
 */
@Entity('search_faces')
@Index('search_faces_of_segment', ['jobId', 'seq'])
@Index('search_faces_of_workspace', ['workspaceId', 'timeCreated'])
export class SearchFaceEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'search_faces_pkey' })
  id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('uuid') jobId!: string;
  /** Number of the segment in its job. */
  @Column('integer') seq!: number;
  /** Digest of the network that it is of: those of two networks are not comparable. */
  @Column('text') network!: string;
  /** Of length 1. An array, which pgvector's types are made from (vector-indexes.ts). */
  @Column('real', { array: true, select: false }) embedding?: number[];
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
}

/** A word that documents of a workspace have, in small letters without accents: misspelt words are looked for among these. */
@Entity('search_words')
// An inverted index over its trigrams is made where the server can (text-indexes.ts).
@Index('search_words_trigrams', { synchronize: false })
@Index('search_words_seen', ['seen'])
export class SearchWordEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'search_words_pkey' }) workspaceId!: string;
  /** who, what, said, written or where. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'search_words_pkey' }) field!: string;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'search_words_pkey' }) word!: string;
  /** Day on which a document with it was written, or found to be there, last. */
  @Column('date') seen!: string;
}

/** What is left to index of a job, and how far that is. A task of the aggregator while it is open. */
@Entity('search_feed')
@Index('search_feed_of_workspace', ['workspaceId'])
@Index('search_feed_open', ['workspaceId', 'timeCreated'], { where: "state IN ('waiting', 'processing')" })
@Index('search_feed_of_version', ['version'], { where: "state = 'done'" })
@Index('search_feed_failed', ['leaseUntil'], { where: "state = 'failed'" })
@Index('search_feed_languages', ['workspaceId'], { where: "languages <> '{}'" })
export class SearchFeedEntity {
  /** Id of the job. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'search_feed_pkey' }) id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text', { default: 'waiting' }) state!: 'waiting' | 'processing' | 'done' | 'failed';
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('integer', { default: 0 }) fencingToken!: number;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  /** When the oldest change was noted that is not indexed. */
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  /** Number of noted changes, and how many of them are indexed. */
  @Column('integer', { default: 1 }) changes!: number;
  @Column('integer', { default: 0 }) indexed!: number;
  /** Segments below this number are indexed. */
  @Column('integer', { default: 0 }) nextSeq!: number;
  /** Segments below this number were matched against saved searches, once and for all. */
  @Column('integer', { default: 0 }) matchedSeq!: number;
  /** Grows when everything of the job is to be indexed again. */
  @Column('integer', { default: 0 }) round!: number;
  /** Form of the index that the job is in as a whole; 0 before the first time, and after a rebuild was asked for. */
  @Column('integer', { default: 0 }) version!: number;
  /** Number of its segments and its end when it was indexed last, and when that was. */
  @Column('integer', { default: 0 }) segments!: number;
  @Column('timestamptz', { nullable: true }) jobEnd!: Date | null;
  @Column('timestamptz', { nullable: true }) timeIndexed!: Date | null;
  /** Languages of its documents that have stems. */
  @Column('text', { array: true, default: [] }) languages!: string[];
  /** Why the last attempt failed. */
  @Column('text', { nullable: true }) errorMsg!: string | null;
}

/** A question that a workspace keeps, to be told of new results. */
@Entity('saved_searches')
export class SavedSearchEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'saved_searches_pkey' }) id!: string;
  @Index('saved_searches_of_workspace') @Column('uuid') workspaceId!: string;
  @Column('text') name!: string;
  /** The fields of the question as the client wrote them. */
  @Column('jsonb') question!: SearchQuestion;
  /** Whether new results raise an event. */
  @Column('boolean') alert!: boolean;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) timeUpdated!: Date;
}
