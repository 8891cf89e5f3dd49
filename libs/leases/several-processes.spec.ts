/** @needs servers */
import { randomUUID } from 'node:crypto';
import { inTransaction, openDatabase, type Database } from '@adit/database';
import { describeWith, freshDatabase, isWaitedFor, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { claimOldest, claimRow, isHeld, type ClaimedTask } from './leased-rows.js';
import { REPORTS } from './leased-tables.js';

const LEASE_SECONDS = 60;

await describeWith('postgres', 'leased rows of several processes', ({ postgres }) => {
  let own: FreshDatabase;
  let [one, other]: Database[] = [];
  beforeAll(async () => {
    own = await freshDatabase(postgres.url, postgres.migrated);
    const { url } = own;
    one = await openDatabase({ driver: 'postgres', url });
    other = await openDatabase({ driver: 'postgres', url });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await own?.drop();
  });

  /** Ids of waiting reports, the oldest first. */
  const reports = async (workspaceId: string, count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUID());
    await other!.dataSource.query(
      `INSERT INTO reports (id, workspace_id, batch_id, title, time_created)
       SELECT id, $1, $1, 'x', now() + make_interval(secs => at) FROM unnest($2::uuid[]) WITH ORDINALITY AS v (id, at)`,
      [workspaceId, ids],
    );
    return ids;
  };
  /**
   * Result of `theirs` where it begins while the transaction of `ours` is open, and whether it waits for that to end.
   */
  const beside = async <T>(
    ours: (manager: EntityManager) => Promise<unknown>,
    theirs: (manager: EntityManager) => Promise<T>,
  ): Promise<{ waited: boolean; came: T }> => {
    let isOver = false;
    const [waited, came] = await inTransaction(one!.dataSource, async (manager) => {
      await ours(manager);
      const their = theirs(other!.dataSource.manager).finally(() => (isOver = true));
      return [await isWaitedFor(manager, () => isOver), { their }] as const;
    });
    return { waited, came: await came.their };
  };

  it('that wait are taken by one process each, and none waits for a task that another takes', async () => {
    const workspaceId = randomUUID();
    const ids = await reports(workspaceId, 2);
    const take = (manager: EntityManager) => claimOldest(manager, REPORTS, LEASE_SECONDS, workspaceId);
    let first: ClaimedTask | null = null;
    const { waited, came } = await beside(async (manager) => (first = await take(manager)), take);
    expect([waited, first, came]).toMatchObject([
      false,
      { key: { id: ids[0] }, attempt: 1 },
      { key: { id: ids[1] }, attempt: 1 },
    ]);
  });

  it('are begun once by processes that begin the same one at the same time', async () => {
    const [id = ''] = await reports(randomUUID(), 1);
    const begin = (manager: EntityManager) => claimRow(manager, REPORTS, { id }, LEASE_SECONDS);
    expect(await beside(begin, begin)).toEqual({ waited: true, came: null });
  });

  it('are begun by no other process before their holder has written its result, also past its lease', async () => {
    const [id = ''] = await reports(randomUUID(), 1);
    const begin = (manager: EntityManager) => claimRow(manager, REPORTS, { id }, LEASE_SECONDS);
    const claim = await begin(other!.dataSource.manager);
    const held = { rows: REPORTS, key: { id }, ...claim! };
    await other!.dataSource.query('UPDATE reports SET lease_until = now() WHERE id = $1', [id]);
    const writes = async (manager: EntityManager) => expect(await isHeld(manager, held)).toBe(true);
    expect(await beside(writes, begin)).toMatchObject({ waited: true, came: { attempt: 2 } });
    expect(await inTransaction(one!.dataSource, (manager) => isHeld(manager, held))).toBe(false);
  });
});
