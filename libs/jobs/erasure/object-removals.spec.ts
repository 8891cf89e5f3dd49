/** @needs ffmpeg */
import { ObjectRemovalEntity } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JobsUnderTest } from '../testing/jobs-under-test.js';
import { noteRemovals, removeObjects, settleRemovals } from './object-removals.js';

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
});
