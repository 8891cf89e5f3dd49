import type { FrameInterval, MediaFacts } from '@adit/contracts';
import { sourceError } from '@adit/jobs';
import type { EntityManager } from 'typeorm';

interface LostChunk {
  uri: string;
  facts: MediaFacts | null;
  sources: number;
  interval: FrameInterval | null;
  /** Its pictures never came; else an analysis of them failed. */
  decoding: boolean;
  analysis: string;
}

/** What a chunk that was given up costs, as the job's errors say it: which source, which stretch, why. */
export async function describeLoss(
  manager: EntityManager,
  lost: { jobId: string; chunkId: string; digest: string },
  reason: string,
): Promise<string> {
  const [row]: LostChunk[] = await manager.query(
    `SELECT s.uri, s.facts, c.source_end - c.source_start AS sources, c.interval, c.state = 'requested' AS decoding,
            coalesce(a.analysis, $3) AS analysis
       FROM chunks c JOIN job_sources s ON s.job_id = c.job_id AND s.index = c.source_start
       LEFT JOIN job_analyses a ON a.job_id = c.job_id AND a.digest = $3
      WHERE c.id = $2 AND c.job_id = $1`,
    [lost.jobId, lost.chunkId, lost.digest],
  );
  if (row === undefined) return reason;
  const what = row.decoding ? 'could not be decoded' : `could not be analysed (${row.analysis})`;
  return sourceError(row.uri, `${stretchOf(row)}${what}: ${reason}`);
}

function stretchOf({ facts, interval, sources }: LostChunk): string {
  if (interval === null) return sources === 1 ? '' : `and the ${sources - 1} pictures after it `;
  if (facts?.kind !== 'video') return `frames ${interval.frameStart} to ${interval.frameEnd - 1} `;
  const second = (pts: number): string =>
    (((pts - facts.startPts) * facts.timeBase.num) / facts.timeBase.den).toFixed(1);
  return `${second(interval.ptsStart)}–${second(interval.ptsEnd)} s `;
}

/** Of the modules of a job those of which every chunk was lost, each with the reason of the first. */
export async function modulesWithNothingLeft(
  manager: EntityManager,
  jobId: string,
  moduleIds: string[],
): Promise<Map<string, string>> {
  const rows: { module_id: string; reason: string }[] = await manager.query(
    `SELECT f.module_id, (array_agg(lost.error ORDER BY f.source_index, chunk.place))[1] AS reason
       FROM folds f
       JOIN job_modules m ON m.job_id = f.job_id AND m.module_id = f.module_id
       CROSS JOIN LATERAL jsonb_array_elements_text(f.chunk_ids) WITH ORDINALITY AS chunk (id, place)
       LEFT JOIN LATERAL (
         SELECT a.error FROM chunk_analyses a
          WHERE a.chunk_id = chunk.id::uuid AND a.state = 'failed'
            AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses)) LIMIT 1) lost ON true
      WHERE f.job_id = $1 AND f.module_id = ANY($2::text[])
        AND EXISTS (SELECT 1 FROM chunk_analyses a WHERE a.job_id = $1 AND a.state = 'failed')
      GROUP BY 1 HAVING bool_and(lost.error IS NOT NULL)`,
    [jobId, moduleIds],
  );
  return new Map(rows.map(({ module_id, reason }) => [module_id, reason]));
}
