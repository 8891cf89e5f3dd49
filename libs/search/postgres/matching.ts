import type { EntityManager } from 'typeorm';
import type { IndexedJob, MatchedDocument, Matches, Matching } from '../port.js';
import { Conditions, configurationsOf, similarWords } from './conditions.js';
import { DOCUMENT_ROWS, documentRows } from './documents.js';
import { within } from './time-limit.js';
import { alikeWords, AlikeWords } from './vocabulary.js';
import { languageCode } from './words.js';

/** Questions of one statement: each has up to some hundred values. */
const QUESTIONS_AT_ONCE = 20;
/** Milliseconds that such a statement may take; where it takes longer, each question alone, and all that are asked alone. */
const [TOGETHER_MS, ALONE_MS, ALL_ALONE_MS] = [5_000, 1_000, 10_000];

interface Server {
  /** Configurations of text search that it has, and whether it has pg_trgm. */
  configurations: ReadonlySet<string>;
  trigrams: boolean;
}

/** Asks questions of these documents alone, as rows of the statement itself. The transaction survives a time limit. */
export async function matchDocuments(
  manager: EntityManager,
  job: IndexedJob,
  matching: Matching & Server,
): Promise<Matches> {
  const found: MatchedDocument[] = [];
  const tooLong: number[] = [];
  const places = [...matching.questions.keys()];
  let left = ALL_ALONE_MS;
  for (let from = 0; from < places.length; from += QUESTIONS_AT_ONCE) {
    const some = places.slice(from, from + QUESTIONS_AT_ONCE);
    const ask = (asked: readonly number[], limitMs: number): Promise<MatchedDocument[] | null> =>
      within(manager, limitMs, (limited) => askSome(limited, job, { ...matching, asked }));
    const rows = await ask(some, TOGETHER_MS);
    found.push(...(rows ?? []));
    if (rows !== null) continue;
    for (const place of some) {
      const began = performance.now();
      const alone = left <= 0 ? null : await ask([place], Math.min(ALONE_MS, left));
      left -= performance.now() - began;
      if (alone === null) tooLong.push(place);
      else found.push(...alone);
    }
  }
  return { found, tooLong };
}

/** In one statement. */
async function askSome(
  manager: EntityManager,
  job: IndexedJob,
  {
    documents,
    questions,
    languages,
    configurations,
    trigrams,
    asked,
  }: Matching & Server & { asked: readonly number[] },
): Promise<MatchedDocument[]> {
  const said = documents.flatMap(({ texts }) => texts.flatMap(({ language }) => languageCode(language) ?? []));
  // What is beside the documents, for `together`, may be in another language of the job.
  const stems = configurationsOf([...new Set([...said, ...languages])], configurations);
  const { values, words } = documentRows(job, documents, configurations);
  const similar = asked.flatMap((place) => {
    const question = questions[place];
    return question?.fuzzy === true && trigrams ? similarWords(question.query) : [];
  });
  // Speech that a transcript holds by now is in no index.
  const alike = await alikeWords(manager, job.workspaceId, similar, words);
  const selects = asked.flatMap((place) => {
    const question = questions[place];
    if (question === undefined) return [];
    const isSimilar = question.fuzzy && trigrams && similarWords(question.query).length > 0;
    const knows = { configurations: stems, alike: isSimilar ? alike : AlikeWords.NONE };
    const sql = new Conditions(question, knows, values);
    const exact = sql.exact();
    return `SELECT ${place} AS question, d.place AS document, ${exact} AS "isExact" FROM documents d
             WHERE ${isSimilar ? sql.similar() : exact} AND ${sql.filter()}`;
  });
  return manager.query<MatchedDocument[]>(
    `WITH documents AS MATERIALIZED (${DOCUMENT_ROWS}) ${selects.join(' UNION ALL ')} ORDER BY 1, 2`,
    values,
  );
}
