import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '@adit/database';
import { catchUp, compareJobs, forgetJob, sweepWords } from '@adit/search';
import { InstallationLease } from '@adit/leases';
import { BackgroundService } from '@adit/outbox';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SearchIndexing } from './search-indexing.js';

const PERIOD_MS = 60_000;
/** From one comparison of all jobs to the next. */
const COMPARED_EVERY_MS = 3_600_000;
/** Between two parts of either. */
const PAUSE_MS = 200;
/** Longer than one part takes. */
const LEASE_SECONDS = 120;

/**
 * Carries rebuilds on, and finds jobs whose results are not indexed though nobody noted it, as an older build beside this
 * one does not: after the start of a process and once an hour, as every job is read for it. In between, words go that no
 * document has any more. One process of all does it.
 */
@Injectable()
export class SearchCatchUp extends BackgroundService {
  private readonly lease: InstallationLease;
  private comparedUntil = -Infinity;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(SearchIndexing) private readonly indexing: SearchIndexing,
  ) {
    super('search', PERIOD_MS);
    this.lease = new InstallationLease(db, 'search', LEASE_SECONDS);
  }

  protected async round(): Promise<void> {
    if (!(await this.lease.take())) return;
    for (let sweeps = true; await this.goesOn(); await sleep(PAUSE_MS)) {
      if (performance.now() - this.comparedUntil > COMPARED_EVERY_MS) await this.compareAll();
      const more = await catchUp(this.db.manager);
      this.indexing.nudge();
      if (sweeps) sweeps = await sweepWords(this.db);
      if (!more && !sweeps) return;
    }
  }

  private async compareAll(): Promise<void> {
    for (let after: string | null = null; await this.goesOn();) {
      const { last, gone } = await compareJobs(this.db.manager, after);
      for (const id of gone) {
        while ((await this.goesOn()) && (await inTransaction(this.db, (manager) => forgetJob(manager, id))));
      }
      if (last === null) {
        this.comparedUntil = performance.now();
        return;
      }
      after = last;
      await sleep(PAUSE_MS);
    }
  }

  private async goesOn(): Promise<boolean> {
    return !this.stopping && (await this.lease.keep());
  }
}
