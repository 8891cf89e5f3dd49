import { isActive, isHeld } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** A reason why a file may not be deleted. */
export interface FileUse {
  kind: 'job' | 'held_job' | 'dataset_image';
  /** Storage key of the file. */
  key: string;
  /** Id of the job or image. */
  id: string;
  /** Tag of the job, or id of the dataset. */
  of: string;
}

/** Returns why files of a workspace are still needed: by a job that has not ended, a legal hold, or a dataset. */
export function filesInUse(
  manager: Pick<EntityManager, 'query'>,
  workspaceId: string,
  keys: readonly string[],
): Promise<FileUse[]> {
  return manager.query(
    `SELECT CASE WHEN ${isActive('j')} THEN 'job' ELSE 'held_job' END AS kind, substr(s.uri, 11) AS key, j.id, j.tag AS of
       FROM job_sources s JOIN jobs j ON j.id = s.job_id
      WHERE j.workspace_id = $1 AND j.time_deleted IS NULL AND (${isActive('j')} OR ${isHeld('j')})
        AND s.uri ILIKE 'storage://%' AND substr(s.uri, 11) = ANY($2::text[])
     UNION ALL
     SELECT 'dataset_image', i.storage_key, i.id, i.dataset_id::text
       FROM dataset_images i JOIN dataset_classes c ON c.id = i.class_id JOIN datasets d ON d.id = i.dataset_id
      WHERE i.workspace_id = $1 AND i.storage_key = ANY($2::text[]) AND c.time_deleted IS NULL AND d.time_deleted IS NULL`,
    [workspaceId, keys],
  );
}
