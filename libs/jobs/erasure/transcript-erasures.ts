import { AditError } from '@adit/contracts';
import { inTransaction, TranscriptEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { exportPrefix } from '../keys.js';
import { deleteExports, ROWS_OF_STEP } from './erasures.js';
import { noteRemovals, type Removal } from './object-removals.js';

/** Deletes transcripts of jobs that stay. One that is deleted with its job goes as the rest of the job does. */
@Injectable()
export class TranscriptErasures {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Nobody finds it when this resolves; what is left of it, should it fail, the sweeper removes. Throws NOT_FOUND. */
  async delete(workspaceId: string, id: string): Promise<void> {
    const where = { id, workspaceId, timeDeleted: IsNull() };
    const { affected } = await this.db.manager.update(TranscriptEntity, where, { timeDeleted: new Date() });
    if (affected !== 1) throw new AditError('NOT_FOUND', `There is no transcript ${id}.`);
    await this.erase(id);
  }

  /** Of those that are deleted, some that still have rows. */
  async left(limit: number): Promise<{ id: string }[]> {
    return this.db.manager.find(TranscriptEntity, {
      where: { timeDeleted: Not(IsNull()) },
      select: { id: true },
      order: { timeDeleted: 'ASC' },
      take: limit,
    });
  }

  /** In steps that each end soon; `shouldContinue` is asked before each. */
  async erase(id: string, shouldContinue: () => Promise<boolean> = () => Promise.resolve(true)): Promise<void> {
    while (await shouldContinue()) {
      const { over } = await inTransaction(this.db, (manager) => eraseTranscriptStep(manager, id));
      if (over) return;
    }
  }
}

/**
 * Erases some of a transcript that is deleted: whoever wrote versions has ended, and nobody may any more. Its own row goes last.
 * Returns how many exports went with it, and what is to go of them from the object store.
 */
export async function eraseTranscriptStep(
  manager: EntityManager,
  id: string,
): Promise<{ over: boolean; exports: number; removals: Removal[] }> {
  const gone = await deleteExports(manager, { transcript_id: id }, ROWS_OF_STEP);
  const removals = await noteRemovals(manager, gone.map(exportPrefix), { again: true });
  const exports = gone.length;
  let left = ROWS_OF_STEP - exports;
  for (const table of ['transcript_paragraphs', 'transcript_versions']) {
    if (left <= 0) return { over: false, exports, removals };
    const [counts]: [{ gone: number }] = await manager.query(
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT p.ctid FROM ${table} p JOIN transcript_variants v ON v.id = p.variant_id
            WHERE v.transcript_id = $1 LIMIT $2)) RETURNING 1)
       SELECT count(*)::int AS gone FROM gone`,
      [id, left],
    );
    left -= counts.gone;
  }
  if (left <= 0) return { over: false, exports, removals };
  await manager.query('DELETE FROM transcript_variants WHERE transcript_id = $1', [id]);
  await manager.delete(TranscriptEntity, { id });
  return { over: true, exports, removals };
}
