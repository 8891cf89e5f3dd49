import type { FrameInterval, Unit, UnitOutcome } from '@adit/contracts';
import type { FoldEntity, JobModuleEntity } from '@adit/database';
import { UNITS_OF_CHUNK } from '@adit/jobs';
import type { FoldInput } from '@adit/mining';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Chunks folded in one transaction when many are ready, as when a mined film is asked again. */
const CHUNKS_AT_ONCE = 16;

interface ChunkRow {
  id: string;
  interval: FrameInterval | null;
  units: Omit<Unit, 'interval'>[];
  /** Outcomes by the digest of the analysis that is done. */
  done: Record<string, UnitOutcome[] | null>;
}

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
    const rows: ChunkRow[] = await this.db.query(
      `SELECT c.id, c.interval, ${UNITS_OF_CHUNK} AS units,
              (SELECT coalesce(jsonb_object_agg(a.digest, a.units), '{}')
                 FROM chunk_analyses a WHERE a.chunk_id = c.id AND a.state = 'done') AS done
         FROM chunks c WHERE c.id = ANY($1::uuid[])`,
      [ids],
    );
    const chunks = new Map(rows.map((row) => [row.id, row]));
    const analyses = Object.entries(module.analyses);
    const ready: FoldInput[][] = [];
    for (const id of ids) {
      const chunk = chunks.get(id);
      if (chunk === undefined || !analyses.every(([, digest]) => digest in chunk.done)) break;
      const inputs: FoldInput[] = [];
      for (const each of chunk.units) {
        const unit = { ...each, interval: chunk.interval };
        const observations: Record<string, unknown> = {};
        for (const [analysis, digest] of analyses) {
          const outcome = chunk.done[digest]?.find((candidate) => candidate.sourceIndex === unit.sourceIndex);
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
