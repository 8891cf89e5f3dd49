import type { Unit } from '@adit/contracts';
import { JobSourceEntity, type ChunkEntity } from '@adit/database';
import { And, LessThan, MoreThanOrEqual, type EntityManager } from 'typeorm';

/** The readable units of a chunk, in source order; refused sources are left out, one that is opened again is not. */
export async function unitsOf(manager: EntityManager, chunk: ChunkEntity): Promise<Unit[]> {
  const sources = await manager.find(JobSourceEntity, {
    where: { jobId: chunk.jobId, index: And(MoreThanOrEqual(chunk.sourceStart), LessThan(chunk.sourceEnd)) },
    order: { index: 'ASC' },
  });
  return sources.flatMap(({ index, mediaDigest, facts, state }) =>
    state !== 'failed' && mediaDigest !== null && facts !== null
      ? [{ sourceIndex: index, mediaDigest, facts, interval: chunk.interval }]
      : [],
  );
}

/** The same as JSON within a statement of one's own, for a chunk under the alias `c`; without the interval. */
export const UNITS_OF_CHUNK = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'sourceIndex', u.index, 'mediaDigest', u.media_digest, 'facts', u.facts) ORDER BY u.index), '[]')
     FROM job_sources u
    WHERE u.job_id = c.job_id AND u.index >= c.source_start AND u.index < c.source_end
      AND u.state <> 'failed' AND u.media_digest IS NOT NULL AND u.facts IS NOT NULL)`;
