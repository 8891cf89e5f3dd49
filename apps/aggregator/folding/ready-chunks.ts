import pLimit from 'p-limit';
import { AditError, extentOf, unitOf, type StoredExtent, type UnitOutcome, type UnitSource } from '@adit/contracts';
import type { JobModuleEntity } from '@adit/database';
import { UNITS_OF_CHUNK, type LostObservations } from '@adit/jobs';
import type { FoldInput } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CHUNKS_PER_BATCH, type WaitingFold } from './waiting-folds.js';

/** Observations read from the object store concurrently. */
const READ_CONCURRENCY = 8;

/** A chunk with its observations. */
interface ReadyChunk {
  id: string;
  interval: StoredExtent;
  units: UnitSource[];
  /** Digests of the analyses that it was planned for. */
  asked: string[];
  /** Outcomes by the digest of the ended analysis; null for a failed one: the fold goes on without the chunk. */
  done: Record<string, UnitOutcome[] | null>;
}

export interface ReadyFold {
  fold: WaitingFold;
  /** Contiguous chunks at the fold's position that are analysed or lost. */
  chunks: ReadyChunk[];
}

/** Observations are missing from the object store. */
export class ObservationsLost extends Error {
  constructor(readonly lost: LostObservations) {
    super('observations of a chunk are gone');
  }
}

/** A chunk that had been folded is analysed again: its observations are not known now. */
export class StillAnalysed extends Error {
  constructor(readonly chunkId: string) {
    super('a chunk is being analysed again');
  }
}

/** True when all analyses of a chunk that a module needs have ended. */
export function isSeen(module: JobModuleEntity, chunk: ReadyChunk): boolean {
  return analysesOf(module, chunk).every(([, digest]) => digest in chunk.done);
}

/** Analyses of a module that read the chunk's kind of media, each with its digest. */
function analysesOf({ analyses }: JobModuleEntity, { asked }: ReadyChunk): [analysis: string, digest: string][] {
  return Object.entries(analyses).filter(([, digest]) => asked.includes(digest));
}

/** Reads a module's units of a chunk; units of several modules are read once. */
export type UnitReader = (module: JobModuleEntity, chunk: ReadyChunk) => Promise<FoldInput[]>;

/** Reads analysed chunks with their observations. */
@Injectable()
export class ReadyChunks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /**
   * Returns the work of folds that can go on now, for at most CHUNKS_PER_BATCH chunks together: one read for all
   * modules.
   */
  async of(folds: WaitingFold[]): Promise<ReadyFold[]> {
    const ids = [...new Set(folds.flatMap(({ nextIds }) => nextIds))].slice(0, CHUNKS_PER_BATCH);
    const chunks = new Map((await this.read(ids)).map((chunk) => [chunk.id, chunk]));
    return folds.flatMap((fold) => {
      const ready: ReadyChunk[] = [];
      for (const id of fold.nextIds) {
        const chunk = chunks.get(id);
        if (chunk === undefined || !isSeen(fold.module, chunk)) break;
        ready.push(chunk);
      }
      return ready.length > 0 || fold.nextIds.length === 0 ? [{ fold, chunks: ready }] : [];
    });
  }

  async read(ids: string[]): Promise<ReadyChunk[]> {
    if (ids.length === 0) return [];
    return this.db.query(
      `SELECT c.id, c.interval, ${UNITS_OF_CHUNK} AS units,
              ARRAY(SELECT a.digest FROM chunk_analyses a WHERE a.chunk_id = c.id) AS asked,
              (SELECT coalesce(jsonb_object_agg(a.digest, CASE a.state WHEN 'done' THEN a.units END), '{}')
                 FROM chunk_analyses a WHERE a.chunk_id = c.id AND a.state IN ('done', 'failed')) AS done
         FROM chunks c WHERE c.id = ANY($1::uuid[])`,
      [ids],
    );
  }

  /** Returns a reader that caches for one step of a job. Throws ObservationsLost, the object store's errors. */
  reader(): UnitReader {
    const limit = pLimit(READ_CONCURRENCY);
    const known = new Map<string, Promise<unknown>>();
    const observations = (key: string): Promise<unknown> => {
      let read = known.get(key);
      if (read === undefined) {
        read = limit(async (): Promise<unknown> => JSON.parse((await this.objects.read(key)).toString('utf8')));
        // Callers that wait get the error; a caller that has given up does not.
        read.catch(() => undefined);
        known.set(key, read);
      }
      return read;
    };
    return async (module, chunk) => {
      const analyses = analysesOf(module, chunk);
      // A chunk of a live stream may have nothing for the module, such as sound alone.
      if (analyses.length === 0 && Object.keys(module.analyses).length > 0) return [];
      const inputs = await Promise.all(
        chunk.units.map(async (each): Promise<FoldInput[]> => {
          const keys = analyses.flatMap(([analysis, digest]) => {
            const outcome = chunk.done[digest]?.find(({ sourceIndex }) => sourceIndex === each.sourceIndex);
            return outcome?.observations ? [{ analysis, digest, objectKey: outcome.observations }] : [];
          });
          if (keys.length < analyses.length) return [];
          const seen = await Promise.all(
            keys.map(async ({ analysis, digest, objectKey }): Promise<[string, unknown]> => {
              try {
                return [analysis, await observations(objectKey)];
              } catch (error) {
                if (AditError.from(error).code !== 'NOT_FOUND') throw error;
                throw new ObservationsLost({ chunkId: chunk.id, digest, objectKey });
              }
            }),
          );
          return [
            {
              unit: unitOf(each, extentOf(chunk.interval)),
              observations: Object.fromEntries(seen),
            },
          ];
        }),
      );
      return inputs.flat();
    };
  }
}
