import type { JobEntity, JobSourceEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** A source with the wall clock of its stream time 0, where it is live and has begun. */
export interface TimedSource extends JobSourceEntity {
  zeroAt?: Date | null;
}

/** Adds the wall clock of a live job's sources: one query, and none for any other job. */
export async function timedSources(
  db: Pick<EntityManager, 'query'>,
  job: Pick<JobEntity, 'id' | 'mediaType'>,
  sources: JobSourceEntity[],
): Promise<TimedSource[]> {
  if (job.mediaType !== 'videostream' || sources.length === 0) return sources;
  const rows: { index: number; zeroAt: Date | null }[] = await db.query(
    'SELECT source_index AS index, zero_at AS "zeroAt" FROM streams WHERE job_id = $1',
    [job.id],
  );
  const zeros = new Map(rows.map(({ index, zeroAt }) => [index, zeroAt]));
  return sources.map((source) => ({ ...source, zeroAt: zeros.get(source.index) ?? null }));
}
