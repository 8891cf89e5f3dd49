import pLimit from 'p-limit';
import { behind, exactTime, hasTrigrams, inTransaction, placeIn, placeOf, type SortKey } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';
import {
  FACETS,
  MOST_COUNTED,
  MOST_COUNTED_TOGETHER,
  MOST_VALUES,
  type Count,
  type DocumentKey,
  type Facets,
  type FoundDocument,
  type IndexedJob,
  type Matches,
  type Matching,
  type Question,
  type SearchDocument,
  type SearchIndex,
} from '../port.js';
import { questionSeconds } from '../metrics.js';
import { Conditions, configurationsOf, mayBeSimilar, type MatchKind } from './conditions.js';
import { isComplete, paragraphsToIndex, removeParagraphs, removeSegments, replaceDocuments } from './documents.js';
import { matchDocuments } from './matching.js';
import { configurationOf } from './words.js';

/** Questions at a time, and milliseconds that a statement of one may take. */
const [MOST_QUESTIONS, MOST_MS] = [4, 10_000];
/** How long what is known of the server and of a workspace's languages is used. */
const KNOWN_MS = 30_000;
/** The same of a workspace that has no languages yet: the first one is missed for no longer. */
const UNKNOWN_MS = 2_000;
const WORKSPACES_KNOWN = 1_000;
/** Share of the trigrams of a word that another one has at the least to be like it. */
const LIKENESS = '0.5';

/** The order of results without a question; an index answers it. */
const NEWEST: readonly SortKey[] = [
  { by: 'd.moment', kind: 'time', descending: true },
  { by: 'd.id', kind: 'number', descending: true },
];
/** The order of results of one kind, exact or not. */
const SHORTEST: readonly SortKey[] = [{ by: 'd.length', kind: 'number' }, ...NEWEST];

interface Row {
  jobId: string;
  seq: number | null;
  variantId: string | null;
  paragraphId: string | null;
  fromVersion: number | null;
  sourceIndex: number;
  moduleId: string;
  type: string;
  timeStart: number;
  language: string | null;
  place: string[];
}

/**
 * Documents in rows of the database itself: words and stems in a tsvector with an inverted index, parts of words and
 * misspelt words by trigrams where the server has pg_trgm.
 */
export class PostgresIndex implements SearchIndex {
  private readonly languages = new Map<string, { codes: string[]; until: number }>();
  private server: { configurations: ReadonlySet<string>; trigrams: boolean; until: number } | null = null;

  /** Questions of this process at a time: the others leave its connections to the rest of the API. */
  private readonly turns = pLimit(MOST_QUESTIONS);

  constructor(private readonly db: DataSource) {}

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

  find(question: Question, { after, limit }: { after: string | null; limit: number }): Promise<FoundDocument[]> {
    return this.asked('page', question, async (manager, conditions) => {
      const order = question.query === null ? NEWEST : SHORTEST;
      const place = placeIn(after ?? '', ['flag', ...order.map(({ kind }) => kind)]);
      const found: FoundDocument[] = [];
      for (const isExact of [true, false]) {
        const left = limit - found.length;
        if (left === 0 || (place?.[0] === 'false' && isExact)) continue;
        if (!isExact && !this.isSimilar(question)) continue;
        const behindIt = place?.[0] === String(isExact) ? place.slice(1) : null;
        const sql = await conditions(isExact ? 'exact' : 'similar');
        found.push(...(await page(manager, sql, { order, isExact, after: behindIt, limit: left })));
      }
      return found;
    });
  }

  count(question: Question): Promise<Count> {
    return this.asked('count', question, async (manager, conditions) => {
      const kind = this.isSimilar(question) ? 'similar' : 'exact';
      const sql = await conditions(kind);
      const most = question.together === null ? MOST_COUNTED : MOST_COUNTED_TOGETHER;
      const [row]: [{ total: number }] = await manager.query(
        `SELECT count(*)::int AS total FROM (
           SELECT 1 FROM search_documents d WHERE ${sql[kind]()} AND ${sql.filter()} LIMIT ${most + 1}) found`,
        sql.values,
      );
      return { total: Math.min(row.total, most), isExact: row.total <= most };
    });
  }

  facets(question: Question): Promise<Facets> {
    return this.asked('facets', question, async (manager, conditions) => {
      const kind = this.isSimilar(question) ? 'similar' : 'exact';
      const sql = await conditions(kind);
      const most = question.together === null ? MOST_COUNTED : MOST_COUNTED_TOGETHER;
      const columns = FACETS.map((name) => `${name === 'module' ? 'module_id' : name}::text AS ${name}`);
      const counted = FACETS.map(
        (name) => `(SELECT '${name}' AS facet, ${name} AS value, count(*)::int AS count FROM found
                     WHERE ${name} <> '' GROUP BY ${name} ORDER BY count DESC, value LIMIT ${MOST_VALUES})`,
      );
      const rows: { facet: string; value: string; count: number }[] = await manager.query(
        `WITH found AS MATERIALIZED (
           SELECT ${columns.join(', ')} FROM search_documents d
            WHERE ${sql[kind]()} AND ${sql.filter()} LIMIT ${most})
         ${counted.join(' UNION ALL ')}`,
        sql.values,
      );
      const of = (name: string) =>
        rows.filter(({ facet }) => facet === name).map(({ value, count }) => ({ value, count }));
      return {
        module: of('module'),
        type: of('type'),
        language: of('language'),
        tag: of('tag'),
        batch_id: of('batch_id'),
        job_id: of('job_id'),
      };
    });
  }

  async match(manager: EntityManager, job: IndexedJob, matching: Matching): Promise<Matches> {
    if (matching.documents.length === 0 || matching.questions.length === 0) return { found: [], tooLong: [] };
    const { configurations, trigrams } = await this.known(manager);
    await limitStatements(manager, { trigrams });
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

  /** In a transaction, with the likeness that words need; `conditions` begins SQL of its own. */
  private async asked<T>(
    what: 'page' | 'count' | 'facets',
    question: Question,
    ask: (manager: EntityManager, conditions: (kind: MatchKind) => Promise<Conditions>) => Promise<T>,
  ): Promise<T> {
    const stop = questionSeconds.startTimer({ ask: what });
    const answer = await this.turns(() =>
      inTransaction(this.db, async (manager) => {
        await limitStatements(manager, await this.known(manager));
        const configurations = await this.configurationsOf(manager, question);
        return ask(manager, (kind) => narrowed(manager, kind, () => new Conditions(question, configurations)));
      }),
    );
    stop();
    return answer;
  }

  private isSimilar({ fuzzy, query }: Question): boolean {
    return fuzzy && mayBeSimilar(query) && this.server?.trigrams === true;
  }

  private async known(manager: EntityManager) {
    if (this.server !== null && this.server.until > performance.now()) return this.server;
    const rows: { name: string }[] = await manager.query(
      `SELECT cfgname::text AS name FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace`,
    );
    this.server = {
      configurations: new Set(rows.map(({ name }) => name)),
      trigrams: await hasTrigrams(manager),
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

/** Documents up to which a part of what is to be found together is rare. */
const RARE = 200;

/** Conditions that begin with the rarest part of what is to be found together, if there is a rare one. */
async function narrowed(manager: EntityManager, kind: MatchKind, begin: () => Conditions): Promise<Conditions> {
  const asked = begin();
  const parts = asked.parts(kind, RARE + 1);
  const sql = begin();
  if (parts === null) return sql;
  const counts: { part: number; count: number }[] = await manager.query(`${parts} ORDER BY 2 LIMIT 1`, asked.values);
  for (const { part, count } of counts) if (count <= RARE) sql.narrow(part);
  return sql;
}

/** In the transaction: how long a statement may take, and how much alike words are. */
async function limitStatements(manager: EntityManager, { trigrams }: { trigrams: boolean }): Promise<void> {
  await manager.query(`SELECT set_config('statement_timeout', '${MOST_MS}', true)`);
  if (trigrams) await manager.query(`SELECT set_config('pg_trgm.word_similarity_threshold', '${LIKENESS}', true)`);
}

/** Part of a page: results of one kind. */
interface Part {
  order: readonly SortKey[];
  isExact: boolean;
  after: readonly string[] | null;
  limit: number;
}

async function page(
  manager: EntityManager,
  sql: Conditions,
  { order, isExact, after, limit }: Part,
): Promise<FoundDocument[]> {
  // Similar ones were told apart from exact ones before: no result is on two pages.
  const matches = isExact ? sql.exact() : `${sql.similar()} AND NOT (${sql.exact()})`;
  const further = after === null ? 'true' : behind(order, (at) => `${sql.value(after[at])}::text`);
  const place = order.map(({ by: column, kind }) => (kind === 'time' ? exactTime(column) : `CAST(${column} AS text)`));
  // What is like a word is guessed to be in far more documents than it is: by the index in order all of them would be read.
  const sorted = (column: string): string => (!isExact && column === 'd.length' ? '(d.length + 0)' : column);
  const by = order.map(({ by: column, descending }) => `${sorted(column)}${descending === true ? ' DESC' : ''}`);
  const rows: Row[] = await manager.query(
    `SELECT d.job_id AS "jobId", d.seq, d.variant_id AS "variantId", d.paragraph_id AS "paragraphId",
            d.from_version AS "fromVersion", d.source_index AS "sourceIndex", d.module_id AS "moduleId", d.type,
            d.time_start AS "timeStart", d.language, ARRAY[${place.join(', ')}] AS place
       FROM search_documents d
      WHERE ${matches} AND ${sql.filter()} AND ${further}
      ORDER BY ${by.join(', ')} LIMIT ${sql.value(limit)}`,
    sql.values,
  );
  return rows.map((row) => ({
    key: keyOf(row),
    jobId: row.jobId,
    sourceIndex: row.sourceIndex,
    moduleId: row.moduleId,
    type: row.type,
    timeStart: row.timeStart,
    language: row.language,
    isExact,
    place: placeOf([isExact, ...row.place]),
  }));
}

function keyOf({ seq, variantId, paragraphId, fromVersion }: Row): DocumentKey {
  if (seq !== null) return { seq, paragraph: null };
  return { seq: null, paragraph: { variantId: variantId ?? '', id: paragraphId ?? '', fromVersion: fromVersion ?? 0 } };
}
