import type { MediaFacts } from '@adit/contracts';
import { FoldEntity, fromRow, JobEntity, JobModuleEntity } from '@adit/database';
import { LockedJob, OutboxRelay } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not } from 'typeorm';
import { FoldAdvance, type OpenFold } from './fold-advance.js';
import { JobArtifacts } from './job-artifacts.js';
import { endModules, standingOf } from './job-standing.js';

/** Takes a job as far as it can go now: folds, ends modules, writes artifacts, ends the job. Safe to call at any time. */
@Injectable()
export class JobAdvance {
  private readonly current = new Map<string, Promise<boolean>>();
  private readonly next = new Map<string, Promise<boolean>>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(FoldAdvance) private readonly folds: FoldAdvance,
    @Inject(JobArtifacts) private readonly artifacts: JobArtifacts,
  ) {}

  /**
   * True when this ended the job. Calls for a job that is being advanced share one more run after it: two at once would
   * only race for its row.
   */
  advance(jobId: string): Promise<boolean> {
    const waiting = this.next.get(jobId);
    if (waiting !== undefined) return waiting;
    const before = this.current.get(jobId) ?? Promise.resolve(false);
    const run = before
      .catch(() => false)
      .then(() => {
        this.next.delete(jobId);
        this.current.set(jobId, run);
        return this.run(jobId);
      })
      .finally(() => {
        if (this.current.get(jobId) === run) this.current.delete(jobId);
      });
    this.next.set(jobId, run);
    return run;
  }

  private async run(jobId: string): Promise<boolean> {
    let ended: LockedJob | null = null;
    for (const open of await this.openFolds(jobId)) ended = (await this.folds.advance(open)) ?? ended;
    ended ??= (await this.mayEnd(jobId)) ? await this.endModules(jobId) : null;
    if (ended !== null) await this.artifacts.finish(ended);
    return ended !== null;
  }

  /** The folds whose next chunk is analysed, or that have none left, of a job that has begun. */
  private async openFolds(jobId: string): Promise<OpenFold[]> {
    const { manager } = this.db;
    const rows: (Record<string, unknown> & { module: Record<string, unknown>; facts: MediaFacts | null })[] =
      await manager.query(
        `SELECT f.*, to_jsonb(m) AS module, (SELECT facts FROM job_sources s
                  WHERE s.job_id = f.job_id AND s.index = greatest(f.source_index, 0)) AS facts
           FROM jobs j JOIN job_modules m ON m.job_id = j.id
           JOIN folds f ON f.job_id = m.job_id AND f.module_id = m.module_id
          WHERE j.id = $1 AND ${BEGUN} AND m.state IN ('waiting', 'processing') AND NOT f.closed
            AND NOT EXISTS (
              SELECT 1 FROM jsonb_each_text(m.analyses) n
               WHERE f.next_chunk < jsonb_array_length(f.chunk_ids) AND NOT EXISTS (
                 SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = (f.chunk_ids ->> f.next_chunk)::uuid
                    AND a.digest = n.value AND a.state = 'done'))
          ORDER BY m.position, f.source_index`,
        [jobId],
      );
    return rows.map((row) => ({
      fold: fromRow(manager, FoldEntity, row),
      module: fromRow(manager, JobModuleEntity, row.module),
      facts: row.facts,
    }));
  }

  /** A look before the job is locked: whether a module without open folds, or no module at all, is left to run. */
  private async mayEnd(jobId: string): Promise<boolean> {
    const rows: unknown[] = await this.db.query(
      `SELECT 1 FROM jobs j WHERE j.id = $1 AND ${BEGUN} AND (
         NOT EXISTS (SELECT 1 FROM job_modules m WHERE m.job_id = j.id AND m.state IN ('waiting', 'processing'))
         OR NOT EXISTS (SELECT 1 FROM job_sources s WHERE s.job_id = j.id AND s.state IN ('waiting', 'requested'))
           AND EXISTS (
             SELECT 1 FROM job_modules m WHERE m.job_id = j.id AND m.state IN ('waiting', 'processing')
                AND NOT EXISTS (SELECT 1 FROM folds f WHERE f.job_id = j.id AND f.module_id = m.module_id AND NOT f.closed)))`,
      [jobId],
    );
    return rows.length > 0;
  }

  /** Jobs that a lost message or a crash left with nothing in flight to move them on. */
  async advanceAll(): Promise<void> {
    const jobs = await this.db.manager.find(JobEntity, {
      where: { state: In(['waiting', 'processing']), timeDeleted: IsNull(), timeStarted: Not(IsNull()) },
      select: { id: true },
    });
    for (const { id } of jobs) await this.advance(id);
  }

  /** The job when all its modules have ended. */
  private endModules(jobId: string): Promise<LockedJob | null> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) return null;
      return (await endModules(locked, await standingOf(manager, jobId))) ? locked : null;
    });
  }
}

/** A live job whose first source was opened: before, there is nothing to fold. */
const BEGUN = `j.state IN ('waiting', 'processing') AND j.time_deleted IS NULL AND j.time_started IS NOT NULL`;
