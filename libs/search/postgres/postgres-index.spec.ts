import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { columns, inTransaction, JobEntity, openDatabase } from '@adit/database';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import { searchIndexConformance } from '../conformance.js';
import type { Question, SearchDocument } from '../port.js';
import { parseQuery } from '../query/parse.js';
import { PostgresIndex } from './postgres-index.js';

searchIndexConformance(
  'embedded',
  () => Promise.resolve({ driver: 'pglite', directory: null }),
  ({ dataSource }) => new PostgresIndex(dataSource),
  { fuzzy: true },
);

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
    ({ dataSource }) => new PostgresIndex(dataSource),
  );

  /** @hardening overload: One slow saved search silences a whole workspace */
  it('answers the other questions when one takes too long', async () => {
    const own = await freshDatabase(postgres.url);
    made.push(own);
    const { dataSource, close } = await openDatabase({ driver: 'postgres', url: own.url });
    try {
      const [id, workspaceId, timeCreated] = [randomUUID(), randomUUID(), new Date()];
      const usual = { state: 'completed' as const, tag: '', priority: 5, rank: 4, mediaType: 'video' as const };
      await dataSource.manager.insert(JobEntity, columns<JobEntity>({ id, workspaceId, ...usual }));
      const job = { id, workspaceId, batchId: null, tag: '', timeCreated, round: 0 };
      const document: SearchDocument = {
        ...{ key: { seq: 0, paragraph: null }, sourceIndex: 0, moduleId: 'finder', type: 'thing', place: null },
        ...{ timeStart: 0, timeEnd: 1, moment: timeCreated, texts: [{ field: 'what', text: 'red car' }] },
      };
      const ask = (text: string, together: number | null = null): Question => ({
        ...{ workspaceId, query: parseQuery(text, { parameter: 'q' }), filter: {}, fuzzy: false, together },
      });
      const questions = [ask('car'), ask('car red', 5), ask('red')];
      const index = new PostgresIndex(dataSource);
      const holder = dataSource.createQueryRunner();
      await holder.startTransaction();
      // Whoever looks at what is beside the document waits.
      await holder.query('LOCK TABLE search_documents IN ACCESS EXCLUSIVE MODE');
      const matched = await inTransaction(dataSource, (manager) =>
        index.match(manager, job, { documents: [document], questions, languages: [] }),
      );
      await holder.rollbackTransaction();
      await holder.release();
      expect(matched).toEqual({
        found: [0, 2].map((question) => ({ question, document: 0, isExact: true })),
        tooLong: [1],
      });
    } finally {
      await close();
    }
  }, 60_000);
});
