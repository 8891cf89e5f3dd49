import { ChunkAnalysisEntity, ChunkEntity, type FoldEntity, type JobModuleEntity } from '@adit/database';
import { unitsOf } from '@adit/jobs';
import type { FoldInput } from '@adit/mining';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';

/** Chunks folded in one transaction when many are ready, as when a mined film is asked again. */
const CHUNKS_AT_ONCE = 16;

/** Reads the next chunks of a fold with their observations. */
@Injectable()
export class ReadyChunks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /** The contiguous run of analysed chunks at the fold's place, one list of units for each; empty when it must wait. */
  async read(fold: FoldEntity, module: JobModuleEntity): Promise<FoldInput[][]> {
    const ids = fold.chunkIds.slice(fold.nextChunk, fold.nextChunk + CHUNKS_AT_ONCE);
    if (ids.length === 0) return [];
    const { manager } = this.db;
    const chunks = new Map((await manager.findBy(ChunkEntity, { id: In(ids) })).map((chunk) => [chunk.id, chunk]));
    const rows = await manager.findBy(ChunkAnalysisEntity, { chunkId: In(ids), state: 'done' });
    const done = new Map(rows.map((row) => [`${row.chunkId}/${row.digest}`, row]));
    const analyses = Object.entries(module.analyses);
    const ready: FoldInput[][] = [];
    for (const id of ids) {
      const chunk = chunks.get(id);
      if (chunk === undefined || !analyses.every(([, digest]) => done.has(`${id}/${digest}`))) break;
      const inputs: FoldInput[] = [];
      for (const unit of await unitsOf(manager, chunk)) {
        const observations: Record<string, unknown> = {};
        for (const [analysis, digest] of analyses) {
          const outcome = done
            .get(`${id}/${digest}`)!
            .units?.find((candidate) => candidate.sourceIndex === unit.sourceIndex);
          if (outcome?.observations) {
            observations[analysis] = JSON.parse((await this.objects.read(outcome.observations)).toString('utf8'));
          }
        }
        if (Object.keys(observations).length === analyses.length) inputs.push({ unit, observations });
      }
      ready.push(inputs);
    }
    return ready;
  }
}
