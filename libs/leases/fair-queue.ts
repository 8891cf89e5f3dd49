import { dropOldest } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { claimOldest, type ClaimedTask, type LeasedTable } from './leased-rows.js';

/** Who has tasks is looked up once in so long while there are any. */
const KNOWN_FOR_MS = 1_000;
/** Workspaces whose last turn is remembered. */
const REMEMBERED = 10_000;

interface Owner {
  workspaceId: string;
  /** Tasks that a process, whichever, is at. */
  underWay: number;
  /** When the oldest of its tasks came. */
  since: Date;
}

/**
 * Whose task comes next in a process: of the workspace with the least under way, there of the one whose last turn was longest ago,
 * so that the many tasks of one do not hold up the few of another. Within a workspace the oldest goes first.
 */
export class FairQueue {
  private owners: Owner[] = [];
  private lookedAt = -Infinity;
  /** The number of the last turn by workspace. */
  private readonly served = new Map<string, number>();
  private turn = 0;

  /** @param rows tasks: their table has `workspace_id`, `state` and `time_created`. */
  constructor(private readonly rows: LeasedTable) {}

  /**
   * What `claim` claims in a transaction of its own; null when there is nothing that nobody is at. Mostly there is nothing at all,
   * which takes one look and no transaction.
   */
  async next(db: Pick<EntityManager, 'query'>, claim: () => Promise<ClaimedTask | null>): Promise<ClaimedTask | null> {
    if (this.owners.length > 0 && performance.now() - this.lookedAt < KNOWN_FOR_MS) {
      const claimed = await claim();
      if (claimed !== null) return claimed;
    }
    this.owners = await ownersOf(db, this.rows);
    this.lookedAt = performance.now();
    return this.owners.length > 0 ? claim() : null;
  }

  /** Claims the task that is next of those who are known to have some; null when there is none that nobody is at. */
  async claim(db: Pick<EntityManager, 'query'>, seconds: number): Promise<ClaimedTask | null> {
    const last = ({ workspaceId }: Owner): number => this.served.get(workspaceId) ?? -1;
    this.owners.sort((a, b) => a.underWay - b.underWay || last(a) - last(b) || a.since.getTime() - b.since.getTime());
    for (let owner; (owner = this.owners[0]) !== undefined; this.owners.shift()) {
      const { workspaceId } = owner;
      const claimed = await claimOldest(db, this.rows, seconds, workspaceId);
      if (claimed === null) continue;
      this.served.delete(workspaceId);
      this.served.set(workspaceId, ++this.turn);
      dropOldest(this.served, REMEMBERED);
      return claimed;
    }
    return null;
  }
}

/** Whether a task waits, that nobody is at, of another workspace than this one. */
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

/** The workspaces with open tasks: a step in the index for each, however many tasks it has. */
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
    // With a list of values, if only an empty one, it is prepared: to plan it takes longer than to find nothing.
    [],
  );
}
