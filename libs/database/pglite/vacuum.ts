import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';

const log = createLogger('database');

interface VacuumLimits {
  /** Transactions after which what a table holds is marked as older than all of them: PostgreSQL stops at two billion. */
  oldestAge: number;
}

/** Those of PostgreSQL's autovacuum. */
const LIMITS: VacuumLimits = { oldestAge: 200_000_000 };
const EVERY_MS = 60_000;
/** A statement that keeps the only session from everybody else for so long is worth a line in the log. */
const LONG_MS = 1_000;

interface DueTable {
  name: string;
  /** Of dead rows. */
  isDirty: boolean;
  isOld: boolean;
  /** To who plans statements. */
  isUnknown: boolean;
}

/**
 * Tables with so many dead or changed rows that PostgreSQL's autovacuum would see to them, by its thresholds. Statistics are lost
 * when the process is killed, and ANALYZE counts dead rows again: so what has none is due.
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
 * What autovacuum does on a server, once: an embedded PostgreSQL is one session without background processes, where dead rows would
 * stay for ever and plans know nothing of the tables. A table at a time, others have their turn between. Answers the statements.
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
    log[milliseconds < LONG_MS ? 'debug' : 'info']({ statement, milliseconds }, 'the embedded database was tidied');
  }
  return statements;
}

function statementFor({ name, isDirty, isOld, isUnknown }: DueTable): string {
  if (!isDirty && !isOld) return `ANALYZE ${name}`;
  const options = [isOld ? 'FREEZE' : '', isUnknown ? 'ANALYZE' : ''].filter((option) => option !== '');
  return options.length === 0 ? `VACUUM ${name}` : `VACUUM (${options.join(', ')}) ${name}`;
}

/** Keeps house every minute, until the function that it answers is called, which waits for a statement that is under way. */
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
        log.warn({ err: error }, 'the embedded database was not tidied; it is tried again');
      }
    }
  })();
  return async () => {
    over.abort();
    await keeping;
  };
}
