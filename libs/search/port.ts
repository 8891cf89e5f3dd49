import type { GeoBox, TimeRange } from '@adit/contracts';
import type { FindableText } from '@adit/module-kit';
import type { EntityManager } from 'typeorm';
import type { Query } from './query/query.js';

/** What is the same in all documents of a job. */
export interface IndexedJob {
  id: string;
  workspaceId: string;
  batchId: string | null;
  tag: string;
  timeCreated: Date;
  /** Round of its indexing. */
  round: number;
}

/** The result that a document stands for: a segment of its job, or a paragraph of a transcript since a version. */
export type DocumentKey =
  | { seq: number; paragraph: null }
  | { seq: null; paragraph: { variantId: string; id: string; fromVersion: number } };

/** What can be found of one result. */
export interface SearchDocument {
  key: DocumentKey;
  sourceIndex: number;
  moduleId: string;
  type: string;
  /** Seconds from the start of the source. */
  timeStart: number;
  timeEnd: number;
  /** Wall clock of its start in a live stream; of other sources when the job was made. */
  moment: Date;
  /** At least one. */
  texts: FindableText[];
  /** Degrees. */
  place: { latitude: number; longitude: number } | null;
}

/** Leaves out what does not have all of these. */
export interface SearchFilter {
  moduleIds?: readonly string[] | undefined;
  jobId?: string | undefined;
  batchId?: string | undefined;
  tag?: string | undefined;
  /** Code such as `de`. */
  language?: string | undefined;
  /** When jobs were made. */
  created?: TimeRange | undefined;
  /** Wall clock of moments. */
  moment?: TimeRange | undefined;
  box?: GeoBox | undefined;
}

/** The face of a photo: what is searched is seen where a face is like it. */
export interface AskedFace {
  /** Digest of the network of the embedding. */
  network: string;
  /** Of length 1. */
  embedding: readonly number[];
  /** Euclidean, 0..2: faces further away are those of others. */
  maxDistance: number;
}

export interface Question {
  workspaceId: string;
  /** Null: all that the filter leaves, the newest first. */
  query: Query | null;
  filter: SearchFilter;
  /** Null or left out: whoever is seen. */
  face?: AskedFace | null;
  /** Parts of words and misspelt words count, where the driver can find them. */
  fuzzy: boolean;
  /**
   * Null: one result has all that is asked. Seconds: each operand of the outermost AND may be found in another result of
   * the same source, at most so long before or after it; so may the face of a photo.
   */
  together: number | null;
}

export interface FoundDocument {
  key: DocumentKey;
  jobId: string;
  sourceIndex: number;
  moduleId: string;
  type: string;
  timeStart: number;
  language: string | null;
  /** False: only parts of words, or words like those that were asked for. */
  isExact: boolean;
  /** Of its face from that of the photo, 0..2; null without either. */
  distance: number | null;
  /** Where it is in the order, for `after`. */
  place: string;
}

/** A page of what was found. */
export interface FoundPage {
  documents: FoundDocument[];
  /** False: parts of words and misspelt words were not all looked for, as that took too long or there are too many. */
  isComplete: boolean;
}

/** A document that answers a question, by their places in the lists. */
export interface MatchedDocument {
  question: number;
  document: number;
  isExact: boolean;
}

/** Questions that are asked of documents of one job. */
export interface Matching {
  documents: readonly SearchDocument[];
  questions: readonly Question[];
  /** Codes of the languages of all that is indexed of the job. */
  languages: readonly string[];
}

export interface Matches {
  /** By question, then by document. */
  found: MatchedDocument[];
  /** Places of questions that took too long: what they would have found is not known. */
  tooLong: number[];
}

export interface Count {
  total: number;
  /** False: there are more, or may be. */
  isExact: boolean;
  /** As that of a page. */
  isComplete: boolean;
}

/** Number of results by value, the most frequent first. */
export type Facets = Record<(typeof FACETS)[number], { value: string; count: number }[]>;
export const FACETS = ['module', 'type', 'language', 'tag', 'batch_id', 'job_id'] as const;

/** Results that are counted, and looked at for facets, at the most. */
export const MOST_COUNTED = 10_000;
/** The same where things are looked for together: each result costs a look at what is beside it. */
export const MOST_COUNTED_TOGETHER = 1_000;
/** Faces like that of a photo that are looked at, the nearest ones. */
export const MOST_FACES = 1_000;
/** Values of a facet. */
export const MOST_VALUES = 20;

/**
 * An index of what jobs found. Changes are made in the transaction that reads what they are made of; a driver that keeps
 * documents elsewhere has to make them visible before it commits.
 */
export interface SearchIndex {
  /** Replaces the documents of these segments (`to` is exclusive), and those of the documents' own keys. */
  replace(
    manager: EntityManager,
    job: IndexedJob,
    documents: readonly SearchDocument[],
    segments?: { from: number; to: number },
  ): Promise<void>;
  /** Whether the documents are those of the job's segments below this number and of its newest paragraphs, and no others. */
  isComplete(manager: EntityManager, job: IndexedJob, from: number): Promise<boolean>;
  /** Removes at most `limit` documents of segments from this number on; returns how many. */
  removeSegments(manager: EntityManager, jobId: string, from: number, limit: number): Promise<number>;
  /** Newest paragraphs of the job's transcripts that this round has not indexed as they are, at most `limit`. */
  paragraphsToIndex(manager: EntityManager, job: IndexedJob, limit: number): Promise<DocumentKey[]>;
  /** Removes at most `limit` documents of paragraphs that are no longer those of a newest version; returns how many. */
  removeParagraphs(manager: EntityManager, jobId: string, limit: number): Promise<number>;
  /**
   * A page: exact before others, then those with the fewest words, then the newest; without a query the newest alone. With a
   * photo the nearest faces come first instead of the shortest texts. The order of two results never changes while they are
   * indexed. Throws VALIDATION for a place of another list, CONFLICT for a photo where faces cannot be compared.
   */
  find(question: Question, page: { after: string | null; limit: number }): Promise<FoundPage>;
  /** Counts up to MOST_COUNTED, or MOST_COUNTED_TOGETHER. */
  count(question: Question): Promise<Count>;
  /** Of the first MOST_COUNTED results in no particular order. */
  facets(question: Question): Promise<Facets>;
  /**
   * Which of these documents answer each of the questions, as `find` would find them, at a cost that does not grow with the
   * index. What is beside them, for `together`, is looked for among the documents that are indexed. A question that takes long
   * does not keep the others from being answered.
   */
  match(manager: EntityManager, job: IndexedJob, matching: Matching): Promise<Matches>;
  /** Whether parts of words and misspelt words can be found. */
  isFuzzy(): Promise<boolean>;
  /** For each word the stems that the index knows it by, in this language; an empty list without stems. */
  stems(language: string | null, words: readonly string[]): Promise<string[][]>;
}
