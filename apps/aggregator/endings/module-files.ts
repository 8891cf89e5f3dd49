import type { JobModuleEntity } from '@adit/database';
import { ALL_IMAGES } from '@adit/jobs';
import { ModuleRegistry, type FoundInJob, type ModuleFile } from '@adit/module-kit';
import { moduleSegments, nameOfSource } from '@adit/presentation';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

interface FoldedSource {
  index: number;
  uri: string;
  name: string | null;
  /** Numbers of the first and last segment that the module found in it. */
  seqs: { first: number; last: number } | null;
}

/** Writes files that modules make of a job's results. */
@Injectable()
export class ModuleFiles {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
  ) {}

  /**
   * Writes the files of all completed modules, one after the other. A module that was removed from the installation
   * writes none.
   */
  async *of(modules: readonly JobModuleEntity[]): AsyncGenerator<ModuleFile> {
    for (const module of modules) {
      const files = this.registry.find(module.moduleId)?.files;
      if (files === undefined || module.state !== 'completed') continue;
      yield* files(module.args, await this.found(module));
    }
  }

  private async found({ jobId, moduleId }: JobModuleEntity): Promise<FoundInJob> {
    const { manager } = this.db;
    const sources: FoldedSource[] = await manager.query(
      `SELECT source.index, source.uri, source.name, seqs FROM folds fold
         JOIN job_sources source ON source.job_id = fold.job_id
          AND (source.index = fold.source_index OR fold.source_index = ${ALL_IMAGES} AND source.state <> 'failed')
         LEFT JOIN (SELECT source_index, json_build_object('first', min(module_seq), 'last', max(module_seq)) AS seqs
                      FROM segments WHERE job_id = $1 AND module_id = $2 GROUP BY source_index) found
           ON found.source_index = source.index
        WHERE fold.job_id = $1 AND fold.module_id = $2 ORDER BY source.index`,
      [jobId, moduleId],
    );
    const seqsOf = new Map(sources.map(({ index, seqs }) => [index, seqs]));
    return {
      sources: sources.map(({ index, uri, name }) => ({ index, uri, name: nameOfSource(uri, name) })),
      async *segments(sourceIndex, type) {
        const seqs = seqsOf.get(sourceIndex) ?? null;
        if (seqs === null) return;
        for await (const page of moduleSegments(manager, { jobId, moduleId, sourceIndex, type, seqs })) yield* page;
      },
    };
  }
}
