import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  AditError,
  type PageQuery,
  type ParagraphDifference,
  type Transcript,
  type TranscriptParagraph,
} from '@adit/contracts';
import {
  containing,
  fromRow,
  isUuid,
  offsetOf,
  placeOf,
  readPage,
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
  type FoundPage,
} from '@adit/database';
import { shownColumns, type ShownRow } from '@adit/presentation';
import { commonRun, tokensOf, type SpokenParagraph } from '@adit/transcripts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { presentAlone, presentParagraph, presentTranscript } from './present-transcript.js';

type Page = Pick<PageQuery, 'offset' | 'limit' | 'cursor'>;

interface TranscriptFilter extends PageQuery {
  search?: string | undefined;
  tag?: string | undefined;
  job_id?: string | undefined;
}

/** A version of a variant, by the rows that lead to it. */
export interface VersionPlace {
  transcript: TranscriptEntity;
  variant: TranscriptVariantEntity;
  version: TranscriptVersionEntity;
}

/** SQL: paragraphs `p` of a variant that are in the version of this parameter. */
function inVersion(variant: string, version: string): string {
  return `p.variant_id = ${variant} AND p.from_version <= ${version} AND (p.to_version IS NULL OR p.to_version > ${version})`;
}

/** Characters of a page, and words: each has its times, so that they are some 8 MB of JSON. */
const MAX_CHARACTERS = 1_000_000;
const MAX_WORDS = 100_000;

/** SQL: as many of these paragraphs as one page holds, and one at least. */
function shortened(paragraphs: string): string {
  return `SELECT * FROM (
      SELECT q.*, sum(length(q.text)) OVER places AS characters, sum(jsonb_array_length(q.words)) OVER places AS word_count,
             row_number() OVER places AS place
        FROM (${paragraphs}) q WINDOW places AS (ORDER BY q.position)) q
     WHERE (characters <= ${MAX_CHARACTERS} AND word_count <= ${MAX_WORDS}) OR place = 1 ORDER BY position`;
}

/** The read side of transcripts. What belongs to another workspace, or to a job that was deleted, is not found. */
@Injectable()
export class TranscriptReader {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Newest first. */
  async list(
    workspaceId: string,
    { search, tag, job_id: jobId, ...page }: TranscriptFilter,
    baseUrl: string,
  ): Promise<Pick<FoundPage<never>, 'total' | 'next'> & { transcripts: Transcript[] }> {
    if (jobId !== undefined && !isUuid(jobId)) return { total: 0, transcripts: [], next: null };
    const query = this.db.manager
      .createQueryBuilder(TranscriptEntity, 't')
      .where('t.workspaceId = :workspaceId AND t.timeDeleted IS NULL', { workspaceId })
      .andWhere('EXISTS (SELECT 1 FROM jobs j WHERE j.id = t.job_id AND j.time_deleted IS NULL)');
    if (tag !== undefined) query.andWhere('t.tag = :tag', { tag });
    if (jobId !== undefined) query.andWhere('t.jobId = :jobId', { jobId });
    if (search !== undefined && search !== '') {
      const named =
        'EXISTS (SELECT 1 FROM job_sources s WHERE s.job_id = t.job_id AND s.uri = t.source AND s.name ILIKE :pattern)';
      query.andWhere(`(t.id::text ILIKE :pattern OR t.tag ILIKE :pattern OR t.source ILIKE :pattern OR ${named})`, {
        pattern: containing(search),
      });
    }
    const { rows, total, next } = await readPage(query, page, [
      { by: 't.timeCreated', kind: 'time', descending: true },
      { by: 't.id', kind: 'uuid', descending: true },
    ]);
    const jobs = await shownJobs(
      this.db.manager,
      rows.map((row) => row.jobId),
    );
    const shown = rows.flatMap((row) => {
      const job = jobs.get(row.jobId);
      return job === undefined ? [] : [presentTranscript(row, job, baseUrl)];
    });
    return { total, next, transcripts: shown };
  }

  async one(workspaceId: string, id: string, baseUrl: string): Promise<Transcript> {
    const row = await findTranscript(this.db.manager, workspaceId, id);
    const job = (await shownJobs(this.db.manager, [row.jobId])).get(row.jobId);
    if (job === undefined) throw unknown('transcript', id);
    return presentTranscript(row, job, baseUrl);
  }

  transcript(workspaceId: string, id: string): Promise<TranscriptEntity> {
    return findTranscript(this.db.manager, workspaceId, id);
  }

  /** In the order in which they were made: the first one is what was said. */
  variants(transcriptId: string, page: PageQuery): Promise<FoundPage<TranscriptVariantEntity>> {
    const { where } = variantsOf(transcriptId);
    const found = this.db.manager.createQueryBuilder(TranscriptVariantEntity, 'v').where(where);
    return readPage(found, page, [
      { by: 'v.timeCreated', kind: 'time' },
      { by: 'v.id', kind: 'uuid' },
    ]);
  }

  async variant(
    workspaceId: string,
    transcriptId: string,
    variantId: string,
  ): Promise<{ transcript: TranscriptEntity; variant: TranscriptVariantEntity }> {
    const transcript = await findTranscript(this.db.manager, workspaceId, transcriptId);
    return { transcript, variant: await findVariant(this.db.manager, transcript.id, variantId) };
  }

  /** Newest first. */
  versions(variantId: string, page: PageQuery): Promise<FoundPage<TranscriptVersionEntity>> {
    const found = this.db.manager.createQueryBuilder(TranscriptVersionEntity, 'v').where({ variantId });
    return readPage(found, page, [{ by: 'v.version', kind: 'number', descending: true }]);
  }

  /** By number or id; the newest when it is left out. */
  async version(
    workspaceId: string,
    transcriptId: string,
    variantId: string,
    version?: string | number,
  ): Promise<VersionPlace> {
    const { transcript, variant } = await this.variant(workspaceId, transcriptId, variantId);
    return { transcript, variant, version: await findVersion(this.db.manager, variant, version) };
  }

  /**
   * A page in their order; `search` leaves those whose text contains it, or whose speaker does. Where they are long it holds
   * fewer, and `limit` says how many. A version never changes, so that a place in it is a number.
   */
  async paragraphs(
    { variant, version }: Pick<VersionPlace, 'variant' | 'version'>,
    { search, ...page }: Page & { search?: string | undefined },
  ): Promise<{ total: number; limit: number; next: string | null; paragraphs: TranscriptParagraph[] }> {
    const { limit } = page;
    const offset = offsetOf(page);
    const place = [variant.id, version.version];
    if (search === undefined || search === '') {
      const rows = await this.db.query<Record<string, unknown>[]>(
        shortened(
          `SELECT p.* FROM transcript_paragraphs p WHERE ${inVersion('$1', '$2')} ORDER BY p.position OFFSET $3 LIMIT $4`,
        ),
        [...place, offset, limit],
      );
      const paragraphs = rows.map((row, at) => presentParagraph(paragraphOf(row), offset + at));
      const { paragraphs: total } = version;
      return { total, paragraphs, ...shownOf(paragraphs.length, { offset, limit, total }) };
    }
    const matching = `${inVersion('$1', '$2')} AND (p.text ILIKE $3 OR p.speaker ILIKE $3)`;
    const sought = [...place, containing(search)];
    const [{ total }] = await this.db.query<[{ total: number }]>(
      `SELECT count(*)::int AS total FROM transcript_paragraphs p WHERE ${matching}`,
      sought,
    );
    const rows = await this.db.query<(Record<string, unknown> & { index: number })[]>(
      shortened(
        `WITH places AS MATERIALIZED (
           SELECT p.id, (row_number() OVER (ORDER BY p.position) - 1)::int AS index
             FROM transcript_paragraphs p WHERE ${inVersion('$1', '$2')})
         SELECT p.*, places.index FROM transcript_paragraphs p JOIN places ON places.id = p.id
          WHERE ${matching} ORDER BY p.position OFFSET $4 LIMIT $5`,
      ),
      [...sought, offset, limit],
    );
    return {
      total,
      ...shownOf(rows.length, { offset, limit, total }),
      paragraphs: rows.map((row) => presentParagraph(paragraphOf(row), row.index)),
    };
  }

  async paragraph({ variant, version }: VersionPlace, id: string): Promise<TranscriptParagraph> {
    const [row] = isUuid(id)
      ? await this.db.query<(Record<string, unknown> & { index: number })[]>(
          `SELECT p.*, (SELECT count(*)::int FROM transcript_paragraphs p, transcript_paragraphs o
              WHERE ${inVersion('$1', '$2')} AND o.variant_id = $1 AND o.id = $3 AND p.position < o.position
                AND o.from_version <= $2 AND (o.to_version IS NULL OR o.to_version > $2)) AS index
             FROM transcript_paragraphs p WHERE ${inVersion('$1', '$2')} AND p.id = $3`,
          [variant.id, version.version, id],
        )
      : [];
    if (row === undefined) throw unknown('paragraph', id);
    return presentParagraph(paragraphOf(row), row.index);
  }

  /** All of them, read in pages; `read` is called after each. */
  async *spoken(place: VersionPlace, read: (count: number) => Promise<void>): AsyncGenerator<SpokenParagraph> {
    for (let offset = 0; offset < place.version.paragraphs;) {
      const { paragraphs } = await this.paragraphs(place, { offset, limit: 500 });
      // It was deleted meanwhile.
      if (paragraphs.length === 0) return;
      yield* paragraphs;
      offset += paragraphs.length;
      await read(offset);
    }
  }

  /** Differences between two versions of a variant, in the order of the paragraphs. Long ones make a page shorter, as its `limit` says. */
  async differences(
    before: VersionPlace,
    after: TranscriptVersionEntity,
    page: Page,
  ): Promise<{ total: number; limit: number; next: string | null; differences: ParagraphDifference[] }> {
    const { limit } = page;
    const offset = offsetOf(page);
    const changed = `
      WITH b AS (SELECT p.* FROM transcript_paragraphs p WHERE ${inVersion('$1', '$2')}
                    AND NOT (p.from_version <= $3 AND (p.to_version IS NULL OR p.to_version > $3))),
           a AS (SELECT p.* FROM transcript_paragraphs p WHERE ${inVersion('$1', '$3')}
                    AND NOT (p.from_version <= $2 AND (p.to_version IS NULL OR p.to_version > $2))),
           changed AS (
             SELECT to_jsonb(b) - 'words' AS before, to_jsonb(a) - 'words' AS after,
                    coalesce(a.position, b.position) AS position, coalesce(a.id, b.id) AS id
               FROM b FULL JOIN a ON a.id = b.id
              WHERE (b.text, b.speaker, b.time_start, b.time_end)
                    IS DISTINCT FROM (a.text, a.speaker, a.time_start, a.time_end))`;
    const place = [before.variant.id, before.version.version, after.version];
    const [{ total }] = await this.db.query<[{ total: number }]>(
      `${changed} SELECT count(*)::int AS total FROM changed`,
      place,
    );
    const rows = await this.db.query<
      { before: Record<string, unknown> | null; after: Record<string, unknown> | null }[]
    >(`${changed} SELECT before, after FROM changed ORDER BY position, id OFFSET $4 LIMIT $5`, [
      ...place,
      offset,
      limit,
    ]);
    const differences: ParagraphDifference[] = [];
    let words = 0;
    for (const row of rows) {
      const next = difference(row.before, row.after);
      words += next.words.length;
      if (words > MAX_WORDS && differences.length > 0) break;
      differences.push(next);
      // Long paragraphs take milliseconds each.
      await yieldToOthers();
    }
    return { total, differences, ...shownOf(differences.length, { offset, limit, total }) };
  }
}

/** Throws NOT_FOUND. */
export async function findTranscript(
  manager: EntityManager,
  workspaceId: string,
  id: string,
): Promise<TranscriptEntity> {
  const row = isUuid(id)
    ? await manager
        .createQueryBuilder(TranscriptEntity, 't')
        .where('t.id = :id AND t.workspaceId = :workspaceId AND t.timeDeleted IS NULL', { id, workspaceId })
        .andWhere('EXISTS (SELECT 1 FROM jobs j WHERE j.id = t.job_id AND j.time_deleted IS NULL)')
        .getOne()
    : null;
  if (row === null) throw unknown('transcript', id);
  return row;
}

/** Those that are there, in the order in which they were made: the first one is the original. */
export function variantsOf(transcriptId: string) {
  const order = { timeCreated: 'ASC', id: 'ASC' } as const;
  return { where: { transcriptId, timeDeleted: IsNull() }, order };
}

/** Throws NOT_FOUND. With `lock` nobody else writes versions of it until the caller's transaction has ended. */
export async function findVariant(
  manager: EntityManager,
  transcriptId: string,
  id: string,
  lock?: 'pessimistic_write' | 'pessimistic_read',
): Promise<TranscriptVariantEntity> {
  const row = isUuid(id)
    ? await manager.findOne(TranscriptVariantEntity, {
        where: { id, transcriptId, timeDeleted: IsNull() },
        ...(lock !== undefined && { lock: { mode: lock } }),
      })
    : null;
  if (row === null) throw unknown('variant', id);
  return row;
}

/** By number or id; the newest when it is left out. Throws NOT_FOUND. */
export async function findVersion(
  manager: EntityManager,
  { id: variantId, latestVersion }: TranscriptVariantEntity,
  version: string | number = latestVersion,
): Promise<TranscriptVersionEntity> {
  const text = String(version);
  const where = isUuid(text)
    ? { variantId, id: text }
    : /^[1-9]\d{0,8}$/.test(text)
      ? { variantId, version: Number(text) }
      : null;
  const row = where === null ? null : await manager.findOneBy(TranscriptVersionEntity, where);
  if (row === null) throw unknown('version', text);
  return row;
}

/** Jobs as lists show them, by id; those that were deleted are missing. */
async function shownJobs(manager: EntityManager, ids: string[]): Promise<Map<string, ShownRow>> {
  if (ids.length === 0) return new Map();
  const rows: ShownRow[] = await manager.query(
    `SELECT ${shownColumns('listed')} FROM jobs j WHERE j.id = ANY($1::uuid[]) AND j.time_deleted IS NULL`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Limit and continuation of a page with `count` entries. The limit is below the requested one only where more entries follow. */
function shownOf(count: number, { offset, limit, total }: { offset: number; limit: number; total: number }) {
  const isMore = count > 0 && offset + count < total;
  return { limit: isMore && count < limit ? count : limit, next: isMore ? placeOf([offset + count]) : null };
}

export function unknown(kind: string, id: string): AditError {
  return new AditError('NOT_FOUND', `There is no ${kind} ${id}.`);
}

export function paragraphOf(row: Record<string, unknown>): TranscriptParagraphEntity {
  return fromRow(TranscriptParagraphEntity, row);
}

function difference(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): ParagraphDifference {
  const [old, now] = [before, after].map((row) => (row === null ? null : presentAlone(paragraphOf(row))));
  const kind = old == null ? 'added' : now == null ? 'removed' : 'changed';
  return {
    id: (now ?? old)?.id ?? '',
    kind,
    before: old ?? null,
    after: now ?? null,
    words: [...wordDifferences(old?.text ?? '', now?.text ?? '')],
  };
}

function* wordDifferences(before: string, after: string): Generator<ParagraphDifference['words'][number]> {
  const wordsOf = (text: string): string[] => tokensOf(text).map((token) => token.text);
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let [oldFrom, nowFrom] = [0, 0];
  for (const [oldAt, nowAt] of [...commonRun(old, now), [old.length, now.length] as const]) {
    for (const text of old.slice(oldFrom, oldAt)) yield { kind: 'removed', text };
    for (const text of now.slice(nowFrom, nowAt)) yield { kind: 'added', text };
    const same = old[oldAt];
    if (same !== undefined) yield { kind: 'same', text: same };
    [oldFrom, nowFrom] = [oldAt + 1, nowAt + 1];
  }
}
