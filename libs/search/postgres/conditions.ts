import type { TimeRange } from '@adit/contracts';
import { wantedTerms, type Query, type SearchField, type Term } from '../query/query.js';
import type { Question, SearchFilter } from '../port.js';
import { beside } from './beside.js';
import type { NearestFaces } from './nearest-faces.js';
import type { AlikeWords, AskedWord } from './vocabulary.js';
import { configurationOf, PLACE_MARK, WEIGHTS, WORD_MARK } from './words.js';

/** Letters of a word from which on its parts and words like it are looked for: shorter ones are in everything. */
const FUZZY_FROM = 4;

/** Exactly what was asked for, or what is like it, too. */
export type MatchKind = 'exact' | 'similar';

/** SQL of a question over rows `d` of search_documents, and `f` of faces like that of a photo, with its values. */
export class Conditions {
  private rarest: number | null = null;

  constructor(
    private readonly question: Question,
    private readonly knows: {
      /** Of text search, that documents of the workspace were indexed by. */
      configurations: readonly string[];
      /** Words like those that are asked for: `similar` looks for them, too. */
      alike: AlikeWords;
      /** Those like the photo's, where the question has one. */
      faces?: NearestFaces | null;
    },
    /** Those that the statement has already. */
    readonly values: unknown[] = [],
  ) {}

  /** Adds a value; answers its parameter. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** SQL: the documents; with a photo joined with the faces like it, and where it is looked for together with others, with all. */
  documents(): string {
    const { faces } = this;
    if (faces === null) return 'search_documents d';
    const [jobIds, seqs, distances] = [this.value(faces.jobIds), this.value(faces.seqs), this.value(faces.distances)];
    return `search_documents d ${this.apart === null ? '' : 'LEFT '}JOIN
      unnest(${jobIds}::uuid[], ${seqs}::int[], ${distances}::int[]) AS f (job_id, seq, distance)
      ON f.job_id = d.job_id AND f.seq = d.seq`;
  }

  /** SQL: distance of a document's face from that of the photo, in ten-thousandths; null without either. */
  get distance(): string {
    return this.faces === null ? 'NULL::int' : 'f.distance';
  }

  private get faces(): NearestFaces | null {
    return this.knows.faces ?? null;
  }

  /** What may be found in several results near each other: parts of the question, beside the photo; null where one result has all. */
  private get apart(): readonly Query[] | null {
    const { query, together } = this.question;
    if (together === null || query === null) return null;
    if (query.kind === 'and') return query.parts;
    return this.faces === null ? null : [query];
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
    return `${row}.words @@ ${this.words(query, kind)}`;
  }

  private matches(kind: MatchKind): string {
    const one = (query: Query, row: string): string => this.one(kind, query, row);
    const { query, together } = this.question;
    if (query === null) return 'true';
    const { apart } = this;
    if (apart === null) return one(query, 'd');
    const seconds = this.value(together);
    const wanted = apart.filter(({ kind }) => kind !== 'not').map((part) => one(part, 'd'));
    const near = apart.map((part) => {
      const [not, found] = part.kind === 'not' ? ['NOT ', part.part] : ['', part];
      // What is excluded is meant exactly.
      return `${not}${beside(this.one(not === '' ? kind : 'exact', found, 'o'), seconds)}`;
    });
    const rarest = this.rarest === null ? undefined : apart[this.rarest];
    const jobs =
      rarest === undefined
        ? []
        : [
            `d.job_id = ANY(ARRAY(SELECT DISTINCT o.job_id FROM search_documents o
               WHERE o.workspace_id = ${this.value(this.question.workspaceId)} AND ${one(rarest, 'o')}))`,
          ];
    const { faces } = this;
    if (faces !== null) {
      const [jobIds, seqs] = [this.value(faces.jobIds), this.value(faces.seqs)];
      jobs.push(`d.job_id = ANY(${jobIds}::uuid[])`);
      wanted.push('f.distance IS NOT NULL');
      near.push(beside(`(o.job_id, o.seq) IN (SELECT * FROM unnest(${jobIds}::uuid[], ${seqs}::int[]))`, seconds));
    }
    return [...jobs, `(${wanted.join(' OR ')})`, ...near].join(' AND ');
  }

  /** SQL of type tsquery. What is excluded is meant exactly. */
  private words(query: Query, kind: MatchKind): string {
    switch (query.kind) {
      case 'term':
        return kind === 'exact' ? this.wordsOfTerm(query) : this.wordsLike(query);
      case 'not':
        return `(!! ${this.words(query.part, 'exact')})`;
      default:
        return `(${query.parts.map((part) => this.words(part, kind)).join(query.kind === 'and' ? ' && ' : ' || ')})`;
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
    const { configurations } = this.knows;
    // Names have no inflections.
    if (!quoted && field !== 'who' && field !== 'where' && configurations.length > 0) {
      const asked = this.value(row(written, { weights: field === null ? 'BCD' : weights }));
      for (const name of configurations) queries.push(`to_tsquery(${this.value(name)}::regconfig, ${asked})`);
    }
    return queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(' || ')})`;
  }

  /** The same, or words that have those of the term as parts or are like them, in any order. */
  private wordsLike(term: Term): string {
    const exact = this.wordsOfTerm(term);
    const each = fuzzyWords(term).map((asked) => lexemesOf(this.knows.alike, asked));
    if (each.length === 0 || each.includes('')) return exact;
    return `(${exact} || (${each.map((words) => `${this.value(words)}::tsquery`).join(' && ')}))`;
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

/** Words of a term that others are looked for, too; none where it is meant exactly. */
function fuzzyWords({ field, folded, quoted }: Term): AskedWord[] {
  if (quoted || folded.some((word) => [...word].length < FUZZY_FROM)) return [];
  return folded.map((word) => ({ field, word }));
}

/** Words of the question that are looked for in other words, too. */
export function similarWords(query: Query | null): AskedWord[] {
  return wantedTerms(query).flatMap(fuzzyWords);
}

/** A tsquery of the words that are like one; empty without any. */
function lexemesOf(alike: AlikeWords, asked: AskedWord): string {
  const lexeme = (field: SearchField, word: string): string =>
    field === 'where'
      ? `'${PLACE_MARK}${word}'`
      : `'${WORD_MARK}${word}'${asked.field === null ? '' : `:${WEIGHTS[field]}`}`;
  return [...new Set(alike.of(asked).map(({ field, word }) => lexeme(field, word)))].join(' | ');
}

/** Configurations by codes of languages, each once, of those that this server has. */
export function configurationsOf(languages: readonly string[], available: ReadonlySet<string>): string[] {
  const names = languages.flatMap((language) => configurationOf(language) ?? []);
  return [...new Set(names)].filter((name) => available.has(name)).toSorted();
}
