import { gauge } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { shareSlots, type Candidate, type WorkspaceShare } from './fair-share.js';
import { NudgedLoop } from './nudged-loop.js';
import { enqueue, OutboxRelay } from './outbox.js';
import { observeQueue } from './queue-metrics.js';
import { dispatchSeconds, JOB_SETTINGS, type JobSettings } from './settings.js';

/** Any two schedulers take turns on this advisory lock. */
const SCHEDULER_LOCK = 0x0ad17;

const inFlightGauge = gauge('adit_chunks_in_flight', 'Chunks and sources that hold a credit', []);

interface ActiveRow {
  id: string;
  workspace_id: string;
  rank: number;
  time_created: Date;
  traceparent: string | null;
  admitted: boolean;
  in_flight: number;
  opening: number;
  planned: number;
  waiting_sources: number;
  sources_ahead: number;
  /** A source was opened, so the kind of the job's media is known. */
  known: boolean;
}

/**
 * Gives free credits to jobs: opens sources and asks for chunks, never more than the caps allow. Runs after everything
 * that frees a credit or brings a job, and once a second in case a nudge was lost.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop = new NudgedLoop(
    'scheduler',
    () => this.outbox.transaction((manager) => this.dispatch(manager)),
    1000,
  );

  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(DataSource) private readonly db: DataSource,
  ) {}

  onApplicationBootstrap(): void {
    observeQueue(this.db);
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Schedules soon; many nudges become one run. */
  nudge(): void {
    this.loop.nudge();
  }

  /** Resolves when all that was nudged so far is done. */
  idle(): Promise<void> {
    return this.loop.idle();
  }

  private async dispatch(manager: EntityManager): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [SCHEDULER_LOCK]);
    const active: ActiveRow[] = await manager.query(ACTIVE_JOBS);
    const total = active.reduce((sum, job) => sum + job.in_flight, 0);
    inFlightGauge.set(total);
    const free = this.settings.maxChunksInFlight - total;
    if (free <= 0) return;
    const waiting: ActiveRow[] = await manager.query(NEXT_WAITING_JOBS, [free]);
    const workspaces = await this.shares(manager, active, waiting);
    const rows = new Map([...active, ...waiting].map((row) => [row.id, row]));
    const candidates = [...rows.values()].map((row) => this.candidate(row));
    const slots = shareSlots(candidates, workspaces, free, this.settings.activeJobsPerWorkspace);
    const counts = new Map<string, number>();
    for (const jobId of slots) counts.set(jobId, (counts.get(jobId) ?? 0) + 1);
    for (const [jobId, count] of counts) await this.give(manager, rows.get(jobId)!, count);
  }

  private candidate(row: ActiveRow): Candidate {
    const credits = this.settings.chunksPerJob - row.in_flight;
    return {
      jobId: row.id,
      workspaceId: row.workspace_id,
      rank: row.rank,
      timeCreated: new Date(row.time_created),
      admitted: row.admitted,
      wants: Math.max(0, Math.min(credits, row.planned + this.openable(row))),
      inFlight: row.in_flight,
    };
  }

  /** How many sources may be opened now: one until the kind of media is known, then up to the look-ahead. */
  private openable(row: ActiveRow): number {
    const allowed = row.known ? this.settings.sourcesAhead - row.sources_ahead : 1;
    return Math.max(0, Math.min(row.waiting_sources, allowed - row.opening));
  }

  /** Chunks first, in order; what is left of the credits opens sources. */
  private async give(manager: EntityManager, row: ActiveRow, count: number): Promise<void> {
    const lease = new Date(Date.now() + dispatchSeconds(this.settings) * 1000);
    const { id: jobId, traceparent } = row;
    if (!row.admitted) await manager.query('UPDATE jobs SET admitted = true WHERE id = $1', [jobId]);
    const chunks = returned<{ id: string; source_start: number; position: number }>(
      await manager.query(
        `UPDATE chunks SET state = 'requested', lease_until = $3 WHERE id IN (
           SELECT id FROM chunks WHERE job_id = $1 AND state = 'planned' ORDER BY source_start, position LIMIT $2)
         RETURNING id, source_start, position`,
        [jobId, count, lease],
      ),
    );
    const sources: { index: number }[] = returned(
      await manager.query(
        `UPDATE job_sources SET state = 'requested', lease_until = $3 WHERE job_id = $1 AND index IN (
           SELECT index FROM job_sources WHERE job_id = $1 AND state = 'waiting' ORDER BY index LIMIT $2)
         RETURNING index`,
        [jobId, Math.min(count - chunks.length, this.openable(row)), lease],
      ),
    );
    chunks.sort((a, b) => a.source_start - b.source_start || a.position - b.position);
    await enqueue(
      manager,
      chunks.map(({ id, source_start }) => ({
        topic: 'chunks.requested' as const,
        key: `${jobId}/${source_start}`,
        jobId,
        traceparent,
        payload: { chunkId: id },
      })),
    );
    await enqueue(
      manager,
      sources.map(({ index }) => ({
        topic: 'sources.requested' as const,
        key: `${jobId}/${index}`,
        jobId,
        traceparent,
        payload: { sourceIndex: index },
      })),
    );
  }

  private async shares(
    manager: EntityManager,
    active: ActiveRow[],
    waiting: ActiveRow[],
  ): Promise<Map<string, WorkspaceShare>> {
    const ids = [...new Set([...active, ...waiting].map((row) => row.workspace_id))];
    const rows: { id: string; weight: number }[] = await manager.query(
      'SELECT id, weight FROM workspaces WHERE id = ANY($1::uuid[])',
      [ids],
    );
    const weights = new Map(rows.map((row) => [row.id, row.weight]));
    return new Map(
      ids.map((id) => {
        const own = active.filter((row) => row.workspace_id === id);
        const inFlight = own.reduce((sum, row) => sum + row.in_flight, 0);
        return [id, { weight: weights.get(id) ?? 1, inFlight, activeJobs: own.length }];
      }),
    );
  }
}

/** TypeORM's postgres driver answers UPDATE … RETURNING with [rows, count]. */
export function returned<T>(result: unknown): T[] {
  return (Array.isArray(result) && Array.isArray(result[0]) ? result[0] : result) as T[];
}

/** Admitted jobs with what they have in flight and could take; a handful for each workspace, never the whole queue. */
const ACTIVE_JOBS = `
  SELECT j.id, j.workspace_id, j.rank, j.time_created, j.traceparent, j.admitted,
         c.requested + s.opening AS in_flight, s.opening, c.planned, s.waiting AS waiting_sources,
         c.ahead AS sources_ahead, s.known
    FROM jobs j
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE state IN ('requested', 'decoded'))::int AS requested,
             count(*) FILTER (WHERE state = 'planned')::int AS planned,
             count(DISTINCT source_start) FILTER (WHERE state = 'planned')::int AS ahead
        FROM chunks WHERE job_id = j.id) c
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE state = 'requested')::int AS opening,
             count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
             coalesce(bool_or(state = 'planned'), false) AS known
        FROM job_sources WHERE job_id = j.id) s
   WHERE j.admitted AND j.state IN ('waiting', 'processing') AND j.time_deleted IS NULL`;

/** The first few waiting jobs of every workspace; one index range each, however long the queue is. */
const NEXT_WAITING_JOBS = `
  SELECT n.id, n.workspace_id, n.rank, n.time_created, n.traceparent, n.admitted, 0 AS in_flight, 0 AS opening,
         (SELECT count(*)::int FROM chunks WHERE job_id = n.id AND state = 'planned') AS planned,
         (SELECT count(*)::int FROM job_sources WHERE job_id = n.id AND state = 'waiting') AS waiting_sources,
         0 AS sources_ahead,
         EXISTS (SELECT 1 FROM job_sources WHERE job_id = n.id AND state = 'planned') AS known
    FROM workspaces w
    CROSS JOIN LATERAL (
      SELECT * FROM jobs j
       WHERE j.workspace_id = w.id AND j.state = 'waiting' AND NOT j.admitted AND j.time_deleted IS NULL
       ORDER BY j.rank, j.time_created LIMIT $1) n`;
