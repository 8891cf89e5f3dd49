/** @needs servers */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, openDatabase, outsideTransaction, type Database } from '@adit/database';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { IndexCollections } from './collections.js';
import { erasePerson, IndexedIdentities, shownIdentities } from './identities.js';
import { NeighbourSearches } from './nearest/choose.js';
import { chosenSearch, neighbourConformance } from './nearest/conformance.js';
import { MemorySearch } from './nearest/memory.js';
import { PgvectorSearch } from './nearest/pgvector.js';
import { removeDeletedCollections } from './removal.js';
import { UnknownFaces, type UnknownFace } from './unknown-faces.js';
import { lookAlike, NETWORK, someFace } from './testing/faces.js';

type Settings = Parameters<typeof openDatabase>[0];
const EMBEDDED: Settings = { driver: 'pglite', directory: null };

/** Suite of indexes on every database. */
function indexes(name: string, settings: () => Promise<Settings>): void {
  neighbourConformance(`${name}, whatever it has`, settings, chosenSearch);
  for (const hasVectors of [true, false]) {
    const memory = new MemorySearch(1e9, hasVectors);
    afterAll(() => memory.close());
    neighbourConformance(`${name}, in memory, pgvector: ${hasVectors}`, settings, () => Promise.resolve(memory));
  }

  describe(`indexes: ${name}`, () => {
    let database: Database;
    let collections: IndexCollections;
    let identities: IndexedIdentities;
    const workspaceId = randomUUID();
    beforeAll(async () => {
      database = await openDatabase(await settings());
      collections = new IndexCollections(database.dataSource);
      identities = new IndexedIdentities(database.dataSource);
    });
    afterAll(() => database?.close());

    const make = async (): Promise<string> => {
      const collection = `c-${randomUUID()}`;
      await collections.create(workspaceId, { name: collection, description: '', type: 'face' }, { id: randomUUID() });
      return collection;
    };
    const searches = new NeighbourSearches();
    const meet = (collection: string, embedding: readonly number[], more: Partial<UnknownFace> = {}) =>
      inTransaction(database.dataSource, async (manager) => {
        const unknown = new UnknownFaces(manager, workspaceId, searches);
        const face = { collection, embedding, maxDistance: 1, network: NETWORK, picture: null, ...more };
        const id = await unknown.identify(face);
        await unknown.flush();
        return id;
      });

    it('uses pgvector', async () => {
      expect((await searches.of(database.dataSource.manager)).name).toBe('pgvector');
    });

    it('keeps unknown faces under ten-digit ids and recognises them again', async () => {
      const collection = await make();
      const first = await meet(collection, someFace(1));
      expect(first).toMatch(/^[1-9]\d{9}$/);
      expect(await meet(collection, lookAlike(someFace(1), 0.6, 1))).toBe(first);
      expect(await meet(collection, someFace(2))).not.toBe(first);
      expect(await collections.get(workspaceId, collection)).toMatchObject({
        size: 2,
        embeddingDigest: NETWORK.digest,
      });
    });

    it('creates one identity for an unknown face in many concurrent transactions', async () => {
      const collection = await make();
      const views = Array.from({ length: 12 }, (_, view) => lookAlike(someFace(3), 0.5, view));
      const ids = await Promise.all(views.map((embedding) => meet(collection, embedding)));
      expect([...new Set(ids)]).toEqual([expect.stringMatching(/^\d{10}$/)]);
      expect(await identities.list(workspaceId, collection, { offset: 0, limit: 10 })).toMatchObject({ total: 1 });
    });

    /** A person with so many sightings that further ones write nothing. */
    const wellKnown = async (collection: string, person: number): Promise<string> => {
      const id = (await meet(collection, someFace(person)))!;
      await database.dataSource.query('UPDATE index_identities SET members = 100 WHERE index_id = $1', [id]);
      return id;
    };

    it('finds another identity when the one just found is erased', async () => {
      const collection = await make();
      const gone = await wellKnown(collection, 40);
      const search = await searches.of(database.dataSource.manager);
      let erased = false;
      const id = await inTransaction(database.dataSource, async (manager) => {
        // Erases between search and write, in the same session, since the embedded database has no other.
        const eraser = async () => void (erased ||= (await erasePerson(manager, workspaceId, gone)) !== null);
        const of = async () => ({
          ...search,
          prepare: search.prepare.bind(search),
          open: async (...[by, collectionOf]: Parameters<typeof search.open>) => {
            const around = await search.open(by, collectionOf);
            const nearest = async (embedding: readonly number[], limit: number) => {
              const found = await around.nearest(embedding, limit);
              await eraser();
              return found;
            };
            return { ...around, nearest };
          },
        });
        const unknown = new UnknownFaces(manager, workspaceId, { of });
        const face = { collection, embedding: someFace(40), maxDistance: 1, network: NETWORK, picture: null };
        const found = await unknown.identify(face);
        await unknown.flush();
        return found;
      });
      expect([erased, id]).toEqual([true, expect.stringMatching(/^\d{10}$/)]);
      expect(id).not.toBe(gone);
      expect((await identities.list(workspaceId, collection, { offset: 0, limit: 9 })).identities).toMatchObject([
        { index_id: id },
      ]);
    });

    it('creates separate identities for people in one picture, however similar; the nearer of two is the known one', async () => {
      const collection = await make();
      const known = await meet(collection, someFace(30));
      const together = [lookAlike(someFace(30), 0.6, 1), lookAlike(someFace(30), 0.2, 2), someFace(31)];
      const apart = () =>
        inTransaction(database.dataSource, async (manager) => {
          const unknown = new UnknownFaces(manager, workspaceId, searches);
          const ids = await unknown.identifyApart(
            together.map((embedding) => ({ collection, embedding, maxDistance: 1, network: NETWORK, picture: null })),
          );
          await unknown.flush();
          return ids;
        });
      const first = await apart();
      expect(first[1]).toBe(known);
      expect(new Set(first).size).toBe(3);
      expect(await apart()).toEqual(first);
    });

    it('raises revisions that are never reused, also after lost commits', async () => {
      const collection = await make();
      const before = await collections.get(workspaceId, collection);
      await meet(collection, someFace(41));
      const { id, revision } = await collections.get(workspaceId, collection);
      await database.dataSource.query('DELETE FROM index_identities WHERE collection_id = $1', [id]);
      await database.dataSource.query('UPDATE index_collections SET size = 0, revision = $2 WHERE id = $1', [
        id,
        before.revision,
      ]);
      const next = (await meet(collection, someFace(42)))!;
      const later = BigInt((await collections.get(workspaceId, collection)).revision);
      expect(later > BigInt(revision)).toBe(true);
      await inTransaction(database.dataSource, (manager) => erasePerson(manager, workspaceId, next));
      const { revision: last, shrunk } = await collections.get(workspaceId, collection);
      expect([BigInt(last) > later, shrunk]).toEqual([true, last]);
    });

    it('has the default collection from the start, also for concurrent jobs', async () => {
      const ids = await Promise.all([4, 4, 4, 5].map((person) => meet('default_index', someFace(person))));
      expect(new Set(ids).size).toBe(2);
      const { rows } = await collections.list(randomUUID(), {});
      expect(rows.map((row) => row.name)).toEqual(['default_index']);
    });

    it('refuses faces of another network, and of a deleted collection', async () => {
      const collection = await make();
      await meet(collection, someFace(6));
      expect(await meet(collection, someFace(6), { network: { name: 'other', digest: 'f'.repeat(64) } })).toBeNull();
      expect(await meet(collection, [1, 0, 0])).toBeNull();
      await collections.remove(workspaceId, collection);
      expect(await meet(collection, someFace(6))).toBeNull();
    });

    it('merges identities of one label, and separates them again', async () => {
      const collection = await make();
      const [a, b, c] = (await Promise.all([7, 8, 9].map((person) => meet(collection, someFace(person))))) as [
        string,
        string,
        string,
      ];
      const label = (id: string, text: string) => identities.label(workspaceId, collection, id, text);
      const shown = async () => {
        const found = await shownIdentities(database.dataSource.manager, workspaceId, [a, b, c]);
        return [a, b, c].map((id) => [found.get(id)?.index_id, found.get(id)?.label]);
      };
      await label(a, 'Ann');
      expect(await label(b, 'Ann')).toMatchObject({ index_id: a, label: 'Ann', merged: [b] });
      expect(await shown()).toEqual([
        [a, 'Ann'],
        [a, 'Ann'],
        [c, ''],
      ]);
      const page = await identities.list(workspaceId, collection, { offset: 0, limit: 10 });
      expect([page.total, page.identities.map((one) => one.index_id).sort()]).toEqual([2, [a, c].sort()]);
      for (const [named, id] of [
        [true, a],
        [false, c],
      ] as const) {
        const some = await identities.list(workspaceId, collection, { offset: 0, limit: 10, named });
        expect([some.total, some.identities.map((one) => one.index_id)]).toEqual([1, [id]]);
      }
      // A later view of either is the same person; a new name applies to both.
      expect(await meet(collection, lookAlike(someFace(8), 0.5, 3))).toBe(b);
      await label(a, 'Anna');
      await label(b, 'Anna');
      expect(await shown()).toEqual([
        [a, 'Anna'],
        [a, 'Anna'],
        [c, ''],
      ]);
      // Merged into another one, and separated.
      await label(c, 'Cem');
      await label(a, 'Cem');
      expect(await shown()).toEqual([
        [c, 'Cem'],
        [c, 'Cem'],
        [c, 'Cem'],
      ]);
      await label(b, 'Bob');
      expect(await shown()).toEqual([
        [c, 'Cem'],
        [b, 'Bob'],
        [c, 'Cem'],
      ]);
      await label(a, '');
      expect(await shown()).toEqual([
        [a, ''],
        [b, 'Bob'],
        [c, 'Cem'],
      ]);
      await expect(label('1000000000', 'x')).rejects.toThrow('no identity 1000000000');
    });

    it('separates people who were merged by a name that was taken away', async () => {
      const collection = await make();
      const [a, b] = (await Promise.all([7, 8].map((person) => meet(collection, someFace(person))))) as [
        string,
        string,
      ];
      for (const text of ['Ann', '']) {
        for (const id of [a, b]) await identities.label(workspaceId, collection, id, text);
      }
      const page = await identities.list(workspaceId, collection, { offset: 0, limit: 10 });
      expect(page.identities.map(({ index_id: id, label, merged }) => [id, label, merged]).sort()).toEqual(
        [a, b].sort().map((id) => [id, '', []]),
      );
    });

    it('gives one name to one person under concurrency', async () => {
      const collection = await make();
      const ids = (await Promise.all([10, 11, 12, 13].map((person) => meet(collection, someFace(person))))) as string[];
      await Promise.all(ids.map((id) => identities.label(workspaceId, collection, id, 'Eve')));
      const { total, identities: found } = await identities.list(workspaceId, collection, { offset: 0, limit: 10 });
      expect([total, found[0]?.merged.length]).toEqual([1, 3]);
    });

    it('removes people, and everybody in a removed collection', async () => {
      const collection = await make();
      const [a, b, c] = (await Promise.all([14, 15, 16].map((person) => meet(collection, someFace(person))))) as [
        string,
        string,
        string,
      ];
      await identities.label(workspaceId, collection, a, 'Ann');
      await identities.label(workspaceId, collection, b, 'Ann');
      const erased = await inTransaction(database.dataSource, (manager) => erasePerson(manager, workspaceId, a));
      expect(erased).toEqual({ collection, merged: [b], thumbnails: 0 });
      const left = await shownIdentities(database.dataSource.manager, workspaceId, [a, b, c]);
      expect([...left.keys()]).toEqual([c]);
      await expect(identities.get(workspaceId, collection, b)).rejects.toThrow('no identity');
      expect(await meet(collection, someFace(14))).not.toBe(a);
      const { id } = await collections.get(workspaceId, collection);
      await collections.remove(workspaceId, collection);
      await removeDeletedCollections(database.dataSource.manager, () => Promise.resolve(true));
      const count = 'SELECT count(*)::int AS count FROM index_identities WHERE collection_id = $1';
      expect(await database.dataSource.query(count, [id])).toEqual([{ count: 0 }]);
      await expect(collections.get(workspaceId, collection)).rejects.toThrow('no index collection');
    });

    it("uses pgvector's index for large collections", async () => {
      const collection = await make();
      const { id } = await collections.get(workspaceId, collection);
      await meet(collection, someFace(20));
      const people = Array.from({ length: 120 }, (_, at) => someFace(100 + at));
      await database.dataSource.query(
        `INSERT INTO index_identities (index_id, collection_id, workspace_id, centroid, members, revision)
         SELECT (5000000000 + at)::text, $1, $2, centroid::real[], 1, 1
           FROM unnest($3::text[]) WITH ORDINALITY AS v (centroid, at)`,
        [id, workspaceId, people.map((face) => `{${face.join()}}`)],
      );
      // Pretends to be large.
      await database.dataSource.query('UPDATE index_collections SET size = 100000 WHERE id = $1', [id]);
      const search = new PgvectorSearch(new Set([512]));
      const hits = await inTransaction(database.dataSource, async (manager) => {
        await manager.query('SET LOCAL enable_sort = off');
        const row = await collections.getIn(manager, workspaceId, collection);
        const { nearest } = await search.open(manager, { ...row, dimensions: 512 });
        let found = 0;
        for (let at = 0; at < 120; at += 4) {
          const [first] = await nearest(lookAlike(someFace(100 + at), 0.6, at), 1);
          if (first?.indexId === String(5_000_000_001 + at)) found += 1;
        }
        return found;
      });
      expect(hits).toBeGreaterThanOrEqual(29);
    });
  });
}

indexes('embedded', () => Promise.resolve(EMBEDDED));

await describeWith('postgres', 'a server', ({ postgres }) => {
  const made: FreshDatabase[] = [];
  afterAll(async () => {
    for (const one of made) await one.drop();
  });
  const fresh = async (): Promise<Settings> => {
    const own = await freshDatabase(postgres.url);
    made.push(own);
    return { driver: 'postgres', url: own.url };
  };
  indexes('PostgreSQL', fresh);

  describe('concurrent jobs', () => {
    const workspaceId = randomUUID();
    const collection = 'beside';
    const searches = new NeighbourSearches();
    let database: Database;
    let known: string;
    beforeAll(async () => {
      database = await openDatabase(await fresh());
      const collections = new IndexCollections(database.dataSource);
      await collections.create(workspaceId, { name: collection, description: '', type: 'face' }, { id: randomUUID() });
      known = (await inTransaction(database.dataSource, (manager) => meet(manager, 1)))!;
      await database.dataSource.query('UPDATE index_identities SET members = 100 WHERE index_id = $1', [known]);
    });
    afterAll(() => database?.close());

    const meet = async (manager: EntityManager, person: number): Promise<string | null> => {
      const unknown = new UnknownFaces(manager, workspaceId, searches);
      const embedding = someFace(person);
      const id = await unknown.identify({ collection, embedding, maxDistance: 1, network: NETWORK, picture: null });
      await unknown.flush();
      return id;
    };
    const beside = <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> =>
      outsideTransaction(() => inTransaction(database.dataSource, work));

    it('find known identities while another adds one, and wait before adding one themselves', async () => {
      let added: Promise<string | null> | undefined;
      const first = await inTransaction(database.dataSource, async (manager) => {
        const id = await meet(manager, 2);
        const found = await beside(async (other) => {
          await other.query(`SET LOCAL lock_timeout = '10s'`);
          return meet(other, 1);
        });
        expect(found).toBe(known);
        added = beside((other) => meet(other, 2));
        while ((await waiting(manager)) === 0) await sleep(10);
        return id;
      });
      expect(await added).toBe(first);
    });

    it('keep their identities until they end: an erasure waits', async () => {
      let erased: Promise<unknown> | undefined;
      let isErased = false;
      await inTransaction(database.dataSource, async (manager) => {
        expect(await meet(manager, 1)).toBe(known);
        erased = beside((other) => erasePerson(other, workspaceId, known)).then(() => (isErased = true));
        while ((await waiting(manager)) === 0) await sleep(10);
        expect(isErased).toBe(false);
      });
      await erased;
      expect(await inTransaction(database.dataSource, (manager) => meet(manager, 1))).not.toBe(known);
    });

    /** Returns the number of waiting sessions of this database. */
    const waiting = async (manager: EntityManager): Promise<number> => {
      const [{ count }]: [{ count: number }] = await manager.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
      );
      return count;
    };
  });
});
