import type { Unit } from '@adit/contracts';
import { JobSourceEntity, type ChunkEntity } from '@adit/database';
import { And, LessThan, MoreThanOrEqual, type EntityManager } from 'typeorm';

/** The readable units of a chunk, in source order; sources that were refused are left out. */
export async function unitsOf(manager: EntityManager, chunk: ChunkEntity): Promise<Unit[]> {
  const sources = await manager.find(JobSourceEntity, {
    where: { jobId: chunk.jobId, index: And(MoreThanOrEqual(chunk.sourceStart), LessThan(chunk.sourceEnd)) },
    order: { index: 'ASC' },
  });
  return sources.flatMap(({ index, mediaDigest, facts, state }) =>
    state === 'planned' && mediaDigest !== null && facts !== null
      ? [{ sourceIndex: index, mediaDigest, facts, interval: chunk.interval }]
      : [],
  );
}
