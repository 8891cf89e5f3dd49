/**
 * Statements that write the table `search_words`: the words that documents have. Misspelt words and parts of words are looked
 * for among them, which are thousands where documents are millions.
 */
import { inTransaction, returned } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';
import type { SearchField } from '../query/query.js';
import { within } from './time-limit.js';
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

/** Words of a workspace that one word is looked for in, the most alike first, and those of documents beside. */
const [MOST_ALIKE, MOST_BESIDE] = [100, 1_000];

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
    `INSERT INTO search_words AS w (workspace_id, field, word, seen)
     SELECT $1, n.field, n.word, CURRENT_DATE FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::text[]) AS n (field, word)) n
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

/** Milliseconds that names are looked for while others wait for their rows. */
const FORGET_MS = 2_000;

/**
 * Removes words of names that no document has any more, in the transaction that removes the documents with these names. Where
 * looking for them takes longer, the next sweep begins with them.
 */
export async function forgetNameWords(
  manager: EntityManager,
  workspaceId: string,
  words: readonly string[],
  limitMs = FORGET_MS,
): Promise<void> {
  if (words.length === 0) return;
  const values = [workspaceId, [...words]];
  const of = `w.workspace_id = $1 AND w.field = 'who' AND w.word = ANY($2::text[])`;
  await manager.query(`SELECT 1 FROM search_words w WHERE ${of} ORDER BY w.word FOR UPDATE`, values);
  // By a statement of its own, which sees documents that were being written meanwhile.
  const gone = await within(manager, limitMs, (limited) =>
    limited.query<unknown>(`DELETE FROM search_words w WHERE ${of} AND NOT ${IN_USE}`, values),
  );
  if (gone === null) await manager.query(`UPDATE search_words w SET seen = '-infinity' WHERE ${of}`, values);
}

/** Words that one step of `sweepWords` looks at. */
const SWEPT_AT_ONCE = 20;
/** Milliseconds for these; where it takes longer, for each alone. */
const [SWEPT_MS, SWEPT_ALONE_MS] = [5_000, 2_000];

/** SQL: of words that were not seen for a day no transaction is still writing a document. */
const OLD = 'w.seen < CURRENT_DATE - 1';

interface SweptWord {
  workspaceId: string;
  field: string;
  word: string;
}

/**
 * Removes some words that no document has any more, of those that were not seen for a day, the oldest first. Nothing is
 * locked while it looks: whoever writes a document with such a word notes it as seen. One that cannot be looked at within
 * `aloneMs` is in many documents, and is looked at again another day. Answers whether there may be more to look at.
 */
export async function sweepWords(
  db: DataSource,
  { togetherMs = SWEPT_MS, aloneMs = SWEPT_ALONE_MS }: { togetherMs?: number; aloneMs?: number } = {},
): Promise<boolean> {
  const old: SweptWord[] = await db.query(
    `SELECT w.workspace_id AS "workspaceId", w.field, w.word FROM search_words w WHERE ${OLD}
      ORDER BY w.seen LIMIT ${SWEPT_AT_ONCE}`,
  );
  if (old.length === 0) return false;
  const together = await unused(db, old, togetherMs);
  const gone = [...(together ?? [])];
  if (together === null) for (const word of old) gone.push(...((await unused(db, [word], aloneMs)) ?? []));
  await db.query(
    `WITH locked AS MATERIALIZED (
       SELECT w.workspace_id, w.field, w.word, l.gone
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) AS l (workspace_id, field, word, gone)
         JOIN search_words w USING (workspace_id, field, word) WHERE ${OLD} FOR UPDATE OF w SKIP LOCKED),
     kept AS (
       UPDATE search_words s SET seen = CURRENT_DATE FROM locked l
        WHERE NOT l.gone AND s.workspace_id = l.workspace_id AND s.field = l.field AND s.word = l.word)
     DELETE FROM search_words s USING locked l
      WHERE l.gone AND s.workspace_id = l.workspace_id AND s.field = l.field AND s.word = l.word`,
    [...listsOf(old), old.map((word) => gone.includes(word))],
  );
  return old.length === SWEPT_AT_ONCE;
}

/** Those of the words that no document has; null when it takes longer to look for them. */
function unused(db: DataSource, words: readonly SweptWord[], limitMs: number): Promise<SweptWord[] | null> {
  return inTransaction(db, (manager) =>
    within(manager, limitMs, async (limited) => {
      const rows: { used: boolean }[] = await limited.query(
        `SELECT ${IN_USE} AS used
           FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS w (workspace_id, field, word, place)
          ORDER BY w.place`,
        listsOf(words),
      );
      return words.filter((_, at) => rows[at]?.used === false);
    }),
  );
}

function listsOf(words: readonly SweptWord[]): unknown[] {
  return [words.map(({ workspaceId }) => workspaceId), words.map(({ field }) => field), words.map(({ word }) => word)];
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
 * @param beside words of documents that may not be indexed: those of other documents do not keep them out
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
  const parts = [alikeIn('search_words v WHERE v.workspace_id = $1', { own: false, most: MOST_ALIKE })];
  if (beside.length > 0) {
    const rows = 'unnest($4::text[], $5::text[]) AS v (field, word) WHERE true';
    parts.push(alikeIn(rows, { own: true, most: MOST_BESIDE }));
    values.push(
      beside.map(({ field }) => field),
      beside.map(({ word }) => word),
    );
  }
  const rows = returned<{ place: number; field: SearchField; word: string; own: boolean; number: number }>(
    await manager.query(
      `SELECT a.place::int - 1 AS place, n.field, n.word, n.own, n.number
         FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS a (word, field, place)
        CROSS JOIN LATERAL (${parts.join(' UNION ALL ')}) n`,
      values,
    ),
  );
  const found = new Map<string, FieldWord[]>();
  let isCut = false;
  for (const { place, field, word, own, number } of rows) {
    const one = each[place];
    if (one === undefined) continue;
    if (number > (own ? MOST_BESIDE : MOST_ALIKE)) {
      isCut = true;
      continue;
    }
    const list = found.get(keyOf(one)) ?? [];
    found.set(keyOf(one), list);
    list.push({ field, word });
  }
  return new AlikeWords(found, isCut);
}

/** SQL: the words like that of `a`, numbered from 1, and one more than the most; `own` says that they are of documents beside. */
function alikeIn(from: string, { own, most }: { own: boolean; most: number }): string {
  return `(SELECT l.field, l.word, ${own} AS own, (row_number() OVER ())::int AS number FROM (
    SELECT v.field, v.word FROM ${from}
       AND (v.word LIKE '%' || a.word || '%' OR v.word %> a.word) AND (a.field IS NULL OR v.field = a.field)
     ORDER BY similarity(v.word, a.word) DESC, v.word, v.field LIMIT ${most + 1}) l)`;
}

function keyOf({ field, word }: AskedWord): string {
  return `${field ?? ''} ${word}`;
}
