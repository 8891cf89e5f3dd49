/** @needs servers */
import { randomUUID } from 'node:crypto';
import { JobEntity, openDatabase, TranscriptEntity, TranscriptVariantEntity, type Database } from '@adit/database';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { raiseResourceEvents } from './resource-events.js';
import { eventsAfter, forgetEvents, streamHead } from './workspace-events.js';

const always = () => Promise.resolve(true);

await describeWith(
  ['postgres', 'pgbouncer'],
  'the events of a workspace, through a pooler of transactions',
  ({ postgres, pgbouncer }) => {
    let fresh: FreshDatabase;
    let database: Database;
    let workspaceId: string;
    beforeAll(async () => {
      fresh = await freshDatabase(postgres.url);
      const url = Object.assign(new URL(pgbouncer.transaction), { pathname: new URL(fresh.url).pathname }).href;
      database = await openDatabase({ driver: 'postgres', url, poolSize: 8, connectSeconds: 60 });
    }, 120_000);
    beforeEach(() => {
      workspaceId = randomUUID();
    });
    afterAll(async () => {
      await database?.close();
      await fresh?.drop();
    });

    const raise = (manager: EntityManager, ...names: string[]) =>
      raiseResourceEvents(
        manager,
        { id: randomUUID(), workspaceId },
        names.map((name) => ({ event: 'svc.export.on_completed' as const, data: { name } })),
      );
    /** Reads as a client that has seen all events up to `after`. */
    const read = async (after: bigint, limit = 1_000) => {
      const { last } = await streamHead(database.dataSource, workspaceId);
      const events = await eventsAfter(database.dataSource.manager, workspaceId, { after, last, limit });
      return {
        last,
        names: events?.map(({ data }) => data['name']) ?? null,
        numbers: events?.map(({ number }) => Number(number)) ?? [],
      };
    };

    it('loses none that commits behind one with a greater id that was read', async () => {
      const slow = database.dataSource.createQueryRunner();
      await slow.startTransaction();
      await raise(slow.manager, 'slow');
      // Later begun, and its id is greater.
      await database.dataSource.transaction((manager) => raise(manager, 'fast'));
      const first = await read(0n);
      expect(first.names).toEqual(['fast']);
      await slow.commitTransaction();
      await slow.release();
      const second = await read(first.last);
      expect(second.names).toEqual(['slow']);
      expect((await read(second.last)).names).toEqual([]);
      // Whoever comes anew reads the same in the same order.
      expect((await read(0n)).names).toEqual(['fast', 'slow']);
    });

    it('tells each of many readers all of them once, in one order, while many write', async () => {
      const writing = Array.from({ length: 4 }, async (_, writer) => {
        for (let round = 0; round < 15; round++) {
          await database.dataSource.transaction(async (manager) => {
            await raise(manager, `${writer}/${round}`);
            await manager.query('SELECT pg_sleep(random() / 50)');
          });
        }
      });
      let written = false;
      const over = Promise.all(writing).then(() => (written = true));
      const reading = Array.from({ length: 3 }, async () => {
        const told: unknown[] = [];
        for (let after = 0n; ;) {
          const last = written;
          const { names, numbers } = await read(after, 5);
          told.push(...(names ?? ['lost']));
          after = BigInt(numbers.at(-1) ?? after);
          if (last && names?.length === 0) return told;
        }
      });
      await over;
      const [one, ...others] = await Promise.all(reading);
      expect(new Set(one).size).toBe(60);
      expect(one).toHaveLength(60);
      for (const other of others) expect(other).toEqual(one);
      for (const writer of [0, 1, 2, 3]) {
        const own = one?.filter((name) => String(name).startsWith(`${writer}/`));
        expect(own).toEqual(Array.from({ length: 15 }, (_, round) => `${writer}/${round}`));
      }
    });

    it('forgets the oldest, says up to where, and numbers what nobody has read', async () => {
      const { dataSource } = database;
      await dataSource.transaction((manager) => raise(manager, 'old', 'older'));
      await dataSource.query(
        `UPDATE workspace_events SET time_created = now() - interval '2 days' WHERE workspace_id = $1`,
        [workspaceId],
      );
      await dataSource.transaction((manager) => raise(manager, ...Array.from({ length: 5 }, (_, at) => `new ${at}`)));
      const dayAgo = new Date(Date.now() - 86_400_000);
      await forgetEvents(dataSource, { before: dayAgo, most: 1_000 }, always);
      expect(await streamHead(dataSource, workspaceId)).toEqual({ last: 7n, forgotten: 2n });
      await forgetEvents(dataSource, { before: dayAgo, most: 3 }, always);
      expect(await streamHead(dataSource, workspaceId)).toEqual({ last: 7n, forgotten: 4n });
      expect(await read(3n)).toEqual({ last: 7n, names: null, numbers: [] });
      expect(await read(4n)).toEqual({ last: 7n, names: ['new 2', 'new 3', 'new 4'], numbers: [5, 6, 7] });
    });

    it('leaves out what is of a job or a text that was deleted, though its events are still there', async () => {
      const { manager } = database.dataSource;
      const [jobId, transcriptId, variantId] = [randomUUID(), randomUUID(), randomUUID()];
      const job = { state: 'completed', mediaType: 'audio', priority: 5, rank: 4, tag: '' } as const;
      await manager.insert(JobEntity, { id: jobId, workspaceId, ...job });
      await manager.insert(TranscriptEntity, { id: transcriptId, workspaceId, jobId, tag: '', source: 'a' });
      const variant = { name: 'a', latestVersion: 1, lastNumber: 1 };
      await manager.insert(TranscriptVariantEntity, { id: variantId, transcriptId, jobId, ...variant });
      const version = { variant_id: variantId };
      await raiseResourceEvents(manager, { id: randomUUID(), workspaceId, jobId }, [
        { event: 'svc.export.on_completed', data: { name: 'export' } },
      ]);
      await raiseResourceEvents(manager, { id: transcriptId, workspaceId, jobId }, [
        { event: 'svc.transcript.on_created', data: { name: 'text' } },
        { event: 'svc.transcript.variant.version.on_created', data: { name: 'version', version } },
      ]);
      const names = async (): Promise<unknown> => (await read(0n)).names;
      expect(await names()).toEqual(['export', 'text', 'version']);
      const timeDeleted = new Date();
      await manager.update(TranscriptVariantEntity, { id: variantId }, { timeDeleted });
      expect(await names()).toEqual(['export', 'text']);
      await manager.update(TranscriptEntity, { id: transcriptId }, { timeDeleted });
      expect(await names()).toEqual(['export']);
      await manager.update(JobEntity, { id: jobId }, { timeDeleted });
      expect(await names()).toEqual([]);
    });
  },
);
