import { extentOf, type Extent, type JobState, type MediaFacts, type ProcessingRange } from '@adit/contracts';
import { fromRow, JobAnalysisEntity, type ChunkEntity, type SourceState } from '@adit/database';
import { isTerminal } from '@adit/contracts';
import type { MediaTaker } from '@adit/jobs';
import type { EntityManager } from 'typeorm';

/** A chunk with the reasons for its decoding. */
export interface ChunkTask {
  /** No other attempt follows: a failing picture fails alone. */
  isLastTry: boolean;
  job: { id: string; workspaceId: string; state: JobState };
  chunk: { id: string; jobId: string; sourceStart: number; sourceEnd: number; extent: Extent };
  /** Current state of its sources. */
  sources: { index: number; uri: string; state: SourceState; mediaDigest: string | null; facts: MediaFacts | null }[];
  modules: (MediaTaker & { state: JobState; range: ProcessingRange | null; analyses: Record<string, string> })[];
  /** Missing analyses that a module waits for. */
  analyses: JobAnalysisEntity[];
  message: { jobId: string; traceparent: string | null };
}

interface TaskRow {
  chunk: Omit<ChunkTask['chunk'], 'extent'> & Pick<ChunkEntity, 'interval'>;
  job: ChunkTask['job'] & { traceparent: string | null };
  sources: ChunkTask['sources'];
  modules: ChunkTask['modules'];
  analyses: Record<string, unknown>[];
}

/** Reads the inputs of decoding a chunk, in one statement; null when it is gone. */
export async function readTask(manager: EntityManager, chunkId: string, isLastTry: boolean): Promise<ChunkTask | null> {
  const [row]: TaskRow[] = await manager.query(TASK, [chunkId]);
  if (row === undefined) return null;
  const { traceparent, ...job } = row.job;
  const { interval, ...chunk } = row.chunk;
  const running = row.modules.filter((module) => !isTerminal(module.state));
  const wanted = new Set(running.flatMap((module) => Object.values(module.analyses)));
  const analyses = row.analyses.map((each) => fromRow(JobAnalysisEntity, each));
  return {
    isLastTry,
    job,
    chunk: { ...chunk, extent: extentOf(interval) },
    sources: row.sources,
    modules: row.modules,
    analyses: analyses.filter(({ digest }) => wanted.has(digest)),
    message: { jobId: job.id, traceparent },
  };
}

const TASK = `
  SELECT jsonb_build_object('id', c.id, 'jobId', c.job_id, 'sourceStart', c.source_start, 'sourceEnd', c.source_end,
                            'interval', c.interval) AS chunk,
         jsonb_build_object('id', j.id, 'workspaceId', j.workspace_id, 'state', j.state,
                            'traceparent', j.traceparent) AS job,
         (SELECT jsonb_agg(jsonb_build_object('index', s.index, 'uri', s.uri, 'state', s.state, 'mediaDigest', s.media_digest,
                                              'facts', s.facts) ORDER BY s.index)
            FROM job_sources s
           WHERE s.job_id = j.id AND s.index >= c.source_start AND s.index < c.source_end) AS sources,
         (SELECT jsonb_agg(jsonb_build_object('postedAs', m.posted_as, 'media', m.media, 'state', m.state, 'range', m.range,
                                              'analyses', m.analyses) ORDER BY m.position)
            FROM job_modules m WHERE m.job_id = j.id) AS modules,
         (SELECT coalesce(jsonb_agg(to_jsonb(a)), '[]')
            FROM job_analyses a JOIN chunk_analyses n ON n.chunk_id = c.id AND n.digest = a.digest AND n.state = 'waiting'
           WHERE a.job_id = j.id) AS analyses
    FROM chunks c JOIN jobs j ON j.id = c.job_id WHERE c.id = $1`;
