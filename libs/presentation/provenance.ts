import type { JobProvenance } from '@adit/contracts';
import { JobAnalysisEntity, JobModuleEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/**
 * What gave a job its results, by the pins that it was posted with: results that were cached are found by the same pins, so it
 * holds of them too.
 */
export async function provenanceOf(manager: EntityManager, jobId: string): Promise<JobProvenance> {
  const modules = await manager.find(JobModuleEntity, { where: { jobId }, order: { position: 'ASC' } });
  const analyses = await manager.find(JobAnalysisEntity, {
    where: { jobId },
    order: { analysis: 'ASC', digest: 'ASC' },
  });
  return {
    modules: Object.fromEntries(modules.map(({ postedAs, models }) => [postedAs, { models }])),
    analyses: analyses.map(({ analysis, digest, models, frames, audio }) => {
      const specs = [...frames, ...(audio ?? [])];
      return {
        analysis,
        digest,
        // The builds of version 1 did not say so.
        decoder_version: specs[0]?.decoder ?? 1,
        models,
        modules: modules.flatMap((module) => (module.analyses[analysis] === digest ? [module.postedAs] : [])),
      };
    }),
  };
}
