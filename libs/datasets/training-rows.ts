import type { TrainingReport } from '@adit/contracts';
import { columns, TrainingEntity } from '@adit/database';
import { updateHeld, type ClaimedTask } from '@adit/leases';
import type { EntityManager } from 'typeorm';

/** Asks for a training. */
export async function insertTraining(manager: EntityManager, asked: Partial<TrainingEntity>): Promise<void> {
  await manager.insert(TrainingEntity, columns<TrainingEntity>(asked));
}

/** Ends a training with the version that it made; false when this attempt does not hold it any more. */
export function completeTraining(
  manager: EntityManager,
  task: ClaimedTask,
  { modelId, version, report }: { modelId: string; version: number; report: TrainingReport },
): Promise<boolean> {
  return updateHeld(
    manager,
    task,
    `state = 'completed', progress = 1, lease_until = NULL, error_msg = NULL, time_completed = now(),
     model_id = $1, model_version = $2, report = $3`,
    [modelId, version, JSON.stringify(report)],
  );
}

/** Ends a training that has failed for good, as `completeTraining`. */
export function failTraining(manager: EntityManager, task: ClaimedTask, message: string): Promise<boolean> {
  const set = `state = 'failed', lease_until = NULL, error_msg = $1, time_completed = now()`;
  return updateHeld(manager, task, set, [message]);
}

export async function deleteTraining(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(TrainingEntity, { id });
}
