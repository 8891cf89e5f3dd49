import { randomUUID } from 'node:crypto';
import { CanaryPictureEntity, columns } from '@adit/database';
import type { Difference } from '@adit/inference';
import { keepAfterAll, noteRemovals } from '@adit/object-removals';
import type { EntityManager } from 'typeorm';

/** Longest wait in seconds of a job's units for a candidate, since a person on them may have been erased meanwhile. */
const WAITING_SECONDS = 3600;
/** Pictures that are shown to a workspace. */
export const MAX_PICTURES = 20;
const MAX_SIGHTINGS = 100;

/** A stored picture that the two versions answer differently. */
export interface StoredPicture {
  workspaceId: string;
  jobId: string;
  objectKey: string;
  difference: Difference;
}

/**
 * Records a picture of an existing job, in a workspace without a running erasure, which would miss it otherwise.
 * Pictures that differ less are removed.
 */
export async function keepPicture(
  manager: EntityManager,
  canaryId: string,
  { workspaceId, jobId, objectKey, difference: seen }: StoredPicture,
): Promise<void> {
  const there: unknown[] = await manager.query(
    `SELECT 1 FROM jobs WHERE id = $1 AND time_deleted IS NULL AND NOT EXISTS (
       SELECT 1 FROM erasures e
        WHERE e.workspace_id = $2 AND e.time_created > now() - make_interval(secs => $3)) FOR KEY SHARE`,
    [jobId, workspaceId, WAITING_SECONDS],
  );
  // A picture that took longer than expected has gone, or is going.
  if (!(await keepAfterAll(manager, objectKey))) return;
  if (there.length === 0) {
    await noteRemovals(manager, [objectKey]);
    return;
  }
  const { frame, time, difference } = seen;
  const [stable, candidate] = [seen.stable.slice(0, MAX_SIGHTINGS), seen.candidate.slice(0, MAX_SIGHTINGS)];
  await manager.insert(
    CanaryPictureEntity,
    columns<CanaryPictureEntity>({
      ...{ id: randomUUID(), canaryId, workspaceId, jobId, objectKey, frame, time, difference, stable, candidate },
    }),
  );
  const rest = await manager.find(CanaryPictureEntity, {
    where: { canaryId, workspaceId },
    order: { difference: 'DESC', timeCreated: 'ASC' },
    skip: MAX_PICTURES,
    take: MAX_PICTURES,
  });
  for (const { id } of rest) await removePictures(manager, { id });
}

export async function removePictures(
  manager: EntityManager,
  where: Parameters<typeof manager.findBy<CanaryPictureEntity>>[1],
): Promise<void> {
  const found = await manager.findBy(CanaryPictureEntity, where);
  for (const { id, objectKey } of found) {
    await manager.delete(CanaryPictureEntity, { id });
    await noteRemovals(manager, [objectKey]);
  }
}
