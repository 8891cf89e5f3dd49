import { ACTIVE_JOB_STATES } from '@adit/contracts';
import { isLive } from '@adit/database';
import { counter, gauge } from '@adit/runtime';
import type { DataSource } from 'typeorm';

export const jobsEnded = counter('adit_jobs_ended_total', 'Jobs that ended', ['state']);

/** Gauges read from the database when metrics are scraped. Several calls register them once. */
export function observeQueue(db: DataSource): void {
  gauge('adit_jobs', 'Jobs that have not ended', ['state'], async (jobs) => {
    const rows: { state: string; count: number }[] = await db.query(
      `SELECT j.state, count(*)::int AS count FROM jobs j WHERE ${isLive('j')} GROUP BY j.state`,
    );
    jobs.reset();
    for (const state of ACTIVE_JOB_STATES) jobs.set({ state }, 0);
    for (const { state, count } of rows) jobs.set({ state }, count);
  });
  gauge('adit_outbox_messages', 'Messages that wait to be handed to the bus', [], async (messages) => {
    const [row]: { count: number }[] = await db.query('SELECT count(*)::int AS count FROM outbox');
    messages.set(row?.count ?? 0);
  });
  gauge('adit_outbox_age_seconds', 'For how long the oldest of them has waited', [], async (age) => {
    const [row]: { seconds: number }[] = await db.query(
      `SELECT extract(epoch FROM now() - (envelope ->> 'occurredAt')::timestamptz)::float AS seconds
         FROM outbox ORDER BY id LIMIT 1`,
    );
    age.set(Math.max(0, row?.seconds ?? 0));
  });
}
