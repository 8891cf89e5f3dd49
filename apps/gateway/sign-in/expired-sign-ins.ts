import { BackgroundService } from '@adit/outbox';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const PERIOD_MS = 3_600_000;
/** Rows that one statement removes. */
const STEP = 1_000;

/** Of a workspace that is there no more: an older gateway that erased it knew nothing of these. */
const LOST = 'NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = workspace_id)';
const OVER = `time_expires <= now() OR ${LOST}`;

/** Removes sessions and invitations that are over, with the addresses in them, and what erased workspaces have left. */
@Injectable()
export class ExpiredSignIns extends BackgroundService {
  constructor(@Inject(DataSource) private readonly db: DataSource) {
    super('expired-sign-ins', PERIOD_MS);
  }

  protected async round(): Promise<void> {
    for (const [table, gone] of [
      ['sessions', OVER],
      ['invitations', OVER],
      ['members', LOST],
    ] as const) {
      for (let count = STEP; count === STEP && !this.stopping;) {
        const [row]: { count: number }[] = await this.db.query(
          `WITH gone AS (
             DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${gone} LIMIT ${STEP}))
             RETURNING 1)
           SELECT count(*)::int AS count FROM gone`,
        );
        count = row?.count ?? 0;
      }
    }
  }
}
