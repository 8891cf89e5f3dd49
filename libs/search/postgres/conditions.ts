import type { TimeRange } from '@adit/contracts';
import { wantedTerms, type Query, type Term } from '../query/query.js';
import type { Question, SearchFilter } from '../port.js';
import { configurationOf, PLACE_MARK, WEIGHTS, WORD_MARK } from './words.js';

/** Letters of a word from which on its parts and words like it are looked for: shorter ones are in everything. */
const FUZZY_FROM = 4;

/** Exactly what was asked for, or what is like it, too. */
export type MatchKind = 'exact' | 'similar';

/** SQL of a question over rows `d` of search_documents, with its values. */
export class Conditions {
  private rarest: number | null = null;

  constructor(
    private readonly question: Question,
    /** Of text search, that documents of the workspace were indexed by. */
    private readonly configurations: readonly string[],
    /** Those that the statement has already. */
    readonly values: unknown[] = [],
  ) {}

  /** Adds a value; answers its parameter. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** SQL: of the workspace, of a job that is there, and not filtered out. */
  filter(): string {
    const { workspaceId, filter } = this.question;
    return [
      `d.workspace_id = ${this.value(workspaceId)}`,
      'EXISTS (SELECT 1 FROM jobs j WHERE j.id = d.job_id AND j.time_deleted IS NULL)',
      ...this.filters(filter),
    ].join(' AND ');
  }

  /**
   * SQL: by part of what is to be found together, how many documents have it, up to a limit; null where nothing is. `kind` is that
   * of the statement that is to be narrowed.
   */
  parts(kind: MatchKind, limit: number): string | null {
    const { query, together, workspaceId } = this.question;
    if (together === null || query?.kind !== 'and') return null;
    const counts = query.parts.flatMap((part, at) =>
      part.kind === 'not'
        ? []
        : [
            `SELECT ${at} AS part, count(*)::int AS count FROM (
               SELECT 1 FROM search_documents o WHERE ${this.one(kind, part, 'o')}
                  AND o.workspace_id = ${this.value(workspaceId)} LIMIT ${limit}) found`,
          ],
    );
    return counts.join(' UNION ALL ');
  }

  /** Looks for what is to be found together in the sources of jobs alone that have this part of it: a rare one. */
  narrow(part: number): void {
    this.rarest = part;
  }

  /** SQL: exactly what was asked for, in any inflection where it was not quoted. */
  exact(): string {
    return this.matches('exact');
  }

  /** SQL: what was asked for, or words that have it as a part or are like it. That includes `exact`. */
  similar(): string {
    return this.matches('similar');
  }

  private one(kind: MatchKind, query: Query, row: string): string {
    return kind === 'exact' ? `${row}.words @@ ${this.words(query)}` : this.like(query, row);
  }

  private matches(kind: MatchKind): string {
    const one = (query: Query, row: string): string => this.one(kind, query, row);
    const { query, together } = this.question;
    if (query === null) return 'true';
    if (together === null || query.kind !== 'and') return one(query, 'd');
    const seconds = this.value(together);
    const wanted = query.parts.filter(({ kind }) => kind !== 'not').map((part) => one(part, 'd'));
    const beside = query.parts.map((part) => {
      const [not, found] = part.kind === 'not' ? ['NOT ', part.part] : ['', part];
      return `${not}EXISTS (SELECT 1 FROM search_documents o
        WHERE o.job_id = d.job_id AND o.source_index = d.source_index AND o.workspace_id = d.workspace_id
          AND o.time_start <= d.time_end + ${seconds}::float8 AND o.time_end >= d.time_start - ${seconds}::float8
          AND ${one(found, 'o')})`;
    });
    const rarest = this.rarest === null ? undefined : query.parts[this.rarest];
    const jobs =
      rarest === undefined
        ? []
        : [
            `d.job_id = ANY(ARRAY(SELECT DISTINCT o.job_id FROM search_documents o
               WHERE o.workspace_id = ${this.value(this.question.workspaceId)} AND ${one(rarest, 'o')}))`,
          ];
    return [...jobs, `(${wanted.join(' OR ')})`, ...beside].join(' AND ');
  }

  /** SQL of type tsquery. */
  private words(query: Query): string {
    switch (query.kind) {
      case 'term':
        return this.wordsOfTerm(query);
      case 'not':
        return `(!! ${this.words(query.part)})`;
      default:
        return `(${query.parts.map((part) => this.words(part)).join(query.kind === 'and' ? ' && ' : ' || ')})`;
    }
  }

  private wordsOfTerm({ field, folded, written, quoted }: Term): string {
    const row = (words: readonly string[], { mark = '', weights = '' }): string =>
      words.map((word) => `'${mark}${word}':${weights}`).join(' <-> ');
    const queries: string[] = [];
    const weights = field === null ? '' : WEIGHTS[field];
    if (field !== 'where') queries.push(`${this.value(row(folded, { mark: WORD_MARK, weights }))}::tsquery`);
    if (field === null || field === 'where') {
      queries.push(`${this.value(row(folded, { mark: PLACE_MARK }))}::tsquery`);
    }
    // Names have no inflections.
    if (!quoted && field !== 'who' && field !== 'where' && this.configurations.length > 0) {
      const asked = this.value(row(written, { weights: field === null ? 'BCD' : weights }));
      for (const name of this.configurations) queries.push(`to_tsquery(${this.value(name)}::regconfig, ${asked})`);
    }
    return queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(' || ')})`;
  }

  private like(query: Query, row: string): string {
    switch (query.kind) {
      case 'term':
        return this.termLike(query, row);
      // What is excluded is meant exactly.
      case 'not':
        return `NOT (${row}.words @@ ${this.words(query.part)})`;
      default:
        return `(${query.parts.map((part) => this.like(part, row)).join(query.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
  }

  private termLike(term: Term, row: string): string {
    const exact = `${row}.words @@ ${this.words(term)}`;
    const { field, folded, quoted } = term;
    if (quoted || folded.some((word) => [...word].length < FUZZY_FROM)) return exact;
    const within = (column: string): string =>
      folded
        .map((word) => {
          const part = this.value(`%${word}%`);
          const whole = this.value(word);
          return `(${row}.${column} LIKE ${part} OR ${row}.${column} %> ${whole})`;
        })
        .join(' AND ');
    const ways: string[] = [];
    if (field === null || field === 'who') ways.push(`(${within('names')})`);
    if (field === null) ways.push(`(${within('folded')})`);
    else if (field !== 'who') ways.push(`(${within('folded')} AND ${row}.field = ${this.value(field)})`);
    return `(${[exact, ...ways].join(' OR ')})`;
  }

  private filters(filter: SearchFilter): string[] {
    const { moduleIds, jobId, batchId, tag, language, box } = filter;
    const equal = (column: string, value: string | undefined): string[] =>
      value === undefined ? [] : [`d.${column} = ${this.value(value)}`];
    return [
      ...(moduleIds === undefined ? [] : [`d.module_id = ANY(${this.value([...moduleIds])}::text[])`]),
      ...equal('job_id', jobId),
      ...equal('batch_id', batchId),
      ...equal('tag', tag),
      ...equal('language', language),
      ...this.range('time_created', filter.created),
      ...this.range('moment', filter.moment),
      ...(box === undefined
        ? []
        : [
            `d.latitude BETWEEN ${this.value(box.south)}::float8 AND ${this.value(box.north)}::float8`,
            box.west <= box.east
              ? `d.longitude BETWEEN ${this.value(box.west)}::float8 AND ${this.value(box.east)}::float8`
              : `(d.longitude >= ${this.value(box.west)}::float8 OR d.longitude <= ${this.value(box.east)}::float8)`,
          ]),
    ];
  }

  /** Shown times have milliseconds, which count as a whole. */
  private range(column: string, { from, to }: TimeRange = {}): string[] {
    return [
      ...(from === undefined ? [] : [`d.${column} >= ${this.value(from)}`]),
      ...(to === undefined ? [] : [`d.${column} < ${this.value(new Date(to.getTime() + 1))}`]),
    ];
  }
}

/** True when some word of the question is looked for in other words, too. */
export function mayBeSimilar(query: Query | null): boolean {
  return wantedTerms(query).some(
    ({ quoted, folded }) => !quoted && folded.every((word) => [...word].length >= FUZZY_FROM),
  );
}

/** Configurations by codes of languages, each once, of those that this server has. */
export function configurationsOf(languages: readonly string[], available: ReadonlySet<string>): string[] {
  const names = languages.flatMap((language) => configurationOf(language) ?? []);
  return [...new Set(names)].filter((name) => available.has(name)).toSorted();
}
