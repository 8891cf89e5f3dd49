/**
 * Statements that write the table `search_words`: the words that documents have. Misspelt words and parts of words are looked
 * for among them, which are thousands where documents are millions.
 */
import { returned } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { SearchField } from '../query/query.js';
import { PLACE_MARK, WEIGHTS, WORD_MARK } from './words.js';

/** A word of a field, in small letters without accents. */
export interface FieldWord {
  field: SearchField;
  word: string;
}

/** A word that is asked for; without a field in any. */
export interface AskedWord {
  field: SearchField | null;
  word: string;
}

/** Words that one word is looked for in, the most alike first. */
const MOST_ALIKE = 100;

/**
 * Notes the words of documents in the transaction that writes these. Words are noted once a day at most, and in one order, so
 * that transactions neither write the same rows over and over nor wait for each other in a circle.
 */
export async function noteWords(
  manager: EntityManager,
  workspaceId: string,
  words: readonly FieldWord[],
): Promise<void> {
  if (words.length === 0) return;
  const lists = [workspaceId, words.map(({ field }) => field), words.map(({ word }) => word)];
  // Whoever erases somebody's name waits for it, and then sees the documents that have it, too.
  await manager.query(
    `SELECT 1 FROM search_words w JOIN unnest($2::text[], $3::text[]) AS n (field, word) USING (field, word)
      WHERE w.workspace_id = $1 AND w.field = 'who' ORDER BY w.field, w.word FOR KEY SHARE OF w`,
    lists,
  );
  await manager.query(
    `INSERT INTO search_words AS w (workspace_id, field, word)
     SELECT $1, n.field, n.word FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::text[]) AS n (field, word)) n
      WHERE NOT EXISTS (SELECT 1 FROM search_words s
              WHERE s.workspace_id = $1 AND s.field = n.field AND s.word = n.word AND s.seen >= CURRENT_DATE)
      ORDER BY n.field, n.word
     ON CONFLICT (workspace_id, field, word) DO UPDATE SET seen = CURRENT_DATE WHERE w.seen < CURRENT_DATE`,
    lists,
  );
}

/** SQL: a document has the word `w`. */
const IN_USE = `EXISTS (SELECT 1 FROM search_documents d WHERE d.workspace_id = w.workspace_id AND d.words @@ (
  '''' || CASE w.field WHEN 'where' THEN '${PLACE_MARK}' ELSE '${WORD_MARK}' END || w.word || ''':'
  || CASE w.field ${Object.entries(WEIGHTS)
    .map(([field, weight]) => `WHEN '${field}' THEN '${weight}'`)
    .join(' ')} END)::tsquery)`;

/** Removes words of names that no document has any more, in the transaction that removes the documents with these names. */
export async function forgetNameWords(
  manager: EntityManager,
  workspaceId: string,
  words: readonly string[],
): Promise<void> {
  if (words.length === 0) return;
  const values = [workspaceId, [...words]];
  const of = `w.workspace_id = $1 AND w.field = 'who' AND w.word = ANY($2::text[])`;
  await manager.query(`SELECT 1 FROM search_words w WHERE ${of} ORDER BY w.word FOR UPDATE`, values);
  // By a statement of its own, which sees documents that were being written meanwhile.
  await manager.query(`DELETE FROM search_words w WHERE ${of} AND NOT ${IN_USE}`, values);
}

/** Words that one step of `sweepWords` looks at. */
const SWEPT_AT_ONCE = 200;

/**
 * Removes some words that no document has any more: of those that were not seen for a day, so that no transaction is still
 * writing a document with one of them. Answers whether there may be more to look at.
 */
export async function sweepWords(manager: Pick<EntityManager, 'query'>): Promise<boolean> {
  const [row]: [{ found: number }] = await manager.query(
    `WITH old AS MATERIALIZED (
       SELECT workspace_id, field, word FROM search_words
        WHERE seen < CURRENT_DATE - 1 ORDER BY 1, 2, 3 LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED),
     looked AS MATERIALIZED (SELECT w.*, ${IN_USE} AS used FROM old w),
     kept AS (
       UPDATE search_words s SET seen = CURRENT_DATE FROM looked l
        WHERE l.used AND s.workspace_id = l.workspace_id AND s.field = l.field AND s.word = l.word),
     gone AS (
       DELETE FROM search_words s USING looked l
        WHERE NOT l.used AND s.workspace_id = l.workspace_id AND s.field = l.field AND s.word = l.word)
     SELECT count(*)::int AS found FROM looked`,
  );
  return row.found === SWEPT_AT_ONCE;
}

/** Words like those that are asked for, and whether there are more. */
export class AlikeWords {
  constructor(
    private readonly found: ReadonlyMap<string, readonly FieldWord[]>,
    /** True: some word is like more others than are looked for. */
    readonly isCut: boolean,
  ) {}

  /** Nobody's. */
  static readonly NONE = new AlikeWords(new Map(), false);

  of(asked: AskedWord): readonly FieldWord[] {
    return this.found.get(keyOf(asked)) ?? [];
  }

  /** True where some of these words is like another one than itself. */
  hasOthers(asked: readonly AskedWord[]): boolean {
    return asked.some((one) => this.of(one).some(({ word }) => word !== one.word));
  }
}

/**
 * Words of a workspace that have an asked one as a part, or are like it.
 *
 * @param beside words of documents that are not indexed
 */
export async function alikeWords(
  manager: EntityManager,
  workspaceId: string,
  asked: readonly AskedWord[],
  beside: readonly FieldWord[] = [],
): Promise<AlikeWords> {
  const each = [...new Map(asked.map((one) => [keyOf(one), one])).values()];
  if (each.length === 0) return AlikeWords.NONE;
  const values: unknown[] = [workspaceId, each.map(({ word }) => word), each.map(({ field }) => field)];
  const like = `(v.word LIKE '%' || a.word || '%' OR v.word %> a.word) AND (a.field IS NULL OR v.field = a.field)`;
  const more =
    beside.length === 0
      ? ''
      : `UNION SELECT v.field, v.word FROM unnest($4::text[], $5::text[]) AS v (field, word) WHERE ${like}`;
  if (beside.length > 0)
    values.push(
      beside.map(({ field }) => field),
      beside.map(({ word }) => word),
    );
  const rows = returned<{ place: number; field: SearchField; word: string }>(
    await manager.query(
      `SELECT a.place::int - 1 AS place, n.field, n.word
         FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS a (word, field, place)
        CROSS JOIN LATERAL (
          SELECT v.field, v.word FROM (
            SELECT v.field, v.word FROM search_words v WHERE v.workspace_id = $1 AND ${like} ${more}) v
           ORDER BY similarity(v.word, a.word) DESC, v.word, v.field LIMIT ${MOST_ALIKE + 1}) n`,
      values,
    ),
  );
  const found = new Map<string, FieldWord[]>();
  let isCut = false;
  for (const { place, field, word } of rows) {
    const one = each[place];
    if (one === undefined) continue;
    const list = found.get(keyOf(one)) ?? [];
    found.set(keyOf(one), list);
    if (list.length === MOST_ALIKE) isCut = true;
    else list.push({ field, word });
  }
  return new AlikeWords(found, isCut);
}

function keyOf({ field, word }: AskedWord): string {
  return `${field ?? ''} ${word}`;
}
