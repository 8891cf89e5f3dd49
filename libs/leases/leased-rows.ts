import { returned } from '@adit/database';
import type { EntityManager } from 'typeorm';

type Db = Pick<EntityManager, 'query'>;

/**
 * A table whose rows are work that one process does at a time. A row counts its attempts before each begins, and
 * stores the expiry of the running one's lease, by the database's clock. SQL refers to the row by the table's own
 * columns.
 */
export interface LeasedTable {
  name: string;
  attempts: string;
  leaseUntil: string;
  /**
   * Fencing token: a number that grows with each claim and never repeats. Null where `attempts` identifies claims by
   * itself: only the holder decrements it, with its own end, and nothing restarts it while an attempt may still end.
   */
  token: string | null;
  /** Expiry of a running attempt, where `leaseUntil` is also that of a message in a queue; else null. */
  runningUntil: string | null;
  /** SQL: the work is requested and has not ended. */
  open: string;
  /** SQL: somebody still waits for it; nothing begins or goes on otherwise. */
  live: string;
  /** SQL: no attempt of it is alive. */
  free: string;
  /** SQL: assignments of a claim in addition; null for none. */
  begun: string | null;
}

/** Columns of the primary key. */
export type RowKey = Record<string, string | number>;

/** Identity of an attempt among those of its row. */
export interface Claim {
  /** Number of failed attempts with this one: 1 for the first. Attempts without blame are subtracted again. */
  attempt: number;
  /** Fencing token; 0 where the table has none. */
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

/**
 * Changes a row while its work is open; returns its attempts and token after that, or null when `where` did not hold.
 */
export async function updateRow(db: Db, rows: LeasedTable, key: RowKey, change: Change): Promise<Claim | null> {
  const { set, values = [], where } = change;
  const parameters = [...values];
  const updated = await db.query(
    `UPDATE ${rows.name} SET ${set} WHERE ${matching(key, parameters)} AND ${rows.open} AND ${where} RETURNING ${claimOf(rows)}`,
    parameters,
  );
  return returned<Claim>(updated)[0] ?? null;
}

/**
 * Claims a row: counts an attempt and begins its lease. Null when its work has ended, is another's, or nobody wants
 * it.
 */
export async function claimRow(db: Db, rows: LeasedTable, key: RowKey, seconds: number): Promise<Claim | null> {
  const change = { set: claiming(rows), values: [seconds], where: `${rows.live} AND ${rows.free}` };
  return updateRow(db, rows, key, change);
}

/** Row of a table whose key is `id`, claimed by this process. */
export interface ClaimedTask extends Held {
  key: { id: string };
}

/** Claims a workspace's oldest free row (by `time_created`; its key is `id`); null when there is none. */
export async function claimOldest(
  db: Db,
  rows: LeasedTable,
  seconds: number,
  workspaceId: string,
): Promise<ClaimedTask | null> {
  const { name, open, live, free } = rows;
  const choice = `SELECT id FROM ${name} WHERE workspace_id = $2 AND ${open} AND ${free} AND ${live}
                   ORDER BY time_created LIMIT 1 FOR UPDATE SKIP LOCKED`;
  const claimed = await claimChosen<{ id: string }>(db, rows, seconds, { key: ['id'], choice, values: [workspaceId] });
  if (claimed === null) return null;
  const { id, attempt, token } = claimed;
  return { rows, key: { id }, attempt, token };
}

/**
 * Claims the free row whose key the statement `choice` selects, and returns its key; null when there is none. Its parameters,
 * `values`, are numbered from `$2` on. It locks what it selects and skips what others have locked.
 */
export async function claimChosen<Key extends RowKey>(
  db: Db,
  rows: LeasedTable,
  seconds: number,
  { key, choice, values }: { key: (keyof Key & string)[]; choice: string; values: unknown[] },
): Promise<(Claim & Key) | null> {
  const claimed = await db.query(
    `UPDATE ${rows.name} SET ${claiming(rows)} WHERE (${key.join(', ')}) = (${choice})
     RETURNING ${key.map((column) => `${rows.name}.${column}`).join(', ')}, ${claimOf(rows)}`,
    [seconds, ...values],
  );
  return returned<Claim & Key>(claimed)[0] ?? null;
}

/** Changes a row while this attempt holds it; returns false otherwise. So an overtaken attempt writes nothing. */
export async function updateHeld(db: Db, held: Held, set: string, values: unknown[] = []): Promise<boolean> {
  const parameters = [...values];
  const where = fence(held, parameters);
  return (await updateRow(db, held.rows, held.key, { set, values: parameters, where })) !== null;
}

/** True while the attempt holds its row; no other begins before the transaction ends. */
export async function isHeld(manager: EntityManager, held: Held): Promise<boolean> {
  const parameters: unknown[] = [];
  const where = `${fence(held, parameters)} AND ${matching(held.key, parameters)} AND ${held.rows.open}`;
  const rows: unknown[] = await manager.query(`SELECT 1 FROM ${held.rows.name} WHERE ${where} FOR UPDATE`, parameters);
  return rows.length > 0;
}

/** True while the attempt holds its row, and somebody still waits for its result. No other begins meanwhile. */
export async function isWanted(manager: EntityManager, held: Held): Promise<boolean> {
  const { rows } = held;
  return isHeld(manager, { ...held, rows: { ...rows, open: `${rows.open} AND ${rows.live}` } });
}

/** Renews the lease; false when another attempt has begun, or nobody waits any more. */
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

/** Ends an attempt so that another follows, in so many seconds; a failure that is not the work's is not `blamed`. */
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

/** Voids every lease of a table, for a process that is alone with its database and has just started. */
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
  // Attempts are compared beside the token: an older build begins one without a token of its own, but counts it.
  const counted = `${rows.attempts} = $${parameters.push(attempt)}`;
  return rows.token === null ? counted : `${counted} AND ${rows.token} = $${parameters.push(token)}`;
}

function matching(key: RowKey, parameters: unknown[]): string {
  return Object.entries(key)
    .map(([column, value]) => `${column} = $${parameters.push(value)}`)
    .join(' AND ');
}
