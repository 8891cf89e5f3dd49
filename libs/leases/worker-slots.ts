import { randomUUID } from 'node:crypto';
import { BackgroundService } from '@adit/outbox';
import type { DataSource } from 'typeorm';
import { removeSigns } from './signs-of-life.js';

/** Time without a sign of life after which a worker no longer counts. */
const SECONDS = 60;
const PERIOD_MILLISECONDS = (SECONDS * 1000) / 3;

/** Announces how many units of work this process does at once, from its start to its end. */
export class WorkerSlots extends BackgroundService {
  private readonly holder = randomUUID();

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly slots: number,
  ) {
    super('worker slots', PERIOD_MILLISECONDS);
  }

  protected async round(): Promise<void> {
    await this.db.query(
      `INSERT INTO leases (name, holder, lease_until, slots) VALUES ($1, $2, now() + make_interval(secs => $3), $4)
       ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until, slots = excluded.slots`,
      [`worker/${this.holder}`, this.holder, SECONDS, this.slots],
    );
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    const sql = `DELETE FROM leases WHERE name = $1 OR (slots IS NOT NULL AND lease_until <= now())`;
    await removeSigns(this.db, sql, [`worker/${this.holder}`]);
  }
}

/** Number of units that live workers do at once. */
export async function workerSlots(db: Pick<DataSource, 'query'>): Promise<number> {
  const [row]: { slots: number }[] = await db.query(
    `SELECT coalesce(sum(slots), 0)::int AS slots FROM leases WHERE lease_until > now()`,
  );
  return row?.slots ?? 0;
}
