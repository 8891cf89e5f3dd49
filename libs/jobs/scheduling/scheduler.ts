import { setTimeout as sleep } from 'node:timers/promises';
import { observeStreams } from '@adit/streams';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { shareSlots, type Candidate, type WorkspaceShare } from './fair-share.js';
import { BackgroundService, OutboxRelay } from '@adit/outbox';
import { dispatchWork, SCHEDULER } from '../chunks/given-work.js';
import { chunksInFlight, slots } from '../metrics.js';
import { observeQueue } from '../queue-metrics.js';
import { dispatchSeconds, DueWork, observeTasks, workerSlots } from '@adit/leases';
import { findCandidates, MAY_GIVE, SLOTS_PER_ROUND, type CandidateRow } from './candidates.js';
import { slotLimits, type SlotLimits } from './slot-limits.js';
import { JOB_SETTINGS, type JobSettings } from './settings.js';

/** What can be given is watched for (`DueWork`); this keeps the numbers of slots true where nothing can. */
const PERIOD_MILLISECONDS = 15_000;
/** Time after which a round is due where there are jobs, though nobody has nudged, and the longest one: it doubles while rounds give nothing. */
const UNNUDGED = { firstMs: 900, mostMs: 8_000 };
/**
 * Pause after a round for each slot, and the longest one: workers of a large installation have work to go on with, and the next
 * round gives more at once.
 */
const PAUSE = { slotMs: 0.1, mostMs: 200 };
/** Time for which the number of live workers is taken to be the same. */
const WORKERS_COUNTED_MS = 5_000;

interface Chosen {
  row: CandidateRow;
  /** Slots that it gets. */
  count: number;
}

/**
 * Assigns free slots to jobs: opens sources and requests chunks, never more than the caps allow. Runs after
 * everything that frees a slot or brings a job, and every few seconds while there are jobs, in case a nudge was lost.
 */
@Injectable()
export class Scheduler extends BackgroundService {
  private limits: SlotLimits;
  /** Time when the workers were last counted. */
  private counted = -Infinity;
  /** Time when the last round began. */
  private began = -Infinity;
  private unnudgedMs = UNNUDGED.firstMs;
  private unwatch: (() => Promise<void>) | null = null;

  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(DataSource) private readonly db: DataSource,
  ) {
    super('scheduler', PERIOD_MILLISECONDS);
    this.limits = slotLimits(settings, 0);
  }

  override onApplicationBootstrap(): void {
    observeQueue(this.db);
    observeTasks(this.db);
    observeStreams(this.db, this.settings);
    super.onApplicationBootstrap();
    if (this.stopping) return;
    const found = (): void => {
      if (performance.now() - this.began > this.unnudgedMs) this.nudge();
    };
    this.unwatch = DueWork.of(this.db).watch({ name: SCHEDULER, due: MAY_GIVE, found });
  }

  override async onApplicationShutdown(): Promise<void> {
    await Promise.all([super.onApplicationShutdown(), this.unwatch?.()]);
  }

  protected async round(): Promise<void> {
    this.began = performance.now();
    await this.giveSlots();
    const pause = Math.min(PAUSE.mostMs, this.limits.total * PAUSE.slotMs);
    if (!this.stopping) await sleep(pause);
  }

  private async giveSlots(): Promise<void> {
    await this.countWorkers();
    const { taken, turn, rows } = await findCandidates(this.db, this.limits, this.settings.sourcesAhead);
    chunksInFlight.set(taken);
    const free = Math.min(this.limits.total - taken, SLOTS_PER_ROUND);
    const jobs = rows.map((row) => this.candidate(row));
    const given = shareSlots(jobs, shares(rows), free, this.limits);
    this.unnudgedMs = given.length > 0 ? UNNUDGED.firstMs : Math.min(2 * this.unnudgedMs, UNNUDGED.mostMs);
    // Most nudges find nothing to assign; that takes one query and no lock.
    if (given.length === 0) return;
    const counts = new Map<string, number>();
    for (const jobId of given) counts.set(jobId, (counts.get(jobId) ?? 0) + 1);
    const chosen = rows.flatMap((row): Chosen[] => {
      const count = counts.get(row.id);
      return count === undefined ? [] : [{ row, count }];
    });
    const isDone = await this.dispatch(chosen, turn);
    // Another scheduler was faster, or there is room for more than a round gives.
    if (!isDone || given.length >= SLOTS_PER_ROUND) this.nudge();
  }

  private async countWorkers(): Promise<void> {
    if (performance.now() - this.counted < WORKERS_COUNTED_MS) return;
    this.limits = slotLimits(this.settings, await workerSlots(this.db));
    this.counted = performance.now();
    slots.set(this.limits.total);
  }

  /** Gives what was chosen, unless another scheduler has given something since; false then. */
  private dispatch(chosen: Chosen[], turn: string | null): Promise<boolean> {
    const given = chosen.map(({ row, count }) => ({
      ...{ jobId: row.id, traceparent: row.traceparent, count, sources: this.openable(row) },
    }));
    return dispatchWork(this.outbox, given, { leaseSeconds: dispatchSeconds(this.settings), turn });
  }

  private candidate(row: CandidateRow): Candidate {
    const free = this.limits.perJob - row.in_flight;
    return {
      jobId: row.id,
      workspaceId: row.workspace_id,
      rank: row.rank,
      timeCreated: row.time_created,
      admitted: row.admitted,
      wants: Math.max(0, Math.min(free, row.planned + this.openable(row))),
      inFlight: row.in_flight,
    };
  }

  /** Number of sources that may be opened now: one until the kind of media is known, then up to the look-ahead. */
  private openable(row: CandidateRow): number {
    const allowed = row.known ? this.settings.sourcesAhead - row.sources_ahead : 1;
    return Math.max(0, Math.min(row.waiting_sources, allowed - row.opening));
  }
}

function shares(rows: CandidateRow[]): Map<string, WorkspaceShare> {
  return new Map(
    rows.map(({ workspace_id, weight, workspace_in_flight: inFlight, active_jobs: activeJobs }) => [
      workspace_id,
      { weight, inFlight, activeJobs },
    ]),
  );
}
