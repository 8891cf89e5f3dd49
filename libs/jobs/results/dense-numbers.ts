import type { EntityManager } from 'typeorm';
import { renumberSearchable } from '@adit/search';
import type { LockedJob } from '../state/locked-job.js';

/** Renumbers a job's segments or summaries densely after a removal, and counts them. */
export async function numberAnew(locked: LockedJob): Promise<void> {
  const { manager, job } = locked;
  await renumberSearchable(manager, job.id);
  await closeGaps(manager, job.id);
  const left: { module_id: string; count: number }[] = await manager.query(
    'SELECT module_id, count(*)::int AS count FROM segments WHERE job_id = $1 GROUP BY 1',
    [job.id],
  );
  await locked.recount(new Map(left.map((row) => [row.module_id, row.count])));
}

/**
 * Renumbers the remaining rows densely, in their order. Negative numbers in between avoid collisions. Rows before the
 * first gap keep their numbers.
 */
async function closeGaps(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE segments s SET seq = -n.seq, module_seq = -n.module_seq
       FROM (SELECT seq AS old, row_number() OVER (ORDER BY seq) AS seq,
                    row_number() OVER (PARTITION BY module_id ORDER BY seq) AS module_seq
               FROM segments WHERE job_id = $1) n
      WHERE s.job_id = $1 AND s.seq = n.old AND (n.seq - 1 <> s.seq OR n.module_seq - 1 <> s.module_seq)`,
    [jobId],
  );
  await manager.query(
    'UPDATE segments SET seq = -1 - seq, module_seq = -1 - module_seq WHERE job_id = $1 AND seq < 0',
    [jobId],
  );
  await manager.query(
    `UPDATE summaries s SET seq = -n.seq
       FROM (SELECT seq AS old, row_number() OVER (ORDER BY seq) AS seq FROM summaries WHERE job_id = $1) n
      WHERE s.job_id = $1 AND s.seq = n.old AND n.seq - 1 <> s.seq`,
    [jobId],
  );
  await manager.query('UPDATE summaries SET seq = -1 - seq WHERE job_id = $1 AND seq < 0', [jobId]);
}
