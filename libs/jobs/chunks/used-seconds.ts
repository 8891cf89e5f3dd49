/** What analyses of chunks took is counted with their outcomes: seconds each time, the length of a chunk's media once for a module. */
import type { ChunkUse } from '@adit/contracts';
import { countedUse } from '@adit/usage';
import type { EntityManager } from 'typeorm';
import { lockedChunk } from './locked-chunk.js';

/** Parameters of a statement, in SQL. */
interface OutcomeInSql {
  jobId: string;
  chunkId: string;
  digest: string;
  /** A ChunkUse as JSON; null: nothing is known, as of earlier builds. */
  use: string;
}

/**
 * SQL: parts of a WITH clause that count an outcome where `condition` holds. The chunk, which `lockedChunk` has locked, remembers
 * the modules for which the length of its media was counted: of two analyses of a module that end at once the later one sees what
 * the other has written.
 */
export function countedOutcome(outcome: OutcomeInSql, condition: string): string {
  const { jobId, chunkId, digest, use } = outcome;
  return `
  carriers AS MATERIALIZED (
    SELECT m.module_id FROM chunk c CROSS JOIN job_modules m
     WHERE m.job_id = ${jobId} AND ${condition} AND (${use}::jsonb ->> 'media')::float8 > 0
       AND EXISTS (SELECT 1 FROM jsonb_each_text(m.analyses) n WHERE n.value = ${digest})
       AND NOT m.module_id = ANY (c.media_counted)),
  marked AS (
    UPDATE chunks SET media_counted = media_counted || ARRAY(SELECT module_id FROM carriers)
     WHERE id = ${chunkId} AND EXISTS (SELECT FROM carriers)),
  used AS (${countedUse({ jobId, digest, use, carriers: 'carriers' }, condition)})`;
}

const OUTCOME = { jobId: '$1::uuid', chunkId: '$2::uuid', digest: '$3::text', use: '$4' };
const COUNT = `WITH ${lockedChunk('$2::uuid')}, ${countedOutcome(OUTCOME, 'true')} SELECT 1`;

/** Counts an outcome, in the transaction that records it for the first time. */
export async function countUse(
  manager: EntityManager,
  { jobId, chunkId, digest }: { jobId: string; chunkId: string; digest: string },
  use: ChunkUse | undefined,
): Promise<void> {
  if (use !== undefined) await manager.query(COUNT, [jobId, chunkId, digest, JSON.stringify(use)]);
}
