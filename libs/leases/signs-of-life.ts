import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';

const log = createLogger('leases');

/**
 * Runs a statement that removes signs of life at the end of a process. Throws nothing: where the database is away they run out,
 * and the rest of the process has still to be shut down.
 */
export async function removeSigns(db: Pick<DataSource, 'query'>, sql: string, parameters: unknown[]): Promise<void> {
  await db.query(sql, parameters).catch((error: unknown) => {
    log.debug({ err: error }, 'a sign of life could not be removed; it runs out');
  });
}

/**
 * Removes signs of life of processes that were killed, a day after the last one. Other leases stay: who takes a turn
 * (`takenTurn`) compares it with the last one, however long ago that was.
 */
export async function removeLostSigns(db: Pick<DataSource, 'query'>): Promise<void> {
  await db.query(
    `DELETE FROM leases WHERE lease_until < now() - interval '1 day'
        AND (starts_with(name, 'due ') OR starts_with(name, 'process/') OR slots IS NOT NULL)`,
  );
}
