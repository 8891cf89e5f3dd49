import { returned } from '@adit/database';
import type { EntityManager } from 'typeorm';

type Db = Pick<EntityManager, 'query'>;

/**
 * A table whose rows are work that one process does at a time. A row counts its attempts before each begins and says until
 * when the running one is believed alive, by the database's clock. SQL speaks of the row by the table's own columns.
 */
export interface LeasedTable {
  name: string;
  attempts: string;
  leaseUntil: string;
  /**
   * A number that grows with each claim and never comes again. Null where `attempts` tells claims apart by itself: only the
   * holder takes it back, with its own end, and nothing makes it begin anew while an attempt may still wind down.
   */
  token: string | null;
  /** Until when a running attempt lives, where `leaseUntil` is also that of a message in a queue; else null. */
  runningUntil: string | null;
  /** SQL: the work is asked for and has not ended. */
  open: string;
  /** SQL: somebody still waits for it; nothing begins or goes on otherwise. */
  live: string;
  /** SQL: no attempt of it is believed alive. */
  free: string;
  /** SQL: what a claim sets besides; null for nothing. */
  begun: string | null;
}

/** Columns of the primary key. */
export type RowKey = Record<string, string | number>;

/** What tells an attempt from all others of its row. */
export interface Claim {
  /** How many attempts the row is to blame for, this one counted: 1 for the first. What was nobody's fault is taken off again. */
  attempt: number;
  /** 0 where the table has none. */
  token: number;
}

export interface Held extends Claim {
  rows: LeasedTable;
  key: RowKey;
}

interface Change {
  /** SQL with `$1`, … for `values`; nothing is set where it is empty. */
  set: string;
  values?: unknown[];
  where: string;
}

/** Changes a row while its work is open; its attempts and token after that, or null when it was not as `where` says. */
export async function updateRow(db: Db, rows: LeasedTable, key: RowKey, change: Change): Promise<Claim | null> {
  const { set, values = [], where } = change;
  const parameters = [...values];
  const updated = await db.query(
    `UPDATE ${rows.name} SET ${set} WHERE ${matching(key, parameters)} AND ${rows.open} AND ${where} RETURNING ${claimOf(rows)}`,
    parameters,
  );
  return returned<Claim>(updated)[0] ?? null;
}

/** Claims a row: counts an attempt and begins its lease. Null when its work has ended, is another's, or nobody wants it. */
export async function claimRow(db: Db, rows: LeasedTable, key: RowKey, seconds: number): Promise<Claim | null> {
  const change = { set: claiming(rows), values: [seconds], where: `${rows.live} AND ${rows.free}` };
  return updateRow(db, rows, key, change);
}

/** A row of a table whose key is `id`, of one that this process has claimed. */
export interface ClaimedTask extends Held {
  key: { id: string };
}

/** Claims a workspace's oldest row (by `time_created`; its key is `id`) that nobody is at; null when there is none. */
export async function claimOldest(
  db: Db,
  rows: LeasedTable,
  seconds: number,
  workspaceId: string,
): Promise<ClaimedTask | null> {
  const { name, open, live, free } = rows;
  const claimed = returned<Claim & { id: string }>(
    await db.query(
      `UPDATE ${name} SET ${claiming(rows)}
        WHERE id = (SELECT id FROM ${name} WHERE workspace_id = $2 AND ${open} AND ${free} AND ${live}
                     ORDER BY time_created LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, ${claimOf(rows)}`,
      [seconds, workspaceId],
    ),
  )[0];
  if (claimed === undefined) return null;
  const { id, attempt, token } = claimed;
  return { rows, key: { id }, attempt, token };
}

/** Changes a row while this attempt holds it; whether it did. So an attempt that was overtaken writes nothing. */
export async function updateHeld(db: Db, held: Held, set: string, values: unknown[] = []): Promise<boolean> {
  const parameters = [...values];
  const where = fence(held, parameters);
  return (await updateRow(db, held.rows, held.key, { set, values: parameters, where })) !== null;
}

/** Whether the attempt still holds its row; no other begins before the transaction ends. */
export async function isHeld(manager: EntityManager, held: Held): Promise<boolean> {
  const parameters: unknown[] = [];
  const where = `${fence(held, parameters)} AND ${matching(held.key, parameters)} AND ${held.rows.open}`;
  const rows: unknown[] = await manager.query(`SELECT 1 FROM ${held.rows.name} WHERE ${where} FOR UPDATE`, parameters);
  return rows.length > 0;
}

/** Whether the attempt still holds its row, and somebody still waits for what it does. No other begins meanwhile. */
export async function isWanted(manager: EntityManager, held: Held): Promise<boolean> {
  const { rows } = held;
  return isHeld(manager, { ...held, rows: { ...rows, open: `${rows.open} AND ${rows.live}` } });
}

/** Begins the lease anew; false when another attempt has begun, or nobody waits any more. */
export async function renewLease(
  db: Db,
  held: Held,
  seconds: number,
  also: { set: string; value: unknown } | null = null,
): Promise<boolean> {
  const parameters: unknown[] = [seconds, ...(also === null ? [] : [also.value])];
  const set = `${leaseSet(held.rows)}${also === null ? '' : `, ${also.set}`}`;
  const where = `${fence(held, parameters)} AND ${held.rows.live}`;
  return (await updateRow(db, held.rows, held.key, { set, values: parameters, where })) !== null;
}

/** Ends an attempt so that another follows, in so many seconds; one that says nothing about the work is not `blamed`. */
export async function releaseRow(
  db: Db,
  held: Held,
  seconds: number,
  { blamed }: { blamed: boolean },
): Promise<boolean> {
  const { attempts, leaseUntil, runningUntil } = held.rows;
  const set = [
    `${leaseUntil} = now() + make_interval(secs => $1)`,
    ...(blamed ? [] : [`${attempts} = ${attempts} - 1`]),
    ...(runningUntil === null ? [] : [`${runningUntil} = NULL`]),
  ];
  return updateHeld(db, held, set.join(', '), [seconds]);
}

/** Declares every lease of a table void: for a process that is alone with its database, and has just begun. */
export async function voidLeases(db: Db, { name, open, leaseUntil, runningUntil }: LeasedTable): Promise<void> {
  const set = [`${leaseUntil} = now()`, ...(runningUntil === null ? [] : [`${runningUntil} = NULL`])];
  await db.query(`UPDATE ${name} SET ${set.join(', ')} WHERE ${open} AND ${leaseUntil} IS NOT NULL`);
}

function claiming(rows: LeasedTable): string {
  const { attempts, token, begun } = rows;
  return [
    `${attempts} = ${attempts} + 1`,
    ...(token === null ? [] : [`${token} = ${token} + 1`]),
    leaseSet(rows),
    ...(begun === null ? [] : [begun]),
  ].join(', ');
}

/** SQL: a lease of `$1` seconds from now. */
function leaseSet({ leaseUntil, runningUntil }: LeasedTable): string {
  const columns = runningUntil === null ? [leaseUntil] : [leaseUntil, runningUntil];
  return columns.map((column) => `${column} = now() + make_interval(secs => $1)`).join(', ');
}

function claimOf({ attempts, token }: LeasedTable): string {
  return `${attempts} AS attempt, ${token ?? 0} AS token`;
}

/** SQL: no other attempt has begun since. */
function fence({ rows, attempt, token }: Held, parameters: unknown[]): string {
  // Attempts beside the token: an older build begins one without a token of its own, but counts it.
  const counted = `${rows.attempts} = $${parameters.push(attempt)}`;
  return rows.token === null ? counted : `${counted} AND ${rows.token} = $${parameters.push(token)}`;
}

function matching(key: RowKey, parameters: unknown[]): string {
  return Object.entries(key)
    .map(([column, value]) => `${column} = $${parameters.push(value)}`)
    .join(' AND ');
}
