import type { EntityManager } from 'typeorm';

/**
 * The time by the database's clock, which all processes share: that of a process may be minutes off. What is stored is compared
 * with this one, or with SQL's now(), and what is stored to be compared comes from it.
 */
export async function databaseNow(by: Pick<EntityManager, 'query'>): Promise<Date> {
  const [{ now }]: [{ now: Date }] = await by.query('SELECT clock_timestamp() AS now');
  return now;
}

/** The same as a column's value, so many seconds later. */
export function inSeconds(seconds: number): () => string {
  return () => `now() + interval '${seconds} seconds'`;
}
