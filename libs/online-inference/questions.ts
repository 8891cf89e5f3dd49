import { InferenceRequestEntity, ProbeEntity, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import { LessThan, type EntityManager } from 'typeorm';

/** Deletes questions that were asked before this: nobody waits for the answers any more. */
export async function expireQuestions(manager: EntityManager, before: Date): Promise<void> {
  const timeCreated = LessThan(before);
  await manager.delete(ProbeEntity, { timeCreated });
  await manager.delete(InferenceRequestEntity, { timeCreated });
}

/** Rows erased with their workspace. */
export const QUESTION_ROWS: readonly RowsOfWorkspace[] = [rowsOfWorkspace('probes'), rowsOfWorkspace('looks')];
