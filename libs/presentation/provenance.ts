import type { JobProvenance, Maker } from '@adit/contracts';
import { fromRow, JobAnalysisEntity, JobModuleEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/**
 * Origin of a job's results: the pins that it was posted with, which hold for cached results too, since these are
 * found by them; and the analysing services, as stored with the observations.
 */
export async function provenanceOf(manager: EntityManager, jobId: string): Promise<JobProvenance> {
  const modules = await manager.find(JobModuleEntity, { where: { jobId }, order: { position: 'ASC' } });
  const rows: AnalysisRow[] = await manager.query(ANALYSES, [jobId]);
  return {
    modules: Object.fromEntries(modules.map(({ postedAs, models }) => [postedAs, { models }])),
    analyses: rows.map(({ asked, makers }) => {
      const { analysis, digest, models, frames, audio } = fromRow(JobAnalysisEntity, asked);
      const specs = [...frames, ...(audio ?? [])];
      return {
        analysis,
        digest,
        // Builds of version 1 did not store it.
        decoder_version: specs[0]?.decoder ?? 1,
        models,
        modules: modules.flatMap((module) => (module.analyses[analysis] === digest ? [module.postedAs] : [])),
        made_by: makers.map((maker) => ({
          engine_version: maker?.engine ?? null,
          providers: maker?.providers ?? null,
        })),
      };
    }),
  };
}

interface AnalysisRow {
  asked: Record<string, unknown>;
  /** Distinct services; null for analyses by an earlier build. */
  makers: (Maker | null)[];
}

const ANALYSES = `
  WITH looked AS (
    SELECT a.digest, jsonb_agg(DISTINCT coalesce(u -> 'madeBy', 'null')) AS makers
      FROM chunk_analyses a CROSS JOIN LATERAL jsonb_array_elements(a.units) u
     WHERE a.job_id = $1 AND a.state = 'done' AND u ->> 'observations' IS NOT NULL
     GROUP BY a.digest)
  SELECT to_jsonb(r) AS asked, coalesce(l.makers, '[]') AS makers
    FROM job_analyses r LEFT JOIN looked l ON l.digest = r.digest
   WHERE r.job_id = $1 ORDER BY r.analysis, r.digest`;
