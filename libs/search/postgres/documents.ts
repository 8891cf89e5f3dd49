/** Statements that write the table `search_documents`. */
import type { EntityManager } from 'typeorm';
import type { DocumentKey, IndexedJob, SearchDocument } from '../port.js';
import { forgetNameWords, noteWords, type FieldWord } from './vocabulary.js';
import { configurationOf, indexedWords, NAME_WORDS, type WordColumns } from './words.js';

interface Replacement {
  job: IndexedJob;
  documents: readonly SearchDocument[];
  /** Names of the configurations that the server has. */
  configurations: ReadonlySet<string>;
  /** Numbers whose documents go in any case; `to` is exclusive. */
  segments?: { from: number; to: number };
}

export async function replaceDocuments(manager: EntityManager, replacement: Replacement): Promise<void> {
  const { job, documents, configurations, segments } = replacement;
  if (segments !== undefined) {
    await manager.query('DELETE FROM search_documents WHERE job_id = $1 AND seq >= $2 AND seq < $3', [
      job.id,
      segments.from,
      segments.to,
    ]);
  }
  const paragraphs = documents.flatMap(({ key }) => key.paragraph ?? []);
  if (paragraphs.length > 0) {
    await manager.query(
      `DELETE FROM search_documents d USING unnest($1::uuid[], $2::uuid[]) AS p (variant_id, id)
        WHERE d.variant_id = p.variant_id AND d.paragraph_id = p.id`,
      [paragraphs.map(({ variantId }) => variantId), paragraphs.map(({ id }) => id)],
    );
  }
  if (documents.length === 0) return;
  const { values, words } = documentRows(job, documents, configurations);
  await manager.query(`INSERT INTO search_documents (${COLUMNS}) SELECT ${COLUMNS} FROM (${DOCUMENT_ROWS}) d`, values);
  await noteWords(manager, job.workspaceId, words);
}

const COLUMNS = `workspace_id, job_id, batch_id, tag, time_created, round, source_index, seq, variant_id, paragraph_id,
  from_version, module_id, type, field, language, time_start, time_end, moment, latitude, longitude, length, words`;

/** SQL: documents as rows, with their place in the list. Its values are those of `documentRows`. */
export const DOCUMENT_ROWS = `
  SELECT r.place, $1::uuid AS workspace_id, $2::uuid AS job_id, $3::uuid AS batch_id, $4::text AS tag,
         $5::timestamptz AS time_created, $6::int AS round, r.source_index, r.seq, r.variant_id, r.paragraph_id,
         r.from_version, r.module_id, r.type, r.field, r.language, r.time_start, r.time_end, r.moment, r.latitude,
         r.longitude, r.length,
         CASE WHEN r.configuration IS NULL THEN r.simple::tsvector
              ELSE r.simple::tsvector || setweight(to_tsvector(r.configuration::regconfig, r.stemmed), r.weight::"char")
         END AS words
    FROM jsonb_to_recordset($7::jsonb) AS r (
         place int, source_index int, seq int, variant_id uuid, paragraph_id uuid, from_version int, module_id text,
         type text, field text, language text, time_start float8, time_end float8, moment timestamptz, latitude float8,
         longitude float8, length int, simple text, configuration text, stemmed text, weight text)`;

/** Values of DOCUMENT_ROWS, and the words of the documents, each once. */
export function documentRows(
  job: IndexedJob,
  documents: readonly SearchDocument[],
  configurations: ReadonlySet<string>,
): { values: unknown[]; words: FieldWord[] } {
  const all = new Map<string, FieldWord>();
  const rows = documents.map((document, place) => {
    const { columns: words, words: own } = indexedWords(document.texts);
    for (const one of own) all.set(`${one.field} ${one.word}`, one);
    return { place, ...columnsOf(document, words, configurations) };
  });
  const values = [job.workspaceId, job.id, job.batchId, job.tag, job.timeCreated, job.round, JSON.stringify(rows)];
  return { values, words: [...all.values()] };
}

function columnsOf(document: SearchDocument, words: WordColumns, configurations: ReadonlySet<string>) {
  const { key, sourceIndex, moduleId, type, timeStart, timeEnd, moment, place } = document;
  const configuration = configurationOf(words.language);
  const hasStems = words.stemmed !== null && configuration !== null && configurations.has(configuration);
  return {
    ...words,
    // Labels have stems, and are said in no language.
    language: words.field === 'said' ? words.language : null,
    source_index: sourceIndex,
    seq: key.seq,
    variant_id: key.paragraph?.variantId ?? null,
    paragraph_id: key.paragraph?.id ?? null,
    from_version: key.paragraph?.fromVersion ?? null,
    module_id: moduleId,
    type,
    time_start: timeStart,
    time_end: timeEnd,
    moment,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    configuration: hasStems ? configuration : null,
  };
}

/** SQL: documents `d` of segments of the job `$1` from the number `$2` on. */
const BEHIND = 'd.job_id = $1 AND d.seq >= $2';

export async function removeSegments(
  manager: EntityManager,
  { jobId, from, limit }: { jobId: string; from: number; limit: number },
): Promise<number> {
  return removed(manager, BEHIND, [jobId, from], limit);
}

/** SQL: the newest paragraphs of transcripts of the job `$1`, as rows of `p`. */
const NEWEST = `transcript_paragraphs p
  JOIN transcript_variants v ON v.id = p.variant_id AND v.time_deleted IS NULL
  JOIN transcripts t ON t.id = v.transcript_id AND t.time_deleted IS NULL`;

/** SQL: those of the job `$1` that are not indexed as they are, in the round that is `round`. */
const unindexed = (round: string): string => `${NEWEST}
      WHERE p.job_id = $1 AND p.to_version IS NULL AND NOT EXISTS (
        SELECT 1 FROM search_documents d
         WHERE d.variant_id = p.variant_id AND d.paragraph_id = p.id AND d.from_version = p.from_version AND d.round = ${round})`;

/** SQL: documents `d` of paragraphs of the job `$1` that are no longer those of a newest version. */
const OUTDATED = `d.job_id = $1 AND d.variant_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ${NEWEST}
     WHERE p.variant_id = d.variant_id AND p.id = d.paragraph_id AND p.from_version = d.from_version AND p.to_version IS NULL)`;

export async function isComplete(manager: EntityManager, { id, round }: IndexedJob, from: number): Promise<boolean> {
  const [row]: [{ complete: boolean }] = await manager.query(
    `SELECT NOT EXISTS (SELECT 1 FROM search_documents d WHERE ${BEHIND})
        AND NOT EXISTS (SELECT 1 FROM ${unindexed('$3::int')})
        AND NOT EXISTS (SELECT 1 FROM search_documents d WHERE ${OUTDATED}) AS complete`,
    [id, from, round],
  );
  return row.complete;
}

export async function paragraphsToIndex(
  manager: EntityManager,
  { id, round }: IndexedJob,
  limit: number,
): Promise<DocumentKey[]> {
  const rows: { variantId: string; id: string; fromVersion: number }[] = await manager.query(
    `SELECT p.variant_id AS "variantId", p.id, p.from_version AS "fromVersion" FROM ${unindexed('$2')} LIMIT $3`,
    [id, round, limit],
  );
  return rows.map((paragraph) => ({ seq: null, paragraph }));
}

export async function removeParagraphs(manager: EntityManager, jobId: string, limit: number): Promise<number> {
  return removed(manager, OUTDATED, [jobId], limit);
}

/** Deletes at most `limit` documents `d`; returns how many. */
async function removed(manager: EntityManager, where: string, values: unknown[], limit: number): Promise<number> {
  const [row]: [{ count: number }] = await manager.query(
    `WITH gone AS (
       DELETE FROM search_documents WHERE id = ANY(ARRAY(
         SELECT d.id FROM search_documents d WHERE ${where} LIMIT $${values.length + 1})) RETURNING 1)
     SELECT count(*)::int AS count FROM gone`,
    [...values, limit],
  );
  return row.count;
}

/** Removes the documents of segments of a job by their numbers, in the transaction that changes or removes these. */
export async function removeDocuments(
  manager: EntityManager,
  segments: readonly { jobId: string; seq: number }[],
): Promise<void> {
  if (segments.length === 0) return;
  const gone: { workspaceId: string; words: string[] }[] = await manager.query(
    `WITH gone AS (
       DELETE FROM search_documents d USING unnest($1::uuid[], $2::int[]) AS s (job_id, seq)
        WHERE d.job_id = s.job_id AND d.seq = s.seq RETURNING d.workspace_id, d.words)
     SELECT workspace_id AS "workspaceId", array_agg(DISTINCT n.word) AS words
       FROM gone, LATERAL (${NAME_WORDS}) n GROUP BY 1 ORDER BY 1`,
    [segments.map(({ jobId }) => jobId), segments.map(({ seq }) => seq)],
  );
  for (const { workspaceId, words } of gone) await forgetNameWords(manager, workspaceId, words);
}

/** Removes the documents of a variant's paragraphs, or of those of all variants of a transcript. */
export async function removeTextDocuments(
  manager: EntityManager,
  of: { jobId: string; variantIds: readonly string[] },
): Promise<void> {
  await manager.query(`DELETE FROM search_documents WHERE job_id = $1 AND variant_id = ANY($2::uuid[])`, [
    of.jobId,
    [...of.variantIds],
  ]);
}

/** Documents that get new numbers at once; the others are indexed again, which the transaction need not wait for. */
const RENUMBERED_AT_ONCE = 10_000;

/**
 * Gives the documents of a job's segments the numbers that these are about to get: dense ones, in their order. Of many, those
 * of the first segments: the numbers of the others are wrong until they are indexed again, and answers leave them out.
 */
export async function renumberDocuments(
  manager: EntityManager,
  jobId: string,
  limit = RENUMBERED_AT_ONCE,
): Promise<void> {
  await manager.query(
    `UPDATE search_documents d SET seq = n.seq
       FROM (SELECT old, seq FROM (
               SELECT seq AS old, row_number() OVER (ORDER BY seq) - 1 AS seq FROM segments WHERE job_id = $1) numbered
              WHERE seq <> old ORDER BY old LIMIT $2) n
      WHERE d.job_id = $1 AND d.seq = n.old`,
    [jobId, limit],
  );
}
