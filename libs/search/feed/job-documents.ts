import { identityLabel } from '@adit/contracts';
import { findableOf, type FindableText, type ModuleRegistry } from '@adit/module-kit';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { unreadableSegments } from '../metrics.js';
import type { DocumentKey, IndexedJob, SearchDocument } from '../port.js';

const log = createLogger('search');
/** The module whose segments transcripts are made of, and the types of these. */
const SPEECH = 'speech_recognition';
const TRANSCRIBED = ['speech', 'translation'];
/** Characters of segments that are read at once, but for the last one. */
const CHARACTERS_PER_STEP = 200_000;

/** A job with what its documents are made of. */
export interface JobToIndex extends IndexedJob {
  /** Wall clock of time 0 by source, of live streams. */
  zeroAt: ReadonlyMap<number, Date>;
  /** Sources with a transcript: its newest versions are what was said. */
  transcribed: ReadonlySet<number>;
}

/** Reads a job, by one statement; null when it is deleted. */
export async function jobToIndex(manager: EntityManager, id: string, round: number): Promise<JobToIndex | null> {
  const [row]: (Omit<IndexedJob, 'round'> & { streams: [number, string][]; transcribed: number[] })[] =
    await manager.query(
      `SELECT j.id, j.workspace_id AS "workspaceId", j.batch_id AS "batchId", j.tag, j.time_created AS "timeCreated",
            (SELECT coalesce(jsonb_agg(jsonb_build_array(s.source_index, s.zero_at)), '[]') FROM streams s
              WHERE s.job_id = j.id AND s.zero_at IS NOT NULL) AS streams,
            ARRAY(SELECT DISTINCT s.index FROM transcripts t JOIN job_sources s ON s.job_id = t.job_id AND s.uri = t.source
                   WHERE t.job_id = j.id AND t.time_deleted IS NULL) AS transcribed
       FROM jobs j WHERE j.id = $1 AND j.time_deleted IS NULL`,
      [id],
    );
  if (row === undefined) return null;
  const { streams, transcribed, ...job } = row;
  const zeroAt = new Map(streams.map(([index, at]): [number, Date] => [index, new Date(at)]));
  return { ...job, round, zeroAt, transcribed: new Set(transcribed) };
}

interface SegmentRow {
  seq: number;
  moduleId: string;
  type: string;
  label: string;
  meta: Record<string, unknown>;
  sourceIndex: number;
  timeStart: number;
  timeEnd: number;
  identityNumber: number | null;
  /** Name of the person of an index collection. */
  named: string | null;
}

/** What was read of a job's segments from a number on. */
interface ReadSegments {
  documents: SearchDocument[];
  /** Number behind the last one that was read. */
  to: number;
  /** There are no more. */
  over: boolean;
}

/**
 * Documents of the job's segments from a number on, without speech that a transcript holds by now: at most `limit`, and
 * fewer where their texts are long.
 */
export async function documentsOfSegments(
  manager: EntityManager,
  modules: ModuleRegistry,
  job: JobToIndex,
  { from, limit, withTranscribed = false }: { from: number; limit: number; withTranscribed?: boolean },
): Promise<ReadSegments> {
  // The words of speech, with their times, are the largest part of it.
  const rows: SegmentRow[] = await manager.query(
    `SELECT s.seq, s.module_id AS "moduleId", s.type, s.label, s.meta - 'words' AS meta, s.source_index AS "sourceIndex",
            s.time_start AS "timeStart", s.time_end AS "timeEnd", s.identity_number AS "identityNumber",
            (SELECT nullif(i.label, '') FROM index_identities a
               JOIN index_identities i ON i.index_id = coalesce(a.merged_into, a.index_id)
               JOIN index_collections c ON c.id = i.collection_id AND c.time_deleted IS NULL
              WHERE a.index_id = s.index_id) AS named
       FROM segments s WHERE s.job_id = $1 AND s.seq >= $2 ORDER BY s.seq LIMIT $3`,
    [job.id, from, limit],
  );
  const documents: SearchDocument[] = [];
  let characters = 0;
  for (const [at, row] of rows.entries()) {
    const { moduleId, type, sourceIndex } = row;
    const isTranscribed = moduleId === SPEECH && TRANSCRIBED.includes(type) && job.transcribed.has(sourceIndex);
    const document = isTranscribed && !withTranscribed ? null : documentOf(modules, job, row);
    if (document === null) continue;
    documents.push(document);
    characters += document.texts.reduce((sum, { text }) => sum + text.length, 0);
    if (characters > CHARACTERS_PER_STEP && at + 1 < rows.length) return { documents, to: row.seq + 1, over: false };
  }
  return { documents, to: (rows.at(-1)?.seq ?? from - 1) + 1, over: rows.length < limit };
}

/** Null for a segment without texts, and for one that its module cannot read: the others are found all the same. */
function documentOf(modules: ModuleRegistry, job: JobToIndex, row: SegmentRow): SearchDocument | null {
  const { seq, moduleId, type, meta, sourceIndex, timeStart, timeEnd } = row;
  try {
    const { texts, place = null } = findableOf(modules.find(moduleId), { type, label: shownLabel(row), meta });
    if (texts.length === 0) return null;
    const moment = momentOf(job, sourceIndex, timeStart);
    return { key: { seq, paragraph: null }, sourceIndex, moduleId, type, timeStart, timeEnd, moment, texts, place };
  } catch (error) {
    unreadableSegments.inc({ module: moduleId });
    log.error(
      { err: error, jobId: job.id, segment: seq, module: moduleId },
      'a segment cannot be found: its module cannot read it',
    );
    return null;
  }
}

function shownLabel({ label, identityNumber, named }: SegmentRow): string {
  if (identityNumber !== null) return identityLabel(identityNumber);
  return named ?? label;
}

function momentOf({ zeroAt, timeCreated }: JobToIndex, sourceIndex: number, timeStart: number): Date {
  const zero = zeroAt.get(sourceIndex);
  return zero === undefined ? timeCreated : new Date(zero.getTime() + timeStart * 1000);
}

interface ParagraphRow {
  variantId: string;
  id: string;
  fromVersion: number;
  language: string | null;
  text: string;
  speaker: string | null;
  timeStart: number;
  timeEnd: number;
  sourceIndex: number;
}

/** Documents of paragraphs of transcripts. */
export async function documentsOfParagraphs(
  manager: EntityManager,
  job: JobToIndex,
  keys: readonly DocumentKey[],
): Promise<SearchDocument[]> {
  const paragraphs = keys.flatMap(({ paragraph }) => paragraph ?? []);
  const rows: ParagraphRow[] = await manager.query(
    `SELECT p.variant_id AS "variantId", p.id, p.from_version AS "fromVersion", v.language, p.text, p.speaker,
            p.time_start AS "timeStart", p.time_end AS "timeEnd", coalesce(s.index, 0) AS "sourceIndex"
       FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS k (variant_id, id, from_version)
       JOIN transcript_paragraphs p ON p.variant_id = k.variant_id AND p.id = k.id AND p.from_version = k.from_version
       JOIN transcript_variants v ON v.id = p.variant_id
       JOIN transcripts t ON t.id = v.transcript_id
       LEFT JOIN LATERAL (SELECT min(index) AS index FROM job_sources s WHERE s.job_id = t.job_id AND s.uri = t.source) s ON true`,
    [
      paragraphs.map(({ variantId }) => variantId),
      paragraphs.map(({ id }) => id),
      paragraphs.map(({ fromVersion }) => fromVersion),
    ],
  );
  return rows.map(({ variantId, id, fromVersion, language, text, speaker, timeStart, timeEnd, sourceIndex }) => {
    const texts: FindableText[] = [{ field: 'said', text, language }];
    if (speaker !== null && speaker !== '') texts.push({ field: 'who', text: speaker });
    return {
      key: { seq: null, paragraph: { variantId, id, fromVersion } },
      ...{ sourceIndex, timeStart, timeEnd, texts },
      ...{ moduleId: SPEECH, type: 'speech', place: null },
      moment: momentOf(job, sourceIndex, timeStart),
    };
  });
}
