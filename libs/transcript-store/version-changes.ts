import { randomUUID } from 'node:crypto';
import {
  AditError,
  TRANSCRIPT_LIMITS,
  zip,
  type ErrorDetail,
  type ParagraphChange,
  type ParagraphInsertion,
  type VersionChange,
} from '@adit/contracts';
import {
  isUuid,
  type TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from '@adit/database';
import { noteSearchable } from '@adit/search';
import { In, IsNull, type EntityManager } from 'typeorm';
import { isChanged, type AlignedWords } from './aligned-words.js';
import { copyParagraphs, insertParagraphs, type HeldBytes, type NewRow } from './paragraph-rows.js';
import { placesBehind } from './positions.js';
import { raiseVersionEvents } from './transcript-events.js';
import { findVersion } from './transcript-reader.js';
import { charge, type TranscriptBounds } from './transcript-quota.js';

/** A version that is being written, under the lock on its variant. */
export interface Work {
  manager: EntityManager;
  transcript: TranscriptEntity;
  variant: TranscriptVariantEntity;
  held: HeldBytes;
  bounds: TranscriptBounds;
  /** Id of the version. */
  id: string;
  number: number;
  /** Name of the key that writes it. */
  author: string;
}

/** Words are large: they are read and written apart from the rest of a row. */
type Alone = Omit<TranscriptParagraphEntity, 'words'>;
const ALONE = {
  variantId: true,
  id: true,
  fromVersion: true,
  toVersion: true,
  jobId: true,
  position: true,
  text: true,
  speaker: true,
  timeStart: true,
  timeEnd: true,
} as const satisfies Record<keyof Alone, true>;

/** The row that follows another. */
type Edited = Alone & { textChanged: boolean };
type Inserted = ParagraphInsertion & Pick<NewRow, 'words'>;

export interface Changes {
  edits: (Edited & Pick<NewRow, 'words'>)[];
  removed: string[];
  insertions: Inserted[];
}

/** Writes the version, and tells of it. Throws CONFLICT when it has too many paragraphs or bytes, STORAGE_FULL, NOT_FOUND. */
export async function commit(work: Work, { edits, removed, insertions }: Changes): Promise<TranscriptVersionEntity> {
  const { manager, variant, held, number } = work;
  const ended = [...edits.map(({ id }) => id), ...removed];
  if (ended.length > 0) {
    const where = { variantId: variant.id, id: In(ended), toVersion: IsNull() };
    await manager.update(TranscriptParagraphEntity, where, { toVersion: number });
  }
  await insertParagraphs(
    manager,
    held,
    edits.map(({ textChanged: _, toVersion: __, ...row }) => row),
  );
  const behind = new Map<string | null, Inserted[]>();
  for (const insertion of insertions) {
    const some = behind.get(insertion.after) ?? [];
    some.push(insertion);
    behind.set(insertion.after, some);
  }
  // From the last: what is behind a paragraph that was removed comes after what is behind those before it.
  for (const [after, some] of [...behind].reverse()) await insertBehind(work, after, some);
  const { paragraphs: before } = await findVersion(manager, variant);
  const paragraphs = before - removed.length + insertions.length;
  if (paragraphs > TRANSCRIPT_LIMITS.paragraphs) {
    throw new AditError('CONFLICT', `A transcript takes ${TRANSCRIPT_LIMITS.paragraphs} paragraphs.`);
  }
  const changed = edits.filter(({ textChanged }) => textChanged);
  return addVersion(work, { paragraphs, restored: null }, changed);
}

/** Brings an older version back: only what differs from the newest is written. Throws CONFLICT, NOT_FOUND. */
export async function restore(work: Work, version: string | number): Promise<TranscriptVersionEntity> {
  const { manager, variant, held, number } = work;
  const wanted = await findVersion(manager, variant, version);
  await manager.query(
    'UPDATE transcript_paragraphs SET to_version = $2 WHERE variant_id = $1 AND to_version IS NULL AND from_version > $3',
    [variant.id, number, wanted.version],
  );
  await copyParagraphs(manager, held, {
    variantId: variant.id,
    version: number,
    where: 'variant_id = $2 AND from_version <= $4 AND to_version > $4',
    values: [wanted.version],
  });
  return addVersion(work, { paragraphs: wanted.paragraphs, restored: wanted.version });
}

/** As it is now. CONFLICT when it was there at the base and was removed since; null when it was not. */
export async function newest(
  { manager, variant: { id: variantId, latestVersion } }: Work,
  id: string,
  base: number,
): Promise<TranscriptParagraphEntity | null> {
  const row = await manager.findOneBy(TranscriptParagraphEntity, { variantId, id, toVersion: IsNull() });
  if (row !== null) return row;
  if (await wasThere(manager, variantId, id, base)) throw changedSince(id, latestVersion);
  return null;
}

/** The row of a change but for its words; null when it changes nothing. Throws VALIDATION when it would end before it begins. */
export function edited(row: Alone, change: ParagraphChange, number: number, pointer = ''): Edited | null {
  const { text = row.text, speaker = row.speaker, ...times } = change;
  const { time_start: timeStart = row.timeStart, time_end: timeEnd = row.timeEnd } = times;
  if (timeEnd < timeStart) throw wrong(`${pointer}/time_end`, 'too_small', 'A paragraph ends after it has begun.');
  if (!isChanged(row, change)) return null;
  const next = { fromVersion: number, toVersion: null, text, speaker, timeStart, timeEnd };
  return { ...row, ...next, textChanged: text !== row.text };
}

/**
 * Collects the changes that a request makes to the newest version. Throws VALIDATION for a wrong name in the request,
 * CONFLICT for a paragraph that was changed or removed since the base.
 */
export async function changesOf(
  work: Work,
  { requested, base, aligned }: { requested: VersionChange[]; base: number; aligned: AlignedWords },
): Promise<Changes> {
  const { manager, variant } = work;
  const known = await findVersion(manager, variant, base).catch((error: unknown) => {
    if (AditError.from(error).code !== 'NOT_FOUND') throw error;
    throw wrong('/base_version', 'unknown_version', `There is no version ${base}.`);
  });
  const rows = await rowsNamed(work, requested);
  const seen = new Set<string>();
  const conflicts: ErrorDetail[] = [];
  const changes: Changes = { edits: [], removed: [], insertions: [] };
  for (const [at, change] of requested.entries()) {
    const pointer = `/changes/${at}`;
    const id = 'after' in change ? change.after : change.id;
    const row = id === null ? undefined : rows.get(id.toLowerCase());
    if (id !== null && row === undefined) {
      const there = isUuid(id) && (await wasThere(manager, variant.id, id, known.version));
      if (!there) throw unknownParagraph(change, id, pointer);
      conflicts.push({ pointer, code: 'removed_since', message: `Somebody has removed the paragraph ${id} since.` });
      continue;
    }
    if ('after' in change) {
      if (change.time_end < change.time_start) {
        throw wrong(`${pointer}/time_end`, 'too_small', 'A paragraph ends after it has begun.');
      }
      changes.insertions.push({ ...change, words: aligned.ofNew(change, pointer) });
      continue;
    }
    if (row === undefined) continue;
    if (seen.has(row.id)) throw wrong(`${pointer}/id`, 'duplicate', `The paragraph ${row.id} is named twice.`);
    seen.add(row.id);
    if (row.fromVersion > known.version) {
      conflicts.push({
        pointer,
        code: 'changed_since',
        message: `Somebody has changed the paragraph ${row.id} in version ${row.fromVersion}.`,
      });
    } else if ('remove' in change) changes.removed.push(row.id);
    else {
      const next = edited(row, change, work.number, pointer);
      if (next === null) continue;
      changes.edits.push({ ...next, words: await aligned.after(manager, row, change, pointer) });
    }
  }
  if (conflicts.length > 0) {
    throw new AditError('CONFLICT', 'Somebody has changed what you have edited: read it again, nothing was saved.', {
      errors: conflicts,
    });
  }
  return changes;
}

/** Returns the newest rows of the paragraphs that a request names, by their ids. */
async function rowsNamed({ manager, variant }: Work, requested: VersionChange[]): Promise<Map<string, Alone>> {
  const named = requested.flatMap((change) => ('after' in change ? (change.after ?? []) : change.id));
  const ids = [...new Set(named)].filter(isUuid);
  const found: Alone[] = await manager.find(TranscriptParagraphEntity, {
    select: ALONE,
    where: { variantId: variant.id, id: In(ids), toVersion: IsNull() },
  });
  return new Map(found.map((row) => [row.id, row]));
}

function unknownParagraph(change: VersionChange, id: string, pointer: string): AditError {
  const field = 'after' in change ? 'after' : 'id';
  return wrong(`${pointer}/${field}`, 'unknown_paragraph', `There is no paragraph ${id}.`);
}

/** Its place in the newest version, from 0. */
export async function indexOf({ manager, variant }: Work, id: string): Promise<number> {
  const [row]: { index: number }[] = await manager.query(
    `SELECT count(*)::int AS index FROM transcript_paragraphs p
      WHERE p.variant_id = $1 AND p.to_version IS NULL AND p.position <
        (SELECT position FROM transcript_paragraphs WHERE variant_id = $1 AND id = $2 AND to_version IS NULL)`,
    [variant.id, id],
  );
  return row?.index ?? 0;
}

export function changedSince(id: string, version: number): AditError {
  const message = `Somebody has changed the paragraph ${id} in version ${version}: read it again, nothing was saved.`;
  return new AditError('CONFLICT', message, { errors: [{ pointer: '', code: 'changed_since', message }] });
}

async function addVersion(
  { manager, transcript, variant, held, bounds, id, number: version, author }: Work,
  row: Pick<TranscriptVersionEntity, 'paragraphs' | 'restored'>,
  changed: Alone[] = [],
): Promise<TranscriptVersionEntity> {
  const variantId = variant.id;
  await manager.insert(TranscriptVersionEntity, { ...row, variantId, version, id, jobId: variant.jobId, author });
  const now = { latestVersion: version, lastNumber: version, bytes: held.bytes };
  await manager.update(TranscriptVariantEntity, { id: variantId }, now);
  const made = await manager.findOneByOrFail(TranscriptVersionEntity, { variantId, version });
  await noteSearchable(manager, [variant.jobId]);
  await raiseVersionEvents(manager, transcript, { ...variant, latestVersion: version }, made, changed);
  await charge(manager, transcript, { bytes: held.added, bounds });
  return made;
}

/** In their order between the paragraph that they name and the one behind that, or before all. */
async function insertBehind(
  { manager, variant, held, number }: Work,
  after: string | null,
  insertions: Inserted[],
): Promise<void> {
  const place = { variantId: variant.id, after, number };
  const positions = await placesBehind(manager, held, place, insertions.length);
  await insertParagraphs(
    manager,
    held,
    Array.from(zip(insertions, positions), ([insertion, position]) => {
      const { text, speaker, time_start: timeStart, time_end: timeEnd, words } = insertion;
      return {
        variantId: variant.id,
        id: randomUUID(),
        fromVersion: number,
        jobId: variant.jobId,
        position,
        text,
        speaker,
        timeStart,
        timeEnd,
        words,
      };
    }),
  );
}

async function wasThere(manager: EntityManager, variantId: string, id: string, version: number): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM transcript_paragraphs p WHERE p.variant_id = $1 AND p.id = $2 AND p.from_version <= $3
        AND (p.to_version IS NULL OR p.to_version > $3)`,
    [variantId, id, version],
  );
  return rows.length > 0;
}

function wrong(pointer: string, code: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code, message }] });
}
