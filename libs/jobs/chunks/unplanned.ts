import { isActive, returned } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { restartAttempts } from '@adit/leases';

/**
 * Asks for planned sources to be opened again that a running module has no fold for: it had failed when they were planned,
 * and runs again. One picture stands for all of an image job. Returns whether there were any.
 */
export async function reopenUnplanned(manager: EntityManager, jobId: string): Promise<boolean> {
  const reopened = returned(
    await manager.query(
      `UPDATE job_sources s SET state = 'waiting', ${restartAttempts('s')}, lease_until = NULL
         FROM jobs j
        WHERE j.id = $1 AND s.job_id = $1 AND s.state = 'planned'
          AND (j.media_type <> 'image' OR s.index = (
            SELECT min(o.index) FROM job_sources o WHERE o.job_id = $1 AND o.state = 'planned'))
          AND EXISTS (
            SELECT 1 FROM job_modules m
             WHERE m.job_id = $1 AND ${isActive('m')} AND NOT EXISTS (
               SELECT 1 FROM folds f WHERE f.job_id = $1 AND f.module_id = m.module_id
                  AND f.source_index = CASE j.media_type WHEN 'image' THEN -1 ELSE s.index END))
       RETURNING s.index`,
      [jobId],
    ),
  );
  return reopened.length > 0;
}
