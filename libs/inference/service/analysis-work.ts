import type { AnalysisRequested, FrameInterval, Unit } from '@adit/contracts';
import { fromRow, JobAnalysisEntity, type PackKeys } from '@adit/database';
import { UNITS_OF_CHUNK } from '@adit/jobs';
import type { EntityManager } from 'typeorm';

/** One analysis of one chunk, with what it takes. */
export interface AnalysisWork {
  job: { id: string; workspaceId: string; traceparent: string | null };
  chunk: { id: string; packs: Record<string, PackKeys> | null };
  request: JobAnalysisEntity;
  units: Unit[];
  /** One unit after the other, as from the second try. */
  alone: boolean;
  keepCache: boolean;
}

interface WorkRow extends Pick<AnalysisWork, 'job' | 'keepCache'> {
  chunk: AnalysisWork['chunk'] & { interval: FrameInterval | null };
  request: Record<string, unknown>;
  units: Omit<Unit, 'interval'>[];
}

/** Reads what it takes to analyse a chunk, in one statement; null when it is gone. */
export async function readWork(
  manager: EntityManager,
  { chunkId, analysisDigest }: AnalysisRequested,
  alone: boolean,
): Promise<AnalysisWork | null> {
  const [row]: WorkRow[] = await manager.query(WORK, [chunkId, analysisDigest]);
  if (row === undefined) return null;
  const { job, chunk, keepCache } = row;
  const units = row.units.map((unit) => ({ ...unit, interval: chunk.interval }));
  return { job, chunk, request: fromRow(manager, JobAnalysisEntity, row.request), units, alone, keepCache };
}

const WORK = `
  SELECT w.observation_cache AS "keepCache", to_jsonb(r) AS request,
         jsonb_build_object('id', j.id, 'workspaceId', j.workspace_id, 'traceparent', j.traceparent) AS job,
         jsonb_build_object('id', c.id, 'packs', c.packs, 'interval', c.interval) AS chunk,
         ${UNITS_OF_CHUNK} AS units
    FROM chunks c
    JOIN jobs j ON j.id = c.job_id
    JOIN workspaces w ON w.id = j.workspace_id
    JOIN job_analyses r ON r.job_id = c.job_id AND r.digest = $2
   WHERE c.id = $1`;
