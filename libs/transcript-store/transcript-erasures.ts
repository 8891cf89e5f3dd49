import { AditError } from '@adit/contracts';
import {
  hangsOn,
  inTransaction,
  returned,
  rowsOfJob,
  rowsOfWorkspace,
  TranscriptEntity,
  TranscriptVariantEntity,
  type RowsOfWorkspace,
} from '@adit/database';
import { deleteExports, exportPrefix } from '@adit/artifacts';
import { noteRemovals, type Removal } from '@adit/object-removals';
import { deleteEventsOfText } from '@adit/webhooks';
import { forgetTexts } from '@adit/search';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';

/** Rows that one step deletes at the most. */
const ROWS_OF_STEP = 1_000;
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
    await inTransaction(this.db, async (manager) => {
      const { affected } = await manager.update(TranscriptEntity, where, { timeDeleted: new Date() });
      if (affected !== 1) throw new AditError('NOT_FOUND', `There is no transcript ${id}.`);
      await forgetTranscripts(manager, [id]);
    });
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

/** In this order: whoever writes a version finds its transcript gone, or has written what the next table finds. */
export const TRANSCRIPTS_OF_JOB = [
  rowsOfJob('transcripts'),
  rowsOfJob('transcript_variants'),
  rowsOfJob('transcript_versions'),
  rowsOfJob('transcript_paragraphs'),
];

/** SQL: the row is of a variant of a transcript of the workspace. */
const OF_VARIANT = `variant_id IN (
  SELECT v.id FROM transcript_variants v JOIN transcripts t ON t.id = v.transcript_id WHERE t.workspace_id = $1)`;

/** Rows erased with their workspace, in this order: referencing rows before referenced ones. */
export const TRANSCRIPT_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('transcript_paragraphs', { where: OF_VARIANT }),
  rowsOfWorkspace('transcript_versions', { where: OF_VARIANT }),
  rowsOfWorkspace('transcript_variants', { where: hangsOn('transcript_id', 'transcripts') }),
  rowsOfWorkspace('transcripts', { kind: 'transcripts' }),
];

/** Marks the transcripts of a source of a job as deleted; answers their ids. What is written of one right now is waited for. */
export async function hideTranscripts(manager: EntityManager, jobId: string, source: string): Promise<string[]> {
  const hidden = returned<{ id: string }>(
    await manager.query(
      `UPDATE transcripts SET time_deleted = now() WHERE job_id = $1 AND source = $2 AND time_deleted IS NULL RETURNING id`,
      [jobId, source],
    ),
  );
  const ids = hidden.map(({ id }) => id);
  await forgetTranscripts(manager, ids);
  return ids;
}

/** Their text is not found any more when the transaction ends. */
async function forgetTranscripts(manager: EntityManager, ids: readonly string[]): Promise<void> {
  const variants: { id: string; jobId: string }[] = await manager.query(
    'SELECT id, job_id AS "jobId" FROM transcript_variants WHERE transcript_id = ANY($1::uuid[])',
    [ids],
  );
  for (const jobId of new Set(variants.map((variant) => variant.jobId))) {
    const variantIds = variants.flatMap((variant) => (variant.jobId === jobId ? [variant.id] : []));
    await forgetTexts(manager, { jobId, variantIds });
  }
}

/** Exports that went with a text, and what is to go of them from the object store. */
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
  let left = ROWS_OF_STEP - gone.length;
  for (const table of ['transcript_paragraphs', 'transcript_versions']) {
    if (left <= 0) break;
    const [counts]: [{ gone: number }] = await manager.query(
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT p.ctid FROM ${table} p JOIN transcript_variants v ON v.id = p.variant_id WHERE ${variants} LIMIT $2))
         RETURNING 1)
       SELECT count(*)::int AS gone FROM gone`,
      [id, left],
    );
    left -= counts.gone;
  }
  if (left > 0) left -= await deleteEventsOfText(manager, of, left);
  return { left, exports: gone.length, removals };
}
