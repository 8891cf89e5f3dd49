import { AditError } from '@adit/contracts';
import { inTransaction, TranscriptEntity, TranscriptVariantEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { exportPrefix } from '../keys.js';
import { deleteExports, ROWS_OF_STEP } from './erasures.js';
import { noteRemovals, type Removal } from '@adit/object-removals';

const always = (): Promise<boolean> => Promise.resolve(true);
/** Deleted transcripts, the oldest first. */
const DELETED = { where: { timeDeleted: Not(IsNull()) }, order: { timeDeleted: 'ASC' } } as const;

/**
 * Deletes transcripts of jobs that stay, and variants of transcripts. Transcripts of deleted jobs are erased with the
 * job.
 */
@Injectable()
export class TranscriptErasures {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Deletes the transcript: nobody finds it when this resolves. If it fails, the sweeper removes the rest. Throws
   * NOT_FOUND.
   */
  async delete(workspaceId: string, id: string): Promise<void> {
    const where = { id, workspaceId, timeDeleted: IsNull() };
    const { affected } = await this.db.manager.update(TranscriptEntity, where, { timeDeleted: new Date() });
    if (affected !== 1) throw new AditError('NOT_FOUND', `There is no transcript ${id}.`);
    await this.erase(id);
  }

  /** Returns some deleted transcripts that still have rows. */
  left(limit: number): Promise<{ id: string }[]> {
    return this.db.manager.find(TranscriptEntity, { ...DELETED, select: { id: true }, take: limit });
  }

  /** Returns some deleted variants. */
  leftVariants(limit: number): Promise<{ id: string }[]> {
    return this.db.manager.find(TranscriptVariantEntity, { ...DELETED, select: { id: true }, take: limit });
  }

  /** Erases in short steps; `shouldContinue` is called before each. */
  erase(id: string, shouldContinue = always): Promise<void> {
    return this.inSteps(async (manager) => (await eraseTranscriptStep(manager, id)).over, shouldContinue);
  }

  /** Erases a deleted variant in such steps. */
  eraseVariant(id: string, shouldContinue = always): Promise<void> {
    return this.inSteps((manager) => eraseVariantStep(manager, id), shouldContinue);
  }

  private async inSteps(
    step: (manager: EntityManager) => Promise<boolean>,
    shouldContinue: () => Promise<boolean>,
  ): Promise<void> {
    while (await shouldContinue()) if (await inTransaction(this.db, step)) return;
  }
}

/** Exports removed with a text, and their objects to remove. */
interface ErasedText {
  exports: number;
  removals: Removal[];
}

/** Erases some of a deleted transcript: writers of versions have ended, and none may begin. Its own row goes last. */
export async function eraseTranscriptStep(manager: EntityManager, id: string): Promise<ErasedText & { over: boolean }> {
  const { left, ...erased } = await eraseText(manager, { transcript_id: id });
  if (left <= 0) return { over: false, ...erased };
  await manager.query('DELETE FROM transcript_variants WHERE transcript_id = $1', [id]);
  await manager.delete(TranscriptEntity, { id });
  return { over: true, ...erased };
}

/** Locks the row: a build that does not know deleted variants may write versions until it is gone. */
async function eraseVariantStep(manager: EntityManager, id: string): Promise<boolean> {
  const [variant]: { transcript_id: string }[] = await manager.query(
    'SELECT transcript_id FROM transcript_variants WHERE id = $1 FOR UPDATE',
    [id],
  );
  if (variant === undefined) return true;
  if ((await eraseText(manager, { ...variant, variant_id: id })).left <= 0) return false;
  await manager.delete(TranscriptVariantEntity, { id });
  return true;
}

/**
 * Erases some of the text and the exports of a transcript, or of one variant. `left` is the step's remaining limit:
 * afterwards none is left.
 */
async function eraseText(
  manager: EntityManager,
  of: { transcript_id: string; variant_id?: string },
): Promise<ErasedText & { left: number }> {
  const gone = await deleteExports(manager, of, ROWS_OF_STEP);
  const removals = await noteRemovals(manager, gone.map(exportPrefix), { again: true });
  const [variants, id] =
    of.variant_id === undefined ? ['v.transcript_id = $1', of.transcript_id] : ['v.id = $1', of.variant_id];
  const rows = (table: string): string =>
    `SELECT p.ctid FROM ${table} p JOIN transcript_variants v ON v.id = p.variant_id WHERE ${variants}`;
  let left = ROWS_OF_STEP - gone.length;
  for (const [table, found] of [
    ['transcript_paragraphs', rows('transcript_paragraphs')],
    ['transcript_versions', rows('transcript_versions')],
    ['workspace_events', toldOf(of)],
  ] as const) {
    if (left <= 0) break;
    const [counts]: [{ gone: number }] = await manager.query(
      `WITH gone AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${found} LIMIT $2)) RETURNING 1)
       SELECT count(*)::int AS gone FROM gone`,
      [id, left],
    );
    left -= counts.gone;
  }
  return { left, exports: gone.length, removals };
}

/** SQL: events that hold the text `$1`. */
function toldOf({ variant_id: variant }: { variant_id?: string }): string {
  if (variant === undefined) return 'SELECT ctid FROM workspace_events WHERE subject_id = $1';
  return `SELECT e.ctid FROM workspace_events e JOIN transcript_variants v ON v.transcript_id = e.subject_id
           WHERE v.id = $1 AND $1::text IN (e.data->'version'->>'variant_id', e.data->'paragraph'->>'variant_id')`;
}
