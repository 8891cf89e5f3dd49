import type { EntityManager } from 'typeorm';

/**
 * Reads the time of the database's clock, which all processes share: that of a process may be minutes off. Stored
 * times are compared with this one, or with SQL's now(), and come from it.
 */
export async function databaseNow(by: Pick<EntityManager, 'query'>): Promise<Date> {
  const [{ now }]: [{ now: Date }] = await by.query('SELECT clock_timestamp() AS now');
  return now;
}

/** Column value of the database's time, so many seconds later. */
export function inSeconds(seconds: number): () => string {
  return () => `now() + interval '${seconds} seconds'`;
}
