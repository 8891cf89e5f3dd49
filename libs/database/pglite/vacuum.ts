import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';

const log = createLogger('database');

interface VacuumLimits {
  /** Age in transactions at which rows are frozen: PostgreSQL stops at two billion. */
  oldestAge: number;
}

/** Limits of PostgreSQL's autovacuum. */
const LIMITS: VacuumLimits = { oldestAge: 200_000_000 };
const EVERY_MS = 60_000;
/** Duration of a statement, which blocks the only session, from which on it is logged. */
const LONG_MS = 1_000;

interface DueTable {
  name: string;
  /** Has too many dead rows. */
  isDirty: boolean;
  isOld: boolean;
  /** Has no current statistics for the planner. */
  isUnknown: boolean;
}

/**
 * Tables with so many dead or changed rows that PostgreSQL's autovacuum would process them, by its thresholds.
 * Statistics are lost when the process is killed, and ANALYZE counts dead rows again: so a table without statistics
 * is due.
 */
const DUE = `
  SELECT * FROM (
    SELECT format('%I.%I', s.schemaname, s.relname) AS name,
           s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0) AS "isDirty",
           greatest(age(c.relfrozenxid), age(toast.relfrozenxid)) > $1::bigint AS "isOld",
           s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
             OR s.schemaname = 'public' AND s.last_analyze IS NULL AND pg_relation_size(c.oid) > 0 AS "isUnknown"
      FROM pg_stat_all_tables s
      JOIN pg_class c ON c.oid = s.relid
      LEFT JOIN pg_class toast ON toast.oid = c.reltoastrelid
     WHERE c.relkind = 'r' AND s.schemaname <> 'pg_toast'
  ) tables
  WHERE "isDirty" OR "isOld" OR "isUnknown"
  ORDER BY name`;

/**
 * Does one run of autovacuum: an embedded PostgreSQL is one session without background processes, where dead rows
 * would stay for ever and plans would lack statistics. Tables are processed one at a time, with other statements in
 * between. Returns the statements.
 */
export async function vacuumOnce(
  dataSource: DataSource,
  { limits = LIMITS, signal }: { limits?: VacuumLimits; signal?: AbortSignal } = {},
): Promise<string[]> {
  const due: DueTable[] = await dataSource.query(DUE, [limits.oldestAge]);
  const statements = due.map(statementFor);
  for (const statement of statements) {
    if (signal?.aborted === true) break;
    const began = performance.now();
    await dataSource.query(statement);
    const milliseconds = Math.round(performance.now() - began);
    log[milliseconds < LONG_MS ? 'debug' : 'info']({ statement, milliseconds }, 'the embedded database was vacuumed');
  }
  return statements;
}

function statementFor({ name, isDirty, isOld, isUnknown }: DueTable): string {
  if (!isDirty && !isOld) return `ANALYZE ${name}`;
  const options = [isOld ? 'FREEZE' : '', isUnknown ? 'ANALYZE' : ''].filter((option) => option !== '');
  return options.length === 0 ? `VACUUM ${name}` : `VACUUM (${options.join(', ')}) ${name}`;
}

/** Vacuums every minute, until the returned function is called, which waits for a running statement. */
export function vacuumPeriodically(dataSource: DataSource, everyMs = EVERY_MS): () => Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const keeping = (async () => {
    for (;;) {
      try {
        await sleep(everyMs, undefined, { signal, ref: false });
        await vacuumOnce(dataSource, { signal });
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'vacuuming the embedded database failed; it is retried');
      }
    }
  })();
  return async () => {
    over.abort();
    await keeping;
  };
}
