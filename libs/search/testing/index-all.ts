import { inTransaction } from '@adit/database';
import type { ModuleRegistry } from '@adit/module-kit';
import type { DataSource } from 'typeorm';
import { moveMatched } from '../feed/feed.js';
import { indexStep } from '../feed/index-job.js';
import { PostgresIndex } from '../postgres/postgres-index.js';
import { matchStep } from '../feed/match-step.js';

/** Indexes all that is noted, as the aggregator does, but tells nobody; answers how many documents were written. */
export async function indexAll(db: DataSource, modules: ModuleRegistry): Promise<number> {
  const index = new PostgresIndex(db);
  let written = 0;
  for (;;) {
    const step = await inTransaction(db, async (manager) => {
      const [job]: { id: string }[] = await manager.query(
        `SELECT id FROM search_feed WHERE state IN ('waiting', 'processing') ORDER BY time_created LIMIT 1 FOR UPDATE`,
      );
      return job === undefined ? null : { jobId: job.id, ...(await indexStep(manager, { index, modules }, job.id)) };
    });
    if (step === null) return written;
    written += step.written;
    const matched = step.unmatched ? await matchStep(db, { index, modules }, step.jobId) : null;
    if (matched !== null) await inTransaction(db, (manager) => moveMatched(manager, step.jobId, matched));
  }
}
