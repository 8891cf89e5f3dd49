import type { TranscriptWord } from '@adit/contracts';
import { tooMany, type TranscriptParagraphEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { TranscriptQuota } from './transcript-quota.js';

/** Rows that are inserted together, and bytes of their words and texts: one statement is made and sent in one turn. */
const ROWS_PER_INSERT = 500;
const BYTES_PER_INSERT = 2 ** 20;

/** A row to insert; its words are JSON in UTF-8, as they are sent. */
export type NewRow = Omit<TranscriptParagraphEntity, 'toVersion' | 'words'> & { words: Buffer };

export function jsonOf(words: readonly TranscriptWord[]): Buffer {
  return Buffer.from(JSON.stringify(words));
}

const COLUMNS = 'variant_id, id, from_version, job_id, position, text, speaker, time_start, time_end, words';

/**
 * SQL: bytes of a row. Words count as JSON: what they take on disk depends on how well they are compressed. An empty row takes 256
 * with its entries in the indexes, as measured; a position has hundreds of digits where hundreds of edits put something into
 * the same place.
 */
const BYTES =
  '256 + length(position::text) + octet_length(text) + coalesce(octet_length(speaker), 0) + octet_length(words::text)';

/** Bytes of the rows of a variant, kept up to date by the transaction that holds its lock and writes and deletes rows. */
export class HeldBytes {
  private readonly before: number;

  private constructor(
    private held: number,
    private readonly most: number,
    /** Advice in the error when a quota is exceeded. */
    private readonly advice: string,
    /** Remaining quota of the workspace, where known. */
    private readonly shared: TranscriptQuota | null,
  ) {
    this.before = held;
  }

  /** Starts from zero, for a variant without rows. */
  static none(most: number, shared: TranscriptQuota | null = null): HeldBytes {
    return new HeldBytes(0, most, 'this one would begin with more, so begin with a shorter recording or text', shared);
  }

  /** Starts from an existing variant, whose bytes are counted unless its column has them. */
  static async of(
    manager: EntityManager,
    { id, bytes }: { id: string; bytes: string | null },
    most: number,
    shared: TranscriptQuota | null = null,
  ): Promise<HeldBytes> {
    const held =
      bytes ??
      (await sumOf(manager, `SELECT ${BYTES} AS bytes FROM transcript_paragraphs WHERE variant_id = $1`, [id]));
    return new HeldBytes(Number(held), most, 'delete older versions, or make a new variant', shared);
  }

  /** Value for the column of the variant. */
  get bytes(): string {
    return String(this.held);
  }

  /** Bytes added since the start; negative when some were freed. */
  get added(): number {
    return this.held - this.before;
  }

  /** Remaining bytes; 0 after a quota was lowered, where only writes that add nothing are saved. */
  get remaining(): number {
    return Math.max(0, Math.min(this.most - this.held, this.shared?.left ?? Infinity));
  }

  /** Throws CONFLICT when they exceed the variant's quota, STORAGE_FULL when they exceed the workspace's. */
  take(bytes: number): void {
    if (bytes > this.remaining) {
      if (bytes > this.most - this.held || this.shared === null) {
        throw tooMany(
          `A variant of a transcript holds at most ${this.most} bytes in all its versions; ${this.advice}.`,
        );
      }
      throw this.shared.refusal;
    }
    this.held += bytes;
    if (this.shared !== null) this.shared.left -= bytes;
  }

  /** Not below zero, where another build has written what was not counted. */
  giveBack(bytes: number): void {
    this.held = Math.max(0, this.held - bytes);
  }
}

/** Throws CONFLICT when they exceed the variant's quota; statements after the first one that does are not sent. */
export async function insertParagraphs(
  manager: EntityManager,
  held: HeldBytes,
  rows: readonly NewRow[],
): Promise<void> {
  for (const some of batchesOf(rows)) {
    // A list for each column: a parameter for each value would take longer than all else. One of JSON texts would be escaped
    // character by character, bytes are sent as they are.
    await insertSelected(
      manager,
      held,
      `SELECT * FROM ROWS FROM (
         unnest($2::uuid[], $3::uuid[], $4::int[], $5::uuid[], $6::numeric[], $7::text[], $8::text[], $9::float8[], $10::float8[]),
         jsonb_array_elements(convert_from($11::bytea, 'UTF8')::jsonb))`,
      [
        ...(
          ['variantId', 'id', 'fromVersion', 'jobId', 'position', 'text', 'speaker', 'timeStart', 'timeEnd'] as const
        ).map((column) => some.map((row) => row[column])),
        listOf(some.map(({ words }) => words)),
      ],
    );
  }
}

function* batchesOf(rows: readonly NewRow[]): Generator<NewRow[]> {
  let some: NewRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const own = row.words.byteLength + Buffer.byteLength(row.text);
    if (some.length === ROWS_PER_INSERT || (some.length > 0 && bytes + own > BYTES_PER_INSERT)) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(row);
    bytes += own;
  }
  if (some.length > 0) yield some;
}

/** JSON texts as one JSON list. */
function listOf(texts: readonly Buffer[]): Buffer {
  const parts = texts.flatMap((text, at) => [Buffer.from(at === 0 ? '[' : ','), text]);
  return Buffer.concat([...parts, Buffer.from(']')]);
}

/** As paragraphs that this version of the variant begins with. `values` are `$4` and on of `where`. Throws CONFLICT. */
export async function copyParagraphs(
  manager: EntityManager,
  held: HeldBytes,
  { variantId, version, where, values }: { variantId: string; version: number; where: string; values: unknown[] },
): Promise<void> {
  const rows = `SELECT $2::uuid, id, $3::int, job_id, position, text, speaker, time_start, time_end, words
       FROM transcript_paragraphs WHERE ${where}`;
  await insertSelected(manager, held, rows, [variantId, version, ...values]);
}

/** Deletes rows `p`. */
export async function deleteParagraphs(
  manager: EntityManager,
  held: HeldBytes,
  where: string,
  values: unknown[],
): Promise<void> {
  held.giveBack(
    await sumOf(manager, `DELETE FROM transcript_paragraphs p WHERE ${where} RETURNING ${BYTES} AS bytes`, values),
  );
}

/** Writes all of them, or none where they exceed the quota. */
async function insertSelected(manager: EntityManager, held: HeldBytes, rows: string, values: unknown[]): Promise<void> {
  const [{ bytes }] = await manager.query<[{ bytes: number }]>(
    `WITH p (${COLUMNS}) AS MATERIALIZED (${rows}),
          counted AS MATERIALIZED (SELECT coalesce(sum(${BYTES}), 0)::float8 AS bytes FROM p),
          written AS (INSERT INTO transcript_paragraphs (${COLUMNS}) SELECT p.* FROM p, counted WHERE bytes <= $1::float8)
     SELECT bytes FROM counted`,
    [held.remaining, ...values],
  );
  held.take(bytes);
}

async function sumOf(manager: EntityManager, rows: string, values: unknown[]): Promise<number> {
  const [{ bytes }] = await manager.query<[{ bytes: number }]>(
    `WITH p AS (${rows}) SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM p`,
    values,
  );
  return bytes;
}
