import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { columns, inTransaction, JobEntity, openDatabase } from '@adit/database';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import type { EntityManager } from 'typeorm';
import { searchIndexConformance } from '../conformance.js';
import type { Question, SearchDocument } from '../port.js';
import { parseQuery } from '../query/parse.js';
import { PostgresIndex } from './postgres-index.js';
import { forgetNameWords, sweepWords } from './vocabulary.js';

/** For likes, on machines that do other work. */
const PATIENT_MS = 10_000;

searchIndexConformance(
  'embedded',
  () => Promise.resolve({ driver: 'pglite', directory: null }),
  ({ dataSource }) => new PostgresIndex(dataSource, PATIENT_MS),
  { fuzzy: true },
);

it('says that photos cannot be looked for without pgvector, and goes on with words', async () => {
  const { dataSource, close } = await openDatabase({ driver: 'pglite', directory: null });
  await dataSource.query('DROP EXTENSION vector CASCADE');
  const index = new PostgresIndex(dataSource);
  const question: Question = { workspaceId: randomUUID(), query: null, filter: {}, fuzzy: false, together: null };
  const face = { network: '', embedding: [1, 0], maxDistance: 1 };
  await expect(index.count({ ...question, face })).rejects.toMatchObject({
    ...{ code: 'CONFLICT', message: expect.stringContaining('pgvector') },
  });
  expect(await index.count(question)).toMatchObject({ total: 0 });
  await close();
});

await describeWith('postgres', 'a server', ({ postgres }) => {
  const made: FreshDatabase[] = [];
  afterAll(async () => {
    for (const one of made) await one.drop();
  });
  searchIndexConformance(
    'PostgreSQL',
    async () => {
      const own = await freshDatabase(postgres.url);
      made.push(own);
      return { driver: 'postgres', url: own.url };
    },
    ({ dataSource }) => new PostgresIndex(dataSource, PATIENT_MS),
    { comparesFaces: postgres.vector === true },
  );

  /** A database with a job of documents, and a session that keeps others out of a table. */
  async function world(documents: SearchDocument[]) {
    const own = await freshDatabase(postgres.url);
    made.push(own);
    const { dataSource, close } = await openDatabase({ driver: 'postgres', url: own.url });
    const [id, workspaceId, timeCreated] = [randomUUID(), randomUUID(), new Date()];
    const usual = { state: 'completed' as const, tag: '', priority: 5, rank: 4, mediaType: 'video' as const };
    await dataSource.manager.insert(JobEntity, columns<JobEntity>({ id, workspaceId, ...usual }));
    const job = { id, workspaceId, batchId: null, tag: '', timeCreated, round: 0 };
    const index = new PostgresIndex(dataSource);
    await inTransaction(dataSource, (manager) => index.replace(manager, job, documents));
    const ask = (text: string, { together = null, fuzzy = false }: Partial<Question> = {}): Question => ({
      ...{ workspaceId, query: parseQuery(text, { parameter: 'q' }), filter: {}, fuzzy, together },
    });
    const locked = async <T>(table: string, work: () => Promise<T>): Promise<T> => {
      const holder = dataSource.createQueryRunner();
      await holder.startTransaction();
      await holder.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      try {
        return await work();
      } finally {
        await holder.rollbackTransaction();
        await holder.release();
      }
    };
    return { db: dataSource, close, index, job, ask, locked };
  }

  const document = (seq: number, field: 'what' | 'who', text: string): SearchDocument => ({
    ...{ key: { seq, paragraph: null }, sourceIndex: 0, moduleId: 'finder', type: 'thing', place: null },
    ...{ timeStart: seq, timeEnd: seq + 1, moment: new Date('2026-11-21T07:00:00Z'), texts: [{ field, text }] },
  });

  /** @hardening overload: One slow saved search silences a whole workspace */
  it('answers the other questions when one takes too long', async () => {
    const { db, close, index, job, ask, locked } = await world([]);
    try {
      const questions = [ask('car'), ask('car red', { together: 5 }), ask('red')];
      const matching = { documents: [document(0, 'what', 'red car')], questions, languages: [] };
      // Whoever looks at what is beside the document waits.
      const matched = await locked('search_documents', () =>
        inTransaction(db, (manager) => index.match(manager, job, matching)),
      );
      expect(matched).toEqual({
        found: [0, 2].map((question) => ({ question, document: 0, isExact: true })),
        tooLong: [1],
      });
    } finally {
      await close();
    }
  }, 60_000);

  /** @hardening overload: A misspelt word keeps a search and the database busy for seconds */
  it('answers with what is exact, and says so, when words alike take too long', async () => {
    const { close, index, ask, locked } = await world([
      document(0, 'what', 'Krankenhaus'),
      document(1, 'what', 'Haus'),
      document(2, 'who', 'Haussmann'),
    ]);
    try {
      const question = ask('haus', { fuzzy: true });
      const find = async () => {
        const { documents, isComplete } = await index.find(question, { after: null, limit: 10 });
        return { seqs: documents.map(({ key }) => key.seq), isComplete, count: await index.count(question) };
      };
      // Without pg_trgm nothing is looked for.
      const isComplete = !(await index.isFuzzy());
      expect(await locked('search_words', find)).toEqual({
        ...{ seqs: [1], isComplete },
        count: { total: 1, isExact: isComplete, isComplete },
      });
      expect((await locked('search_words', () => index.facets(question))).type).toEqual([{ value: 'thing', count: 1 }]);
    } finally {
      await close();
    }
  }, 60_000);

  /** @hardening privacy: A person cannot be erased from a large archive, as looking for the name takes too long */
  it('leaves names to the sweep that are looked for too long, with the limit of the transaction as it was', async () => {
    const { db, close, job, locked } = await world([document(0, 'who', 'Anna')]);
    const { workspaceId } = job;
    const shown = async (manager: EntityManager): Promise<string> => {
      const [row]: [{ shown: string }] = await manager.query(`SELECT current_setting('statement_timeout') AS shown`);
      return row.shown;
    };
    const words = (): Promise<{ word: string; due: boolean }[]> =>
      db.query(`SELECT word, seen = '-infinity' AS due FROM search_words WHERE workspace_id = $1`, [workspaceId]);
    try {
      const forget = (limitMs: number) =>
        inTransaction(db, async (manager) => {
          const before = await shown(manager);
          await forgetNameWords(manager, workspaceId, ['anna'], limitMs);
          expect(await shown(manager)).toBe(before);
        });
      await forget(60_000);
      expect(await words()).toEqual([{ word: 'anna', due: false }]);
      // Whoever looks for documents waits.
      await locked('search_documents', () => forget(50));
      expect(await words()).toEqual([{ word: 'anna', due: true }]);
      await db.query('DELETE FROM search_documents WHERE workspace_id = $1', [workspaceId]);
      await sweepWords(db);
      expect(await words()).toEqual([]);
    } finally {
      await close();
    }
  }, 60_000);

  it('looks at words another day that cannot be looked at in time', async () => {
    const { db, close, job, locked } = await world([document(0, 'what', 'red')]);
    const { workspaceId } = job;
    const words = (): Promise<{ word: string; today: boolean }[]> =>
      db.query(`SELECT word, seen = CURRENT_DATE AS today FROM search_words WHERE workspace_id = $1`, [workspaceId]);
    try {
      await db.query(`UPDATE search_words SET seen = CURRENT_DATE - 2`);
      await locked('search_documents', () => sweepWords(db, { togetherMs: 50, aloneMs: 50 }));
      expect(await words()).toEqual([{ word: 'red', today: true }]);
      expect(await sweepWords(db)).toBe(false);
    } finally {
      await close();
    }
  }, 60_000);

  it('has an index for what is beside a moment', async () => {
    const { db, close } = await world([]);
    try {
      const [row]: { definition: string }[] = await db.query(
        `SELECT indexdef AS definition FROM pg_indexes WHERE indexname = 'search_documents_by_duration'`,
      );
      expect(row?.definition).toContain(
        "(job_id, source_index, width_bucket((time_end - time_start), '{8,64,512}'::double precision[]), time_start)",
      );
    } finally {
      await close();
    }
  }, 60_000);
});
