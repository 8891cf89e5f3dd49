import { AditError } from '@adit/contracts';
import { ObjectRemovalEntity, returned } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';

const log = createLogger('removals');
/** Removed from the object store at the same time. */
const CONCURRENCY = 8;
/** Taken up together: removed long before their lease ends, also by a slow store. */
const BATCH = 16;
/** For so long nobody else takes up what one process has begun to remove. */
const LEASE_SECONDS = 300;
/** Delay of the second removal, longer than any lease: objects that were being written at the first one exist by then. */
const AGAIN_SECONDS = 3600;
/** Interval at which the removal of objects that the store has locked (WORM) is tried again. */
const LOCKED_SECONDS = 3600;

export interface Removal {
  id: string;
  /** A key; when it ends with a slash, all keys that begin with it. */
  prefix: string;
  again: boolean;
}

interface RemovalOptions {
  /** The time by which others may take it up is counted from; the database's by default. */
  from?: Date;
  /** Until others may take it up: whoever notes it removes it meanwhile. */
  inSeconds?: number;
  /** Once more after a while, for what work in flight may still write there. */
  again?: boolean;
}

/**
 * Notes, in the transaction that deletes their rows, what has to go from the object store: neither a crash nor a store that
 * is away leaves it behind. Keys that were noted must never be written again.
 */
export async function noteRemovals(
  manager: EntityManager,
  prefixes: readonly string[],
  { from, inSeconds = 0, again = false }: RemovalOptions = {},
): Promise<Removal[]> {
  if (prefixes.length === 0) return [];
  return returned(
    await manager.query(
      `INSERT INTO object_removals (prefix, again, time_due)
       SELECT prefix, $2, coalesce($4::timestamptz, now()) + make_interval(secs => $3) FROM unnest($1::text[]) AS prefix
       RETURNING id, prefix, again`,
      [prefixes, again, inSeconds, from ?? null],
    ),
  );
}

/**
 * SQL: notes what `select` finds, as part of a statement that deletes the rows. It selects a prefix, whether it goes once more
 * after a while, and when others may take it up.
 */
export function notedRemovals(select: string): string {
  return `INSERT INTO object_removals (prefix, again, time_due) ${select}`;
}

/** The folder of a key, as a prefix. */
export function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}

/**
 * Removes everything that is due at `now`, for as long as `shouldContinue` says so and the object store is there. What cannot be removed
 * is taken up again after a while.
 */
export async function workOffRemovals(
  manager: EntityManager,
  objects: ObjectStore,
  now: Date,
  shouldContinue: () => Promise<boolean>,
): Promise<void> {
  while (await shouldContinue()) {
    const due = returned<Removal>(
      await manager.query(
        `UPDATE object_removals SET time_due = $1::timestamptz + make_interval(secs => $2) WHERE id IN (
           SELECT id FROM object_removals WHERE time_due <= $1 ORDER BY time_due LIMIT $3 FOR UPDATE SKIP LOCKED)
         RETURNING id, prefix, again`,
        [now, LEASE_SECONDS, BATCH],
      ),
    );
    const { gone, locked, away } = await removeObjects(objects, due);
    await settleRemovals(manager, gone);
    if (locked.length > 0) {
      await manager.query(
        'UPDATE object_removals SET time_due = $2::timestamptz + make_interval(secs => $3) WHERE id = ANY($1::bigint[])',
        [locked.map(({ id }) => id), now, LOCKED_SECONDS],
      );
    }
    if (away || due.length < BATCH) return;
  }
}

/**
 * Removes what was noted and answers what has gone, for `settleRemovals`, and what the object store keeps as it is `locked` there;
 * failures are logged and left for later. When the object store is `away`, the rest is not tried.
 */
export async function removeObjects(
  objects: ObjectStore,
  removals: readonly Removal[],
): Promise<{ gone: Removal[]; locked: Removal[]; away: boolean }> {
  const gone: Removal[] = [];
  const locked: Removal[] = [];
  let away = false;
  const queue = removals.values();
  const work = async (): Promise<void> => {
    for (const removal of queue) {
      if (away) return;
      const { prefix } = removal;
      try {
        const isGone = await (prefix.endsWith('/') ? objects.deletePrefix(prefix) : objects.delete(prefix));
        (isGone ? gone : locked).push(removal);
      } catch (error) {
        away ||= AditError.from(error).code === 'UNAVAILABLE';
        log.warn({ prefix, err: error }, 'could not be removed from the object store; a later run tries again');
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { gone, locked, away };
}

/**
 * Deletes the notes of objects that are gone, or schedules their second removal. Decided by the notes as they were claimed, since
 * another process may have settled the same removal meanwhile.
 */
export async function settleRemovals(manager: EntityManager, gone: readonly Removal[]): Promise<void> {
  const ids = (wanted: boolean) => gone.flatMap(({ id, again }) => (again === wanted ? [id] : []));
  const [last, first] = [ids(false), ids(true)];
  if (last.length > 0) await manager.query('DELETE FROM object_removals WHERE id = ANY($1::bigint[])', [last]);
  if (first.length === 0) return;
  await manager.query(
    `UPDATE object_removals SET again = false, time_due = time_due + make_interval(secs => $2)
      WHERE id = ANY($1::bigint[]) AND again`,
    [first, AGAIN_SECONDS],
  );
}

/** Takes back what was noted of a prefix: it stays, or is written to again. Answers whether anything was noted. */
export async function keepAfterAll(manager: EntityManager, prefix: string): Promise<boolean> {
  const { affected } = await manager.delete(ObjectRemovalEntity, { prefix });
  return affected !== 0;
}

/** Takes back removals that are not due yet; answers how many. */
export async function keepUndue(manager: EntityManager, removals: readonly Removal[]): Promise<number> {
  const kept = await manager.query(
    'DELETE FROM object_removals WHERE id = ANY($1::bigint[]) AND time_due > now() RETURNING id',
    [removals.map(({ id }) => id)],
  );
  return returned(kept).length;
}

/** Those of the removals that are noted still. */
export async function stillNoted(manager: EntityManager, removals: readonly Removal[]): Promise<Removal[]> {
  const noted: { id: string }[] = await manager.query('SELECT id FROM object_removals WHERE id = ANY($1::bigint[])', [
    removals.map(({ id }) => id),
  ]);
  return removals.filter(({ id }) => noted.some((one) => one.id === id));
}
