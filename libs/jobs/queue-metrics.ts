import { ACTIVE_JOB_STATES } from '@adit/contracts';
import { isLive } from '@adit/database';
import type { DataSource } from 'typeorm';
import { jobs, outboxAge, outboxMessages } from './metrics.js';

/** Gauges read from the database when metrics are scraped. Several calls register them once. */
export function observeQueue(db: DataSource): void {
  jobs(async (gauge) => {
    const rows: { state: string; count: number }[] = await db.query(
      `SELECT j.state, count(*)::int AS count FROM jobs j WHERE ${isLive('j')} GROUP BY j.state`,
    );
    gauge.reset();
    for (const state of ACTIVE_JOB_STATES) gauge.set({ state }, 0);
    for (const { state, count } of rows) gauge.set({ state }, count);
  });
  outboxMessages(async (gauge) => {
    const [row]: { count: number }[] = await db.query('SELECT count(*)::int AS count FROM outbox');
    gauge.set(row?.count ?? 0);
  });
  outboxAge(async (gauge) => {
    const [row]: { seconds: number }[] = await db.query(
      `SELECT extract(epoch FROM now() - (envelope ->> 'occurredAt')::timestamptz)::float AS seconds
         FROM outbox ORDER BY id LIMIT 1`,
    );
    gauge.set(Math.max(0, row?.seconds ?? 0));
  });
}
