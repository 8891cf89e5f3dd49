import type { ImageEvaluation } from '@adit/contracts';
import { updateHeld, type ClaimedTask } from '@adit/leases';
import type { EntityManager } from 'typeorm';

/** Analysis of a picture. */
export interface SeenPicture {
  workspaceId: string;
  /** SHA-256 of its bytes. */
  digest: string;
  analysisDigest: string;
  look: unknown;
  evaluation: ImageEvaluation;
}

/**
 * Keeps what was seen in the image that this attempt holds, for all images of the same bytes. One that is known is held until the
 * transaction ends: whoever sweeps looks that no image has leaves it.
 */
export async function keepImageAnalysis(manager: EntityManager, task: ClaimedTask, seen: SeenPicture): Promise<void> {
  const { workspaceId, digest, analysisDigest, look, evaluation } = seen;
  await manager.query(
    `INSERT INTO dataset_looks (workspace_id, digest, analysis_digest, look) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, digest, analysis_digest) DO UPDATE SET time_created = now()`,
    [workspaceId, digest, analysisDigest, JSON.stringify(look)],
  );
  await updateHeld(
    manager,
    task,
    `state = 'completed', lease_until = NULL, error_msg = NULL, digest = $1, evaluation_result = $2`,
    [digest, JSON.stringify(evaluation)],
  );
}
