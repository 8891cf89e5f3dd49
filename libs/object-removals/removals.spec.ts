import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectRemovalEntity, openDatabase, type Database } from '@adit/database';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { noteRemovals, removeObjects, settleRemovals, workOffRemovals } from './removals.js';

describe('removals from the object store', () => {
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: ObjectStore;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-removals-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(folder);
  });
  beforeEach(() => database.dataSource.manager.clear(ObjectRemovalEntity));
  afterAll(async () => {
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('come once more also when two processes have removed the same', async () => {
    const { manager } = database.dataSource;
    const begun = Date.now();
    const taken = await noteRemovals(manager, ['jobs/a/'], { again: true });
    // One that deletes a job takes longer than it may, and the sweeper takes up the same.
    for (let round = 0; round < 2; round++) {
      await settleRemovals(manager, (await removeObjects(objects, taken)).gone);
    }
    const [left] = await manager.find(ObjectRemovalEntity);
    expect(left).toMatchObject({ prefix: 'jobs/a/', again: false });
    expect(left!.timeDue.getTime()).toBeGreaterThan(begun + 3_500_000);
    expect(left!.timeDue.getTime()).toBeLessThan(begun + 2 * 3_600_000);
    const rest = taken.map((removal) => ({ ...removal, again: false }));
    await settleRemovals(manager, (await removeObjects(objects, rest)).gone);
    expect(await manager.count(ObjectRemovalEntity)).toBe(0);
  });

  it('are asked for again while the object store keeps what is locked in it, and hold up no others', async () => {
    const { manager } = database.dataSource;
    let isLocked = true;
    const locking = Object.assign(Object.create(objects) as ObjectStore, {
      delete: async (key: string) => (isLocked && key === 'jobs/a/face' ? false : objects.delete(key)),
    });
    for (const key of ['jobs/a/face', 'jobs/b/face']) await objects.put(key, Buffer.from('a'));
    await noteRemovals(manager, ['jobs/a/face', 'jobs/b/face']);
    const now = new Date(Date.now() + 1_000);
    const goOn = () => Promise.resolve(true);
    await workOffRemovals(manager, locking, now, goOn);
    expect(await manager.find(ObjectRemovalEntity)).toMatchObject([{ prefix: 'jobs/a/face' }]);
    isLocked = false;
    await workOffRemovals(manager, locking, now, goOn);
    expect(await manager.count(ObjectRemovalEntity)).toBe(1);
    await workOffRemovals(manager, locking, new Date(now.getTime() + 2 * 3_600_000), goOn);
    expect([await manager.count(ObjectRemovalEntity), await objects.stat('jobs/a/face')]).toEqual([0, null]);
  });
});
