/** @needs servers, time */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, openDatabase, type Database } from '@adit/database';
import { describeWith, freshDatabase, ownServer, type FreshDatabase } from '@adit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IndexCollections } from '../collections.js';
import { erasePerson } from '../identities.js';
import { UnknownFaces } from '../unknown-faces.js';
import { lookAlike, NETWORK, numbers, someFace } from '../testing/faces.js';
import { NeighbourSearches } from './choose.js';
import { MemorySearch } from './memory.js';
import type { NeighbourSearch } from './port.js';
import { SignThread } from './sign-thread.js';

type Settings = Parameters<typeof openDatabase>[0];
/** Enough to exceed pgvector's full comparison by stated size. */
const [MANY, SAID] = [300, 10_000];

function inMemory(name: string, settings: () => Promise<Settings>): void {
  describe(`collections in memory: ${name}`, () => {
    const workspaceId = randomUUID();
    let database: Database;
    let collections: IndexCollections;
    let searches: NeighbourSearches[] = [];
    let collection: string;
    const another = (bytes = 1e9): NeighbourSearches => {
      const made = new NeighbourSearches(bytes);
      searches.push(made);
      return made;
    };
    beforeAll(async () => {
      database = await openDatabase(await settings());
      collections = new IndexCollections(database.dataSource);
    });
    afterAll(() => database?.close());
    beforeEach(async () => {
      collection = `c-${randomUUID()}`;
      await collections.create(workspaceId, { name: collection, description: '', type: 'face' }, { id: randomUUID() });
    });
    afterEach(async () => {
      for (const one of searches) await one.onApplicationShutdown();
      searches = [];
    });

    const meet = (by: Pick<NeighbourSearches, 'of'>, person: number, view: number | null = null) =>
      inTransaction(database.dataSource, async (manager) => {
        const unknown = new UnknownFaces(manager, workspaceId, by);
        const embedding = view === null ? someFace(person) : lookAlike(someFace(person), 0.6, view);
        const id = await unknown.identify({ collection, embedding, maxDistance: 1, network: NETWORK, picture: null });
        await unknown.flush();
        return id!;
      });
    const nearest = (search: NeighbourSearch, person: number, limit = 1) =>
      inTransaction(database.dataSource, async (manager) => {
        const row = await collections.getIn(manager, workspaceId, collection);
        const around = await search.open(manager, { ...row, dimensions: 512 });
        return (await around.nearest(lookAlike(someFace(person), 0.6, 9), limit)).map(({ indexId }) => indexId);
      });
    /** Inserts many at once, as other processes would; person 10,000 + at has the returned id + at. */
    const fill = async (count: number): Promise<number> => {
      const { id, revision } = await collections.get(workspaceId, collection);
      const [{ first }] = (await database.dataSource.query(
        `SELECT coalesce(max(index_id::bigint), 5000000000) + 1 AS first FROM index_identities WHERE index_id < '6'`,
      )) as [{ first: string }];
      await database.dataSource.query(
        `INSERT INTO index_identities (index_id, collection_id, workspace_id, centroid, members, revision)
         SELECT ($4::bigint + at - 1)::text, $1, $2, centroid::real[], 1, $5::bigint + at
           FROM unnest($3::text[]) WITH ORDINALITY AS v (centroid, at)`,
        [
          ...[id, workspaceId, Array.from({ length: count }, (_, at) => `{${someFace(10_000 + at).join()}}`)],
          ...[first, revision],
        ],
      );
      await database.dataSource.query(
        `UPDATE index_collections SET size = $5, revision = revision + $2, dimensions = 512, embedding_name = $3,
           embedding_digest = $4 WHERE id = $1`,
        [id, count, NETWORK.name, NETWORK.digest, SAID],
      );
      return Number(first);
    };
    const searchedBy = async (search: NeighbourSearch): Promise<string> =>
      inTransaction(database.dataSource, async (manager) => {
        const row = await collections.getIn(manager, workspaceId, collection);
        return (await search.open(manager, { ...row, dimensions: 512 })).by;
      });
    const isRead = async (search: NeighbourSearch): Promise<void> => {
      while ((await searchedBy(search)) !== 'memory') await sleep(20);
    };

    it('are loaded in the background, and found before and after', async () => {
      const first = await fill(MANY);
      const search = await another().of(database.dataSource.manager);
      expect(await nearest(search, 10_000 + 77)).toEqual([String(first + 77)]);
      await isRead(search);
      for (const person of [0, 77, 123, MANY - 1]) {
        expect(await nearest(search, 10_000 + person)).toEqual([String(first + person)]);
      }
    });

    it('are loaded before an identity is added, also where nothing else is loaded', async () => {
      const first = await fill(MANY);
      const by = another();
      const search = await by.of(database.dataSource.manager);
      const added = await Promise.all([1, 2, 3].map((person) => meet(by, person)));
      expect(await searchedBy(search)).toBe('memory');
      expect(new Set(added).size).toBe(3);
      expect(await nearest(search, 10_009)).toEqual([String(first + 9)]);
      // One reader searches and one adds, at the same time.
      const both = another();
      const found = await Promise.all([
        nearest(await both.of(database.dataSource.manager), 10_007),
        meet(both, 2, 1),
        nearest(await both.of(database.dataSource.manager), 10_008),
        meet(both, 3, 1),
      ]);
      expect(found).toEqual([[String(first + 7)], added[1], [String(first + 8)], added[2]]);
    });

    it('reflect additions, changes and erasures of other processes immediately', async () => {
      const first = await fill(MANY);
      const [one, other] = [another(), another()];
      const manager = database.dataSource.manager;
      for (const each of [one, other]) await isRead(await each.of(manager));
      const added = await meet(one, 1);
      expect(await meet(other, 1, 1)).toBe(added);
      expect(await meet(one, 1, 2)).toBe(added);
      const found = await Promise.all(
        Array.from({ length: 12 }, (_, view) => meet(view % 2 === 0 ? one : other, 2, view)),
      );
      expect(new Set(found).size).toBe(1);
      for (const id of [added, String(first + 5)]) {
        await inTransaction(database.dataSource, (own) => erasePerson(own, workspaceId, id));
      }
      for (const each of [one, other]) {
        expect(await nearest(await each.of(manager), 1)).not.toContain(added);
        expect(await nearest(await each.of(manager), 10_005, 16)).not.toContain(String(first + 5));
        expect(await nearest(await each.of(manager), 10_006)).toEqual([String(first + 6)]);
      }
      expect(await meet(other, 1)).not.toBe(added);
    });

    it('find identities added after lost commits, under the same numbers', async () => {
      await fill(MANY);
      const [one, other] = [another(), another()];
      await isRead(await one.of(database.dataSource.manager));
      const before = await collections.get(workspaceId, collection);
      const lost = [await meet(one, 1), await meet(one, 2), await meet(one, 3)];
      // A server without these commits has taken over.
      await database.dataSource.query('DELETE FROM index_identities WHERE index_id = ANY($1)', [lost]);
      await database.dataSource.query('UPDATE index_collections SET revision = $2, size = $3 WHERE id = $1', [
        ...[before.id, before.revision, before.size],
      ]);
      const added = [await meet(other, 4), await meet(other, 5), await meet(other, 6)];
      for (const [at, person] of [4, 5, 6].entries()) expect(await meet(one, person, 1)).toBe(added[at]);
      expect(lost).not.toContain(await meet(one, 1));
    });

    it('continue with other candidates when the most similar ones are gone', async () => {
      await fill(400);
      const memory = new MemorySearch(1e9, true);
      try {
        expect(await nearest(memory, 10_000, 400)).toHaveLength(400);
        const { id } = await collections.get(workspaceId, collection);
        await database.dataSource.query(
          `DELETE FROM index_identities WHERE collection_id = $1 AND right(index_id, 2) <> '00'`,
          [id],
        );
        const left = await nearest(memory, 10_000, 3);
        expect(left.map((indexId) => indexId.slice(-2))).toEqual(['00', '00', '00']);
      } finally {
        await memory.close();
      }
    });

    it('are held once when loaded twice concurrently', async () => {
      const first = await fill(MANY);
      const memory = new MemorySearch(1e9, true);
      const dropped = jest.spyOn(memory['thread'], 'drop');
      try {
        const { id } = await collections.get(workspaceId, collection);
        await inTransaction(database.dataSource, async (manager) => {
          const row = await collections.getIn(manager, workspaceId, collection);
          // Loaded by another session, and by its own one.
          expect(memory.has(manager, { ...row, dimensions: 512 })).toBe(false);
          await memory.prepare(manager, { ...row, dimensions: 512 });
        });
        await memory['readBehind'].get(id);
        const tables = dropped.mock.calls.map(([table]) => table);
        expect(tables).toHaveLength(1);
        expect(tables).not.toContain(memory['kept'].get(id)?.table);
        expect(await nearest(memory, 10_009)).toEqual([String(first + 9)]);
      } finally {
        await memory.close();
      }
    });

    it('are loaded from the beginning when a partial load is lost', async () => {
      const first = await fill(MANY);
      // Without pgvector whole embeddings are read: these are two pages.
      const memory = new MemorySearch(1e9, false);
      const thread = memory['thread'];
      const dies = async (): Promise<void> => {
        const { generation } = thread;
        thread.set(thread.make(), NaN, '10000000011000000002', Buffer.alloc(10), 'bits');
        while (thread.generation === generation) await sleep(5);
      };
      try {
        let pages = 0;
        const reading = inTransaction(database.dataSource, async (manager) => {
          const row = await collections.getIn(manager, workspaceId, collection);
          const query = manager.query.bind(manager);
          manager.query = (async (...asked: Parameters<typeof query>): Promise<unknown> => {
            const rows: unknown = await query(...asked);
            pages += 1;
            if (pages === 2) await dies();
            return rows;
          }) as typeof manager.query;
          return (await memory.open(manager, { ...row, dimensions: 512 })).nearest(someFace(10_007), 1);
        });
        await expect(reading).rejects.toMatchObject({
          code: 'UNAVAILABLE',
          message: 'A face index was lost while it was loaded. Try again.',
        });
        expect(pages).toBe(2);
        // A complete one is not kept either when it is lost.
        for (const person of [7, MANY - 1]) {
          expect(await nearest(memory, 10_000 + person)).toEqual([String(first + person)]);
          await dies();
        }
      } finally {
        await memory.close();
      }
    });

    it('are right through arrivals and removals while being reloaded constantly', async () => {
      await fill(20);
      const memories = [new MemorySearch(1e9, true, 0), new MemorySearch(1e9, true, 0)];
      const next = numbers(11);
      const known = new Map<number, string>();
      try {
        for (let step = 0; step < 120; step += 1) {
          const person = Math.floor(next() * 12);
          const memory = memories[step % 2]!;
          const before = known.get(person);
          if (before !== undefined && next() < 0.4) {
            await inTransaction(database.dataSource, (own) => erasePerson(own, workspaceId, before));
            known.delete(person);
            continue;
          }
          const id = await meet({ of: () => Promise.resolve(memory) }, person, step);
          if (before === undefined) expect([...known.values()]).not.toContain(id);
          else expect(id).toBe(before);
          known.set(person, id);
        }
      } finally {
        for (const memory of memories) await memory.close();
      }
    });

    it('are searched by pgvector alone without memory', async () => {
      const first = await fill(MANY);
      const search = await another(100_000).of(database.dataSource.manager);
      for (const person of [1, 2]) expect(await nearest(search, 10_000 + person)).toEqual([String(first + person)]);
      await sleep(200);
      expect(await searchedBy(search)).toBe('pgvector');
    });

    it('stop during a load, and reject later searches', async () => {
      await fill(MANY);
      const memory = new MemorySearch(1e9, true);
      await inTransaction(database.dataSource, async (manager) => {
        const row = await collections.getIn(manager, workspaceId, collection);
        expect(memory.has(manager, { ...row, dimensions: 512 })).toBe(false);
      });
      await memory.close();
      await expect(nearest(memory, 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });
  });
}

inMemory('embedded', () => Promise.resolve({ driver: 'pglite', directory: null }));

await describeWith('postgres', 'a server', ({ postgres }) => {
  const made: FreshDatabase[] = [];
  afterAll(async () => {
    for (const one of made) await one.drop();
  });
  inMemory('PostgreSQL', async () => {
    const own = await freshDatabase(postgres.url);
    made.push(own);
    return { driver: 'postgres', url: own.url };
  });
});

const own = await ownServer('postgres');
await describeWith('postgres', 'a server that is started again', () => {
  if ('reason' in own) {
    it(`are not tested on a given server (${own.reason})`, () => expect(own.reason).not.toBe(''));
    return;
  }
  afterAll(() => own.remove());

  it('are reloaded after a fail-over, which may have lost commits', async () => {
    const database = await openDatabase({ driver: 'postgres', url: own.url });
    const memory = new MemorySearch(1e9, false);
    const id = randomUUID();
    const row = { id, dimensions: 512, size: 300, revision: '300', shrunk: '0' };
    const nearest = (person: number) =>
      inTransaction(database.dataSource, async (manager) => {
        const around = await memory.open(manager, row);
        return (await around.nearest(lookAlike(someFace(person), 0.6, 9), 1)).map(({ indexId }) => indexId);
      });
    const write = (people: readonly number[]) =>
      database.dataSource.query(
        `INSERT INTO index_identities (index_id, collection_id, workspace_id, centroid, members, revision)
         SELECT (5000000000 + at)::text, $1, $1, centroid::real[], 1, at FROM unnest($2::text[]) WITH ORDINALITY AS v (centroid, at)
         ON CONFLICT (index_id) DO UPDATE SET centroid = excluded.centroid`,
        [id, people.map((person) => `{${someFace(person).join()}}`)],
      );
    const people = Array.from({ length: 300 }, (_, at) => at);
    const looked = [3, 7, 20, 51, 90];
    try {
      await write(people);
      for (const person of looked) expect(await nearest(person)).toEqual([String(5_000_000_001 + person)]);
      await own.stop();
      await own.start();
      // Simulates another server's data by a reversed order.
      for (let isBack = false; !isBack;)
        isBack = await write([...people].reverse()).then(
          () => true,
          () => false,
        );
      for (const person of looked) expect(await nearest(person)).toEqual([String(5_000_000_300 - person)]);
    } finally {
      await memory.close();
      await database.close();
    }
  });
});

describe('SignThread', () => {
  const ids = '10000000011000000002';
  const rows = Buffer.from([0, 0, 0, 8, 0xff, 0, 0, 0, 8, 0x00]);
  const like = [1, 1, 1, 1, 1, 1, 1, -1];

  it('loses its tables when it dies, and starts again', async () => {
    let losses = 0;
    const thread = new SignThread(() => (losses += 1));
    try {
      const table = thread.make();
      thread.set(table, 8, ids, rows, 'bits');
      expect(await thread.nearest(table, like, 1)).toEqual(['1000000001']);
      const { generation } = thread;
      // NaN makes it die.
      thread.set(thread.make(), NaN, ids, rows, 'bits');
      await expect(thread.nearest(table, like, 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(losses).toBe(1);
      expect(thread.generation).not.toBe(generation);
      await expect(thread.nearest(table, like, 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      const next = thread.make();
      thread.set(next, 8, ids, rows, 'bits');
      expect(await thread.nearest(next, like, 2)).toHaveLength(2);
    } finally {
      await thread.end();
    }
  });

  it('rejects waiting requests when it is ended', async () => {
    const thread = new SignThread(() => undefined);
    const table = thread.make();
    thread.set(table, 8, ids, rows, 'bits');
    const asked = expect(thread.nearest(table, like, 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await thread.end();
    await asked;
  });
});
