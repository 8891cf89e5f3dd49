import { extentOf, unitOf, type AnalysisRequested, type ChunkUse, type Unit, type UnitSource } from '@adit/contracts';
import { fromRow, JobAnalysisEntity, type ChunkEntity, type PackKeys } from '@adit/database';
import { UNITS_OF_CHUNK } from '@adit/jobs';
import type { EntityManager } from 'typeorm';
import type { CanaryUnits } from './canary-runner.js';

/** One analysis of one chunk, with its inputs. */
export interface AnalysisWork {
  job: { id: string; workspaceId: string; traceparent: string | null };
  chunk: { id: string; packs: Record<string, PackKeys> | null };
  request: JobAnalysisEntity;
  units: Unit[];
  /** Analyses one unit after the other, from the second attempt on. */
  alone: boolean;
  /** No other attempt follows: a failing picture fails alone. */
  isLastTry: boolean;
  /** Permits the observations to be cached under the request's digest for later jobs. */
  keepCache: boolean;
  /** Finished part of each unit, 0..1, by source index; one that has not begun is missing. */
  done: Map<number, number>;
  /** What it took so far, but for the wall time. */
  use: Omit<ChunkUse, 'wall'>;
  /** Units for candidate versions to analyse once this result has been published. */
  canaries: CanaryUnits;
}

interface WorkRow extends Pick<AnalysisWork, 'job' | 'keepCache'> {
  chunk: AnalysisWork['chunk'] & Pick<ChunkEntity, 'interval'>;
  request: Record<string, unknown>;
  units: UnitSource[];
}

/** Reads the inputs of analysing a chunk, in one statement; null when it is gone. */
export async function readWork(
  manager: EntityManager,
  { chunkId, analysisDigest }: AnalysisRequested,
  { alone, isLastTry }: Pick<AnalysisWork, 'alone' | 'isLastTry'>,
): Promise<AnalysisWork | null> {
  const [row]: WorkRow[] = await manager.query(WORK, [chunkId, analysisDigest]);
  if (row === undefined) return null;
  const { job, chunk, keepCache } = row;
  const extent = extentOf(chunk.interval);
  const units = row.units.map((source) => unitOf(source, extent));
  const asked = fromRow(JobAnalysisEntity, row.request);
  const use = { media: 0, cpu: 0, gpu: 0 };
  return { job, chunk, request: asked, units, alone, isLastTry, keepCache, done: new Map(), use, canaries: [] };
}

/** Returns the seconds of a film or of sound that a unit covers; none of a picture. */
export function mediaSeconds(unit: Unit): number {
  if (unit.kind === 'audio') return (unit.interval.endMs - unit.interval.startMs) / 1000;
  if (unit.kind !== 'video' || unit.facts.kind !== 'video') return 0;
  const { num, den } = unit.facts.timeBase;
  return Math.max(0, ((unit.interval.ptsEnd - unit.interval.ptsStart) * num) / den);
}

/** Returns the finished part of the work, below 1 until it has been recorded. */
export function progressOf({ units, done }: Pick<AnalysisWork, 'units' | 'done'>): number {
  const sum = [...done.values()].reduce((total, each) => total + each, 0);
  return Math.min(0.99, sum / Math.max(1, units.length));
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
