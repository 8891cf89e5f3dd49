import { BackgroundService } from '@adit/outbox';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const PERIOD_MS = 3_600_000;
/** Rows that one statement removes. */
const STEP = 1_000;

/** Removes sessions and invitations that are over, with the addresses in them. */
@Injectable()
export class ExpiredSignIns extends BackgroundService {
  constructor(@Inject(DataSource) private readonly db: DataSource) {
    super('expired-sign-ins', PERIOD_MS);
  }

  protected async round(): Promise<void> {
    for (const table of ['sessions', 'invitations']) {
      for (let count = STEP; count === STEP && !this.stopping;) {
        const [row]: { count: number }[] = await this.db.query(
          `WITH gone AS (
             DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE time_expires <= now() LIMIT ${STEP}))
             RETURNING 1)
           SELECT count(*)::int AS count FROM gone`,
        );
        count = row?.count ?? 0;
      }
    }
  }
}
