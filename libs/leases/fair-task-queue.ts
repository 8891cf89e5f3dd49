import { dropOldest } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { claimOldest, type ClaimedTask, type LeasedTable } from './leased-rows.js';

/** Time for which the list of workspaces with tasks is reused while there are any. */
const OWNERS_REUSED_MS = 1_000;
/** Workspaces whose last time slice is remembered. */
const REMEMBERED = 10_000;

interface Owner {
  workspaceId: string;
  /** Tasks in progress in any process. */
  underWay: number;
  /** Creation time of the oldest of its tasks. */
  since: Date;
}

/**
 * Fair queue of tasks (round robin): the next task of a process is that of the workspace with the least in progress,
 * there of the one whose last time slice was longest ago. So the many tasks of one workspace do not hold up the few
 * of another. Within a workspace the oldest goes first.
 */
export class FairTaskQueue {
  private owners: Owner[] = [];
  private readAt = -Infinity;
  /** Sequence number of the last time slice by workspace. */
  private readonly served = new Map<string, number>();
  private slices = 0;

  /** @param rows tasks: their table has `workspace_id`, `state` and `time_created`. */
  constructor(private readonly rows: LeasedTable) {}

  /**
   * Returns the task that `claim` claims in a transaction of its own; null when none is free. Mostly there is no task
   * at all, which takes one query and no transaction.
   */
  async next(db: Pick<EntityManager, 'query'>, claim: () => Promise<ClaimedTask | null>): Promise<ClaimedTask | null> {
    if (this.owners.length > 0 && performance.now() - this.readAt < OWNERS_REUSED_MS) {
      const claimed = await claim();
      if (claimed !== null) return claimed;
    }
    this.owners = await ownersOf(db, this.rows);
    this.readAt = performance.now();
    return this.owners.length > 0 ? claim() : null;
  }

  /** Claims the next task of the known workspaces; null when none is free. */
  async claim(db: Pick<EntityManager, 'query'>, seconds: number): Promise<ClaimedTask | null> {
    const last = ({ workspaceId }: Owner): number => this.served.get(workspaceId) ?? -1;
    this.owners.sort((a, b) => a.underWay - b.underWay || last(a) - last(b) || a.since.getTime() - b.since.getTime());
    for (let owner; (owner = this.owners[0]) !== undefined; this.owners.shift()) {
      const { workspaceId } = owner;
      const claimed = await claimOldest(db, this.rows, seconds, workspaceId);
      if (claimed === null) continue;
      this.served.delete(workspaceId);
      this.served.set(workspaceId, ++this.slices);
      dropOldest(this.served, REMEMBERED);
      return claimed;
    }
    return null;
  }
}

/** True when a free task of another workspace waits. */
export async function othersWait(
  db: Pick<EntityManager, 'query'>,
  { name, open, free, live }: LeasedTable,
  workspaceId: string,
): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `SELECT 1 FROM ${name} WHERE ${open} AND ${free} AND ${live} AND workspace_id <> $1 LIMIT 1`,
    [workspaceId],
  );
  return rows.length > 0;
}

/** Workspaces with open tasks: a step in the index for each, however many tasks it has. */
function ownersOf(db: Pick<EntityManager, 'query'>, { name, open }: LeasedTable): Promise<Owner[]> {
  const first = (more: string): string =>
    `SELECT workspace_id, time_created FROM ${name} WHERE ${open} ${more} ORDER BY workspace_id, time_created LIMIT 1`;
  return db.query(
    `WITH RECURSIVE owners AS (
       (${first('')})
       UNION ALL
       SELECT later.* FROM owners CROSS JOIN LATERAL (${first(`AND ${name}.workspace_id > owners.workspace_id`)}) later),
     busy AS (
       SELECT workspace_id, count(*)::int AS under_way FROM ${name}
        WHERE state = 'processing' AND lease_until > now() GROUP BY workspace_id)
     SELECT workspace_id AS "workspaceId", time_created AS since, coalesce(under_way, 0) AS "underWay"
       FROM owners LEFT JOIN busy USING (workspace_id)`,
    // A statement with a list of values, even an empty one, is prepared: planning it takes longer than to find
    // nothing.
    [],
  );
}
