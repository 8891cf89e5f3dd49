import { isLive } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { shareSlots, type Candidate, type WorkspaceShare } from './fair-share.js';
import { BackgroundService, enqueue, OutboxRelay } from '@adit/outbox';
import { dispatchWork } from '../chunks/chunk-states.js';
import { chunkRequest, sourceRequest } from '../chunks/requests.js';
import { chunksInFlight } from '../metrics.js';
import { observeQueue } from '../queue-metrics.js';
import { dispatchSeconds, observeTasks } from '@adit/leases';
import { JOB_SETTINGS, type JobSettings } from './settings.js';

/** Advisory lock that serialises schedulers. */
const SCHEDULER_LOCK = 0x0ad17;
const PERIOD_MILLISECONDS = 1000;

interface CandidateRow {
  id: string;
  workspace_id: string;
  /** Weight of its workspace. */
  weight: number;
  /** True when admitted and in progress; otherwise the job waits. */
  active: boolean;
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
 * Assigns free slots to jobs: opens sources and requests chunks, never more than the caps allow. Runs after
 * everything that frees a slot or brings a job, and once a second in case a nudge was lost.
 */
@Injectable()
export class Scheduler extends BackgroundService {
  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(DataSource) private readonly db: DataSource,
  ) {
    super('scheduler', PERIOD_MILLISECONDS);
  }

  override onApplicationBootstrap(): void {
    observeQueue(this.db);
    observeTasks(this.db);
    super.onApplicationBootstrap();
  }

  protected async round(): Promise<void> {
    // Most nudges find nothing to assign; that takes one query and no lock.
    if ((await this.findCandidates(this.db.manager)).slots.length === 0) return;
    await this.outbox.transaction((manager) => this.dispatch(manager));
  }

  private async dispatch(manager: EntityManager): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [SCHEDULER_LOCK]);
    const { rows, slots } = await this.findCandidates(manager);
    const counts = new Map<string, number>();
    for (const jobId of slots) counts.set(jobId, (counts.get(jobId) ?? 0) + 1);
    for (const [jobId, count] of counts) {
      const row = rows.get(jobId);
      if (row) await this.allocate(manager, row, count);
    }
  }

  /** Jobs that could take a slot, and those that get one now, once for each slot. */
  private async findCandidates(manager: EntityManager): Promise<{ rows: Map<string, CandidateRow>; slots: string[] }> {
    const all: CandidateRow[] = await manager.query(CANDIDATES, [this.settings.maxChunksInFlight]);
    const total = all.reduce((sum, job) => sum + job.in_flight, 0);
    chunksInFlight.set(total);
    const rows = new Map(all.map((row) => [row.id, row]));
    const free = this.settings.maxChunksInFlight - total;
    if (free < 0) return { rows, slots: [] };
    const candidates = all.map((row) => this.candidate(row));
    return { rows, slots: shareSlots(candidates, shares(all), free, this.settings.activeJobsPerWorkspace) };
  }

  private candidate(row: CandidateRow): Candidate {
    const slots = this.settings.chunksPerJob - row.in_flight;
    return {
      jobId: row.id,
      workspaceId: row.workspace_id,
      rank: row.rank,
      timeCreated: new Date(row.time_created),
      admitted: row.admitted,
      wants: Math.max(0, Math.min(slots, row.planned + this.openable(row))),
      inFlight: row.in_flight,
    };
  }

  /** Number of sources that may be opened now: one until the kind of media is known, then up to the look-ahead. */
  private openable(row: CandidateRow): number {
    const allowed = row.known ? this.settings.sourcesAhead - row.sources_ahead : 1;
    return Math.max(0, Math.min(row.waiting_sources, allowed - row.opening));
  }

  /** Assigns chunks first, in order; the remaining slots open sources. */
  private async allocate(manager: EntityManager, row: CandidateRow, count: number): Promise<void> {
    const { id: jobId, traceparent } = row;
    const limits = { count, sources: this.openable(row), leaseSeconds: dispatchSeconds(this.settings) };
    const { chunks, sources, listens } = await dispatchWork(manager, jobId, limits);
    const job = { jobId, traceparent, listens };
    await enqueue<'chunks.requested' | 'sources.requested'>(manager, [
      ...chunks.map((chunk) => chunkRequest(job, chunk)),
      ...sources.map((index) => sourceRequest(job, index)),
    ]);
  }
}

function shares(rows: CandidateRow[]): Map<string, WorkspaceShare> {
  const shareOf = new Map<string, WorkspaceShare>();
  for (const { workspace_id, weight, active, in_flight } of rows) {
    const share = shareOf.get(workspace_id) ?? { weight, inFlight: 0, activeJobs: 0 };
    shareOf.set(workspace_id, share);
    share.inFlight += in_flight;
    if (active) share.activeJobs++;
  }
  return shareOf;
}

/**
 * Admitted jobs with their work in flight and their demand, a handful for each workspace, and the first few waiting
 * jobs of every workspace: one index range each, however long the queue is.
 */
const CANDIDATES = `
  SELECT j.id, j.workspace_id, w.weight, true AS active, j.rank, j.time_created, j.traceparent, j.admitted,
         c.requested + s.opening AS in_flight, s.opening, c.planned, s.waiting AS waiting_sources,
         c.ahead AS sources_ahead, s.known
    FROM jobs j
    JOIN workspaces w ON w.id = j.workspace_id
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
   WHERE j.admitted AND ${isLive('j')}
  UNION ALL
  SELECT n.id, n.workspace_id, w.weight, false, n.rank, n.time_created, n.traceparent, n.admitted, 0, 0,
         (SELECT count(*)::int FROM chunks WHERE job_id = n.id AND state = 'planned'),
         (SELECT count(*)::int FROM job_sources WHERE job_id = n.id AND state = 'waiting'),
         0, EXISTS (SELECT 1 FROM job_sources WHERE job_id = n.id AND state = 'planned')
    FROM workspaces w
    CROSS JOIN LATERAL (
      SELECT * FROM jobs j
       WHERE j.workspace_id = w.id AND j.state = 'waiting' AND NOT j.admitted AND j.time_deleted IS NULL
       ORDER BY j.rank, j.time_created LIMIT $1) n`;
