import { inTransaction } from '@adit/database';
import { expect, it } from '@jest/globals';
import type { FoundDocument } from '../../port.js';
import { removeFaces, renumberFaces } from '../../postgres/faces.js';
import { document, PHOTO, type SearchWorld } from './search-world.js';

/** Whoever a photo shows. */
export function photosConformance(world: SearchWorld): void {
  const { archive, asked, find, keep, newJob, numbers, write } = world;

  it('finds faces like that of a photo, the nearest first, of this network and workspace alone', async () => {
    const face = { who: 'unknown' };
    const { workspaceId, job } = await archive(face, face, face, face, { said: 'budget' });
    await keep(job, { 0: 40, 1: 0, 2: 80, 3: 20 });
    const other = await archive(face);
    await keep(other.job, { 0: 0 });
    const { documents } = await world.index.find(asked(workspaceId, '', { face: PHOTO }), { after: null, limit: 10 });
    expect(documents.map(({ key, distance }) => [key.seq, distance])).toEqual([
      [1, 0],
      [3, 0.3473],
      [0, 0.684],
    ]);
    expect(await find(workspaceId, '', { face: { ...PHOTO, maxDistance: 0.5 } })).toEqual([1, 3]);
    expect(await find(workspaceId, '', { face: { ...PHOTO, network: 'another' } })).toEqual([]);
    const question = asked(workspaceId, '', { face: PHOTO });
    expect(await world.index.count(question)).toMatchObject({ total: 3, isExact: true });
    expect((await world.index.facets(question)).type).toEqual([{ value: 'speech', count: 3 }]);
    expect((await world.index.find(asked(workspaceId, 'budget'), { after: null, limit: 1 })).documents).toMatchObject([
      { distance: null },
    ]);
  });

  it('finds them with words and filters, in one result or together', async () => {
    const { workspaceId, job } = await archive(
      { who: 'Anna Weber', at: 10 },
      { who: 'unknown', at: 50 },
      { said: 'the budget', at: 52 },
      { said: 'the budget', at: 90 },
      { who: 'Bob', at: 91 },
    );
    await keep(job, { 0: 10, 1: 20, 4: 85 });
    expect(await numbers(workspaceId, 'who:anna', { face: PHOTO })).toEqual([0]);
    expect(await numbers(workspaceId, 'who:bob', { face: PHOTO })).toEqual([]);
    expect(await numbers(workspaceId, 'said:budget', { face: PHOTO })).toEqual([]);
    expect(await find(workspaceId, 'said:budget', { face: PHOTO, together: 5 })).toEqual([1, 2]);
    expect(await numbers(workspaceId, 'the budget NOT who:bob', { face: PHOTO, together: 30 })).toEqual([1, 2]);
    expect(await find(workspaceId, '', { face: PHOTO, together: 5 })).toEqual([0, 1]);
    expect(await find(workspaceId, '', { face: PHOTO, jobId: job.id })).toEqual([0, 1]);
    expect(await find(workspaceId, '', { face: PHOTO, tag: 'other' })).toEqual([]);
    expect(await world.index.count(asked(workspaceId, 'said:budget', { face: PHOTO, together: 5 }))).toMatchObject({
      total: 2,
    });
  });

  it('keeps the order over pages', async () => {
    const { workspaceId, job } = await archive(...Array.from({ length: 11 }, () => ({ who: 'unknown' })));
    await keep(job, Object.fromEntries(Array.from({ length: 11 }, (_, at) => [at, 10 * (at % 4)])));
    const question = asked(workspaceId, '', { face: PHOTO });
    const { documents: all } = await world.index.find(question, { after: null, limit: 20 });
    const paged: FoundDocument[] = [];
    for (let after: string | null = null; paged.length < 11; after = paged.at(-1)?.place ?? null) {
      const { documents } = await world.index.find({ ...question }, { after, limit: 3 });
      paged.push(...documents);
    }
    expect(paged).toEqual(all);
    expect(all.map(({ key }) => (key.seq ?? 0) % 4)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
  });

  it('says that there are more than it looks at', async () => {
    const { workspaceId, job } = await archive({ who: 'unknown' }, { who: 'unknown' });
    await keep(job, Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [at, at / 100])));
    expect(await world.index.count(asked(workspaceId, '', { face: PHOTO }))).toMatchObject({
      total: 2,
      isExact: false,
    });
  });

  it('finds nobody by a face that is gone, and others by theirs under new numbers', async () => {
    const job = await newJob((await archive()).workspaceId);
    const face = (seq: number) => document({ who: 'unknown' }, seq);
    await write(job, [face(0), face(1), face(2)]);
    await keep(job, { 0: 0, 1: 10, 2: 20 });
    const { dataSource } = world.database;
    const [{ count }]: [{ count: number }] = await inTransaction(dataSource, async (manager) => {
      await removeFaces(manager, [{ jobId: job.id, seq: 1 }]);
      await manager.query(
        `INSERT INTO segments (job_id, seq, module_id, module_seq, source_index, time_start, time_end, type, label, confidence, meta, detections)
         SELECT $1, n, 'm', n, 0, 0, 0, 'face', '', 1, '{}', '[]' FROM unnest('{0,2}'::int[]) n`,
        [job.id],
      );
      await renumberFaces(manager, job.id);
      return manager.query('SELECT count(*)::int AS count FROM search_faces WHERE job_id = $1', [job.id]);
    });
    expect(count).toBe(2);
    expect(await find(job.workspaceId, '', { face: PHOTO })).toEqual([0, 1]);
  });
}
