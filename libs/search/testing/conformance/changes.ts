import { randomUUID } from 'node:crypto';
import { inTransaction, JobEntity } from '@adit/database';
import { expect, it } from '@jest/globals';
import { document, type Asked, type SearchWorld } from './search-world.js';

/** What is left out, replaced and removed. */
export function changesConformance(world: SearchWorld): void {
  const { archive, asked, find, newJob, numbers, write } = world;

  it('leaves out what the filters do, and other workspaces', async () => {
    const workspaceId = randomUUID();
    const batchId = randomUUID();
    const [one, other] = [
      await newJob(workspaceId, { tag: 'news', batchId }),
      await newJob(workspaceId, { timeCreated: new Date('2026-11-25T07:00:00.5Z') }),
    ];
    const heidelberg = { latitude: 49.41, longitude: 8.71 };
    const fiji = { latitude: -17.8, longitude: 178.1 };
    await write(one, [
      document({ said: 'castle', language: 'en-GB', moment: new Date('2026-11-21T20:15:00Z') }, 0),
      document({ where: 'castle', module: 'landmark_recognition', place: heidelberg }, 1),
    ]);
    await write(other, [
      document({ where: 'castle', module: 'landmark_recognition', place: fiji }, 2),
      document({ said: 'castle', language: 'fr' }, 3),
    ]);
    await archive({ said: 'castle' });
    const of = (filter: Asked) => numbers(workspaceId, 'castle', filter);
    expect(await of({})).toEqual([0, 1, 2, 3]);
    expect(await of({ moduleIds: ['landmark_recognition'] })).toEqual([1, 2]);
    expect(await of({ jobId: one.id })).toEqual([0, 1]);
    expect(await of({ batchId })).toEqual([0, 1]);
    expect(await of({ tag: 'news' })).toEqual([0, 1]);
    expect(await of({ language: 'en' })).toEqual([0]);
    expect(await of({ created: { to: new Date('2026-11-22') } })).toEqual([0, 1]);
    expect(await of({ created: { from: new Date('2026-11-25T07:00:00.5Z') } })).toEqual([2, 3]);
    expect(await of({ moment: { from: new Date('2026-11-21T20:00Z'), to: new Date('2026-11-21T21:00Z') } })).toEqual([
      0,
    ]);
    expect(await of({ box: { south: 49, west: 8, north: 50, east: 9 } })).toEqual([1]);
    expect(await of({ box: { south: -20, west: 170, north: 0, east: -170 } })).toEqual([2]);
  });

  it('replaces documents, and forgets those of numbers that have none any more', async () => {
    const { workspaceId, job } = await archive({ said: 'one' }, { said: 'two' }, { said: 'three' });
    await write(job, [document({ said: 'four' }, 1)], { from: 0, to: 2 });
    expect(await numbers(workspaceId, 'one OR two OR three OR four')).toEqual([1, 2]);
    expect(await find(workspaceId, 'four')).toEqual([1]);
    await inTransaction(world.database.dataSource, async (manager) => {
      expect(await world.index.isComplete(manager, job, 1)).toBe(false);
      expect(await world.index.removeSegments(manager, job.id, 1, 1)).toBe(1);
      expect(await world.index.isComplete(manager, job, 1)).toBe(false);
      expect(await world.index.removeSegments(manager, job.id, 1, 10)).toBe(1);
      expect(await world.index.isComplete(manager, job, 1)).toBe(true);
    });
    expect(await numbers(workspaceId, 'one OR two OR three OR four')).toEqual([]);
  });

  it('finds nothing of deleted jobs, from the moment on', async () => {
    const { workspaceId, job } = await archive({ said: 'budget' });
    await world.database.dataSource.manager.update(JobEntity, { id: job.id }, { timeDeleted: new Date() });
    expect(await find(workspaceId, 'budget')).toEqual([]);
    expect(await world.index.count(asked(workspaceId, 'budget'))).toEqual({
      total: 0,
      isExact: true,
      isComplete: true,
    });
  });
}
