import pLimit from 'p-limit';
import { hasTrigrams, inTransaction, placeIn } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';
import {
  MOST_COUNTED,
  MOST_COUNTED_TOGETHER,
  type Count,
  type DocumentKey,
  type Facets,
  type FoundPage,
  type IndexedJob,
  type Matches,
  type Matching,
  type Question,
  type SearchDocument,
  type SearchIndex,
} from '../port.js';
import { questionSeconds } from '../metrics.js';
import { SEARCH_VERSION } from '../version.js';
import { Conditions, configurationsOf, similarWords, type MatchKind } from './conditions.js';
import { isComplete, paragraphsToIndex, removeParagraphs, removeSegments, replaceDocuments } from './documents.js';
import { countedFacets } from './facets.js';
import { matchDocuments } from './matching.js';
import { nearestFaces, type NearestFaces } from './nearest-faces.js';
import { foundPart, orderOf } from './pages.js';
import { limitStatements, within } from './time-limit.js';
import { alikeWords, AlikeWords } from './vocabulary.js';
import { configurationOf } from './words.js';

/** Questions at a time, and milliseconds that a statement of one may take. */
const [MOST_QUESTIONS, MOST_MS] = [4, 10_000];
/** Milliseconds that parts of words and misspelt words are looked for, before an answer does without them. */
const FUZZY_MS = 150;
/** How long what is known of the server and of a workspace's languages is used. */
const KNOWN_MS = 30_000;
/** The same of a workspace that has no languages yet: the first one is missed for no longer. */
const UNKNOWN_MS = 2_000;
const WORKSPACES_KNOWN = 1_000;
/** Share of the trigrams of a word that another one has at the least to be like it. */
const LIKENESS = '0.5';

/**
 * Documents in rows of the database itself: words and stems in a tsvector with an inverted index, parts of words and
 * misspelt words by the trigrams of all words that there are, where the server has pg_trgm.
 */
export class PostgresIndex implements SearchIndex {
  private readonly languages = new Map<string, { codes: string[]; until: number }>();
  private server: Known | null = null;

  /** Faces like the photo of a question, which is asked for its page, count and facets one after the other. */
  private readonly faces = new WeakMap<Question, NearestFaces>();

  /** Questions of this process at a time: the others leave its connections to the rest of the API. */
  private readonly turns = pLimit(MOST_QUESTIONS);

  constructor(
    private readonly db: DataSource,
    /** Milliseconds that parts of words and misspelt words are looked for. */
    private readonly fuzzyMs = FUZZY_MS,
  ) {}

  async replace(
    manager: EntityManager,
    job: IndexedJob,
    documents: readonly SearchDocument[],
    segments?: { from: number; to: number },
  ): Promise<void> {
    const { configurations } = await this.known(manager);
    await replaceDocuments(manager, { job, documents, configurations, ...(segments && { segments }) });
  }

  isComplete(manager: EntityManager, job: IndexedJob, from: number): Promise<boolean> {
    return isComplete(manager, job, from);
  }

  removeSegments(manager: EntityManager, jobId: string, from: number, limit: number): Promise<number> {
    return removeSegments(manager, { jobId, from, limit });
  }

  paragraphsToIndex(manager: EntityManager, job: IndexedJob, limit: number): Promise<DocumentKey[]> {
    return paragraphsToIndex(manager, job, limit);
  }

  removeParagraphs(manager: EntityManager, jobId: string, limit: number): Promise<number> {
    return removeParagraphs(manager, jobId, limit);
  }

  find(question: Question, { after, limit }: { after: string | null; limit: number }): Promise<FoundPage> {
    return this.asked('page', question, async (known) => {
      const { manager } = known;
      const place = placeIn(after ?? '', ['flag', ...orderOf(question).map(({ kind }) => kind)]);
      const behind = (isExact: boolean) => (place?.[0] === String(isExact) ? place.slice(1) : null);
      const documents: FoundPage['documents'] = [];
      if (place?.[0] !== 'false') {
        const begin = await narrowed(manager, 'exact', () => exactly(question, known));
        documents.push(...(await foundPart(manager, begin, { question, isExact: true, after: behind(true), limit })));
      }
      const left = limit - documents.length;
      if (left === 0) return { documents, isComplete: true };
      const part = { question, isExact: false, after: behind(false), limit: left };
      const similar = await this.similar(known, question, (limited, begin) => foundPart(limited, begin, part));
      return { documents: [...documents, ...(similar.answer ?? [])], isComplete: similar.isComplete };
    });
  }

  count(question: Question): Promise<Count> {
    return this.asked('count', question, async (known) => {
      const most = mostCounted(question);
      const ask = async (manager: EntityManager, kind: MatchKind, begin: () => Conditions): Promise<number> => {
        const sql = begin();
        const [row]: [{ total: number }] = await manager.query(
          `SELECT count(*)::int AS total FROM (
             SELECT 1 FROM ${sql.documents()} WHERE ${sql[kind]()} AND ${sql.filter()} LIMIT ${most + 1}) found`,
          sql.values,
        );
        return row.total;
      };
      const { total, isComplete } = await this.both(known, question, ask);
      const isExact = total <= most && isComplete && known.faces?.isComplete !== false;
      return { total: Math.min(total, most), isExact, isComplete };
    });
  }

  facets(question: Question): Promise<Facets> {
    return this.asked('facets', question, async (known) => {
      const { total } = await this.both(known, question, (manager, kind, begin) =>
        countedFacets(manager, { kind, sql: begin(), most: mostCounted(question) }),
      );
      return total;
    });
  }

  async match(manager: EntityManager, job: IndexedJob, matching: Matching): Promise<Matches> {
    if (matching.documents.length === 0 || matching.questions.length === 0) return { found: [], tooLong: [] };
    const { configurations, trigrams } = await this.known(manager);
    await prepare(manager, { trigrams });
    return matchDocuments(manager, job, { ...matching, configurations, trigrams });
  }

  async isFuzzy(): Promise<boolean> {
    return (await this.known(this.db.manager)).trigrams;
  }

  async stems(language: string | null, words: readonly string[]): Promise<string[][]> {
    const name = configurationOf(language);
    const { configurations } = await this.known(this.db.manager);
    if (name === null || !configurations.has(name)) return words.map(() => []);
    const rows: { stems: string[] }[] = await this.db.query(
      `SELECT tsvector_to_array(to_tsvector($1::regconfig, word)) AS stems
         FROM unnest($2::text[]) WITH ORDINALITY AS w (word, place) ORDER BY place`,
      [name, [...words]],
    );
    return rows.map(({ stems }) => stems);
  }

  /** In a transaction, with the likeness that words need. */
  private async asked<T>(
    what: 'page' | 'count' | 'facets',
    question: Question,
    ask: (known: Asking) => Promise<T>,
  ): Promise<T> {
    const stop = questionSeconds.startTimer({ ask: what });
    const answer = await this.turns(() =>
      inTransaction(this.db, async (manager) => {
        await prepare(manager, await this.known(manager));
        const faces = await this.facesOf(manager, question);
        return ask({ manager, configurations: await this.configurationsOf(manager, question), faces });
      }),
    );
    stop();
    return answer;
  }

  /** What answers a question with all that is like it, or exactly where that takes too long. */
  private async both<T>(
    known: Asking,
    question: Question,
    ask: (manager: EntityManager, kind: MatchKind, begin: () => Conditions) => Promise<T>,
  ): Promise<{ total: T; isComplete: boolean }> {
    const similar = await this.similar(known, question, (limited, begin) => ask(limited, 'similar', begin));
    const { isComplete, answer } = similar;
    if (answer !== null) return { total: answer, isComplete };
    const { manager } = known;
    const begin = await narrowed(manager, 'exact', () => exactly(question, known));
    return { total: await ask(manager, 'exact', begin), isComplete };
  }

  /** Null where nothing is like what is asked for, or looking for that took too long, which is not complete then. */
  private async similar<T>(
    { manager, configurations, faces }: Asking,
    question: Question,
    ask: (limited: EntityManager, begin: () => Conditions) => Promise<T>,
  ): Promise<{ answer: T | null; isComplete: boolean }> {
    const words = question.fuzzy && this.server?.trigrams === true ? similarWords(question.query) : [];
    if (words.length === 0) return { answer: null, isComplete: true };
    const until = performance.now() + this.fuzzyMs;
    const found = await within(manager, this.fuzzyMs, async (limited) => {
      const alike = await alikeWords(limited, question.workspaceId, words);
      const isComplete = !alike.isCut && this.server?.isWhole === true;
      if (!alike.hasOthers(words)) return { answer: null, isComplete };
      await limitStatements(limited, until - performance.now());
      const begin = await narrowed(
        limited,
        'similar',
        () => new Conditions(question, { configurations, alike, faces }),
      );
      await limitStatements(limited, until - performance.now());
      return { answer: await ask(limited, begin), isComplete };
    });
    return found ?? { answer: null, isComplete: false };
  }

  private async facesOf(manager: EntityManager, question: Question): Promise<NearestFaces | null> {
    const { face = null } = question;
    if (face === null) return null;
    const found = this.faces.get(question) ?? (await nearestFaces(manager, { ...question, face }));
    this.faces.set(question, found);
    return found;
  }

  private async known(manager: EntityManager): Promise<Known> {
    if (this.server !== null && this.server.until > performance.now()) return this.server;
    const rows: { name: string }[] = await manager.query(
      `SELECT cfgname::text AS name FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace`,
    );
    this.server = {
      configurations: new Set(rows.map(({ name }) => name)),
      trigrams: await hasTrigrams(manager),
      isWhole: await hasAllWords(manager),
      until: performance.now() + KNOWN_MS,
    };
    return this.server;
  }

  /** Those of the language that is asked for, or of all that the workspace has. */
  private async configurationsOf(manager: EntityManager, { workspaceId, filter }: Question): Promise<string[]> {
    const { configurations } = await this.known(manager);
    if (filter.language !== undefined) return configurationsOf([filter.language], configurations);
    const known = this.languages.get(workspaceId);
    if (known !== undefined && known.until > performance.now()) return configurationsOf(known.codes, configurations);
    const rows: { code: string }[] = await manager.query(
      `SELECT DISTINCT unnest(languages) AS code FROM search_feed WHERE workspace_id = $1 AND languages <> '{}'`,
      [workspaceId],
    );
    const codes = rows.map(({ code }) => code);
    this.languages.delete(workspaceId);
    if (this.languages.size >= WORKSPACES_KNOWN) this.languages.clear();
    this.languages.set(workspaceId, { codes, until: performance.now() + (codes.length === 0 ? UNKNOWN_MS : KNOWN_MS) });
    return configurationsOf(codes, configurations);
  }
}

/** What is known of the server for a while. */
interface Known {
  /** Of text search. */
  configurations: ReadonlySet<string>;
  trigrams: boolean;
  /** False while jobs are indexed again: some of their words may not be noted. */
  isWhole: boolean;
  until: number;
}

/** Whether the words of all jobs are noted that are indexed: a document of an earlier form is found without them. */
async function hasAllWords(manager: EntityManager): Promise<boolean> {
  const [row]: [{ whole: boolean }] = await manager.query(
    `SELECT NOT EXISTS (SELECT 1 FROM search_feed WHERE state = 'done' AND version < ${SEARCH_VERSION})
        AND NOT EXISTS (SELECT 1 FROM search_feed
              WHERE state IN ('waiting', 'processing') AND version < ${SEARCH_VERSION} AND (version > 0 OR round > 0)) AS whole`,
  );
  return row.whole;
}

/** What a question is asked with. */
interface Asking {
  manager: EntityManager;
  /** Of text search, of the languages that it may be found in. */
  configurations: readonly string[];
  /** Null without a photo. */
  faces: NearestFaces | null;
}

function exactly(question: Question, { configurations, faces }: Asking): Conditions {
  return new Conditions(question, { configurations, alike: AlikeWords.NONE, faces });
}

function mostCounted({ together }: Question): number {
  return together === null ? MOST_COUNTED : MOST_COUNTED_TOGETHER;
}

/** Documents up to which a part of what is to be found together is rare. */
const RARE = 200;

/** Makes conditions that begin with the rarest part of what is to be found together, if there is a rare one. */
async function narrowed(manager: EntityManager, kind: MatchKind, begin: () => Conditions): Promise<() => Conditions> {
  const asked = begin();
  const parts = asked.parts(kind, RARE + 1);
  if (parts === null) return begin;
  const counts: { part: number; count: number }[] = await manager.query(`${parts} ORDER BY 2 LIMIT 1`, asked.values);
  return () => {
    const sql = begin();
    for (const { part, count } of counts) if (count <= RARE) sql.narrow(part);
    return sql;
  };
}

/** In the transaction: how long a statement may take, and how much alike words are. */
async function prepare(manager: EntityManager, { trigrams }: { trigrams: boolean }): Promise<void> {
  await limitStatements(manager, MOST_MS);
  if (trigrams) await manager.query(`SELECT set_config('pg_trgm.word_similarity_threshold', '${LIKENESS}', true)`);
}
