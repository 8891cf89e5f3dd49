import { AditError } from '@adit/contracts';
import { inTransaction, TranscriptEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { exportPrefix } from '../keys.js';
import { deleteExports, ROWS_OF_STEP } from './erasures.js';
import { noteRemovals } from './object-removals.js';

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
    while (await shouldContinue()) if (await inTransaction(this.db, (manager) => eraseStep(manager, id))) return;
  }
}

/** Whoever wrote versions has ended: after its deletion nobody may. Its own row goes last. Whether nothing is left. */
async function eraseStep(manager: EntityManager, id: string): Promise<boolean> {
  const exports = await deleteExports(manager, { transcript_id: id }, ROWS_OF_STEP);
  await noteRemovals(manager, exports.map(exportPrefix), { again: true });
  let left = ROWS_OF_STEP - exports.length;
  for (const table of ['transcript_paragraphs', 'transcript_versions']) {
    if (left <= 0) return false;
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
  if (left <= 0) return false;
  await manager.query('DELETE FROM transcript_variants WHERE transcript_id = $1', [id]);
  await manager.delete(TranscriptEntity, { id });
  return true;
}
