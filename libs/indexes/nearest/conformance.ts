import { randomUUID } from 'node:crypto';
import { inTransaction, openDatabase, type Database } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IndexCollections } from '../collections.js';
import { UnknownFaces, type UnknownFace } from '../unknown-faces.js';
import { lookAlike, NETWORK, someFace } from '../testing/faces.js';
import { NeighbourSearches } from './choose.js';
import type { NeighbourSearch, Neighbourhood } from './port.js';

type Settings = Parameters<typeof openDatabase>[0];

/** Conformance tests of every neighbour search, on a database that supports it. */
export function neighbourConformance(
  name: string,
  settings: () => Promise<Settings>,
  search: (database: Database) => Promise<NeighbourSearch>,
): void {
  describe(`neighbours: ${name}`, () => {
    let database: Database;
    let searched: NeighbourSearch;
    const workspaceId = randomUUID();
    const around = async <T>(collection: string, work: (found: Neighbourhood) => Promise<T>): Promise<T> =>
      inTransaction(database.dataSource, async (manager) => {
        const row = await new IndexCollections(database.dataSource).getIn(manager, workspaceId, collection);
        return work(await searched.open(manager, { ...row, dimensions: row.dimensions ?? 512 }));
      });
    const identify = (faces: Pick<UnknownFace, 'embedding' | 'collection'>[], fail = false) =>
      inTransaction(database.dataSource, async (manager) => {
        const own = new UnknownFaces(manager, workspaceId, { of: () => Promise.resolve(searched) });
        const ids: (string | null)[] = [];
        for (const one of faces)
          ids.push(await own.identify({ maxDistance: 1, network: NETWORK, picture: null, ...one }));
        await own.flush();
        if (fail) throw new Error('rolled back');
        return ids;
      });

    beforeAll(async () => {
      database = await openDatabase(await settings());
      searched = await search(database);
    });
    afterAll(() => database?.close());

    const make = async (): Promise<string> => {
      const collection = `c-${randomUUID()}`;
      const collections = new IndexCollections(database.dataSource);
      await collections.create(workspaceId, { name: collection, description: '', type: 'face' }, { id: randomUUID() });
      return collection;
    };

    it('gives the nearest first, with their distance', async () => {
      const collection = await make();
      const people = Array.from({ length: 30 }, (_, at) => someFace(at));
      const ids = await identify(people.map((embedding) => ({ collection, embedding })));
      expect(new Set(ids).size).toBe(30);
      const query = lookAlike(someFace(17), 0.4, 1);
      const found = await around(collection, ({ nearest }) => nearest(query, 3));
      const expected = people
        .map((embedding, at) => ({ at, distance: Math.hypot(...embedding.map((value, i) => value - query[i]!)) }))
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 3);
      expect(found.map(({ indexId }) => ids.indexOf(indexId))).toEqual(expected.map(({ at }) => at));
      found.forEach(({ distance }, at) => expect(distance).toBeCloseTo(expected[at]!.distance, 3));
    });

    it('finds nobody of another collection', async () => {
      const [full, empty] = [await make(), await make()];
      await identify([{ collection: full, embedding: someFace(1) }]);
      expect(await around(empty, ({ nearest }) => nearest(someFace(1), 5))).toEqual([]);
    });

    it('sees the writes of its own transaction, and nothing of a rolled back one', async () => {
      const collection = await make();
      const twice = [someFace(2), lookAlike(someFace(2), 0.3, 2)].map((embedding) => ({ collection, embedding }));
      await expect(identify([{ collection, embedding: someFace(3) }], true)).rejects.toThrow('rolled back');
      const [first, second] = await identify(twice);
      expect(second).toBe(first);
      const found = await around(collection, ({ nearest }) => nearest(someFace(3), 5));
      expect(found.map(({ indexId }) => indexId)).toEqual([first]);
    });

    it('follows identities that move, come and go', async () => {
      const collection = await make();
      const [kept, gone] = await identify([4, 5].map((at) => ({ collection, embedding: someFace(at) })));
      expect(await around(collection, ({ nearest }) => nearest(someFace(5), 1))).toMatchObject([{ indexId: gone }]);
      await database.dataSource.query('DELETE FROM index_identities WHERE index_id = $1', [gone]);
      await database.dataSource.query(
        `UPDATE index_collections SET revision = revision + 1, shrunk = revision + 1 WHERE name = $1`,
        [collection],
      );
      expect(await around(collection, ({ nearest }) => nearest(someFace(5), 1))).toMatchObject([{ indexId: kept }]);
      const [later] = await identify([{ collection, embedding: someFace(5) }]);
      expect(later).not.toBe(gone);
      expect(await around(collection, ({ nearest }) => nearest(someFace(5), 1))).toMatchObject([{ indexId: later }]);
    });
  });
}

/** Returns the search that the database itself selects. */
export async function chosenSearch({ dataSource }: Database): Promise<NeighbourSearch> {
  return new NeighbourSearches().of(dataSource.manager);
}
