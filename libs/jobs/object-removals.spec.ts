/** @needs ffmpeg */
import { ObjectRemovalEntity } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JobsUnderTest } from './testing/jobs-under-test.js';
import { noteRemovals, removeObjects, settleRemovals, workOffRemovals } from './object-removals.js';

describe('removals from the object store', () => {
  let jobs: JobsUnderTest;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.db.manager.clear(ObjectRemovalEntity));
  afterAll(() => jobs.close());

  it('come once more also when two processes have removed the same', async () => {
    const { manager } = jobs.db;
    const begun = Date.now();
    const taken = await noteRemovals(manager, ['jobs/a/'], { again: true });
    // One that deletes a job takes longer than it may, and the sweeper takes up the same.
    for (let round = 0; round < 2; round++) {
      await settleRemovals(manager, (await removeObjects(jobs.objects, taken)).gone);
    }
    const [left] = await manager.find(ObjectRemovalEntity);
    expect(left).toMatchObject({ prefix: 'jobs/a/', again: false });
    expect(left!.timeDue.getTime()).toBeGreaterThan(begun + 3_500_000);
    expect(left!.timeDue.getTime()).toBeLessThan(begun + 2 * 3_600_000);
    const rest = taken.map((removal) => ({ ...removal, again: false }));
    await settleRemovals(manager, (await removeObjects(jobs.objects, rest)).gone);
    expect(await manager.count(ObjectRemovalEntity)).toBe(0);
  });

  it('are asked for again while the object store keeps what is locked in it, and hold up no others', async () => {
    const { manager } = jobs.db;
    let isLocked = true;
    const locking = Object.assign(Object.create(jobs.objects) as ObjectStore, {
      delete: async (key: string) => (isLocked && key === 'jobs/a/face' ? false : jobs.objects.delete(key)),
    });
    for (const key of ['jobs/a/face', 'jobs/b/face']) await jobs.objects.put(key, Buffer.from('a'));
    await noteRemovals(manager, ['jobs/a/face', 'jobs/b/face']);
    const now = new Date(Date.now() + 1_000);
    const goOn = () => Promise.resolve(true);
    await workOffRemovals(manager, locking, now, goOn);
    expect(await manager.find(ObjectRemovalEntity)).toMatchObject([{ prefix: 'jobs/a/face' }]);
    isLocked = false;
    await workOffRemovals(manager, locking, now, goOn);
    expect(await manager.count(ObjectRemovalEntity)).toBe(1);
    await workOffRemovals(manager, locking, new Date(now.getTime() + 2 * 3_600_000), goOn);
    expect([await manager.count(ObjectRemovalEntity), await jobs.objects.stat('jobs/a/face')]).toEqual([0, null]);
  });
});
