import { randomUUID } from 'node:crypto';
import { columns, inTransaction, JobEntity, openDatabase, SearchFeedEntity, type Database } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FindableText } from '@adit/module-kit';
import type { IndexedJob, SearchDocument } from '../port.js';
import { parseQuery } from '../query/parse.js';
import { SEARCH_VERSION } from '../version.js';
import { removeDocuments } from './documents.js';
import { PostgresIndex } from './postgres-index.js';
import { sweepWords } from './vocabulary.js';

describe('the words of a workspace', () => {
  let database: Database;
  let index: PostgresIndex;
  let workspaceId: string;

  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
    index = new PostgresIndex(database.dataSource);
  }, 120_000);
  afterAll(() => database?.close());
  beforeEach(() => {
    workspaceId = randomUUID();
  });

  async function write(...documents: FindableText[][]): Promise<IndexedJob> {
    const id = randomUUID();
    const usual = { state: 'completed' as const, tag: '', priority: 5, rank: 4, mediaType: 'video' as const };
    await database.dataSource.manager.insert(JobEntity, columns<JobEntity>({ id, workspaceId, ...usual }));
    const job = { id, workspaceId, batchId: null, tag: '', timeCreated: new Date(), round: 0 };
    const rows = documents.map((texts, seq): SearchDocument => ({
      ...{ key: { seq, paragraph: null }, sourceIndex: 0, moduleId: 'finder', type: 'thing', place: null, texts },
      ...{ timeStart: 0, timeEnd: 1, moment: new Date() },
    }));
    await inTransaction(database.dataSource, (manager) => index.replace(manager, job, rows));
    return job;
  }
  const words = async (): Promise<string[]> => {
    const rows: { shown: string }[] = await database.dataSource.query(
      `SELECT field || ' ' || word AS shown FROM search_words WHERE workspace_id = $1 ORDER BY 1`,
      [workspaceId],
    );
    return rows.map(({ shown }) => shown);
  };
  const remove = (job: IndexedJob, ...seqs: number[]) =>
    inTransaction(database.dataSource, (manager) =>
      removeDocuments(
        manager,
        seqs.map((seq) => ({ jobId: job.id, seq })),
      ),
    );
  const letDaysPass = (days: number) =>
    database.dataSource.query(`UPDATE search_words SET seen = CURRENT_DATE - $2::int WHERE workspace_id = $1`, [
      workspaceId,
      days,
    ]);
  const sweep = async () => {
    while (await sweepWords(database.dataSource));
  };

  it('are noted once, by field, however often they are met', async () => {
    await write(
      [
        { field: 'said', text: 'Der Haushalt, der' },
        { field: 'who', text: 'Anna Weber' },
      ],
      [{ field: 'where', text: 'Der Dom' }],
    );
    await write([{ field: 'said', text: 'der' }]);
    expect(await words()).toEqual(['said der', 'said haushalt', 'where der', 'where dom', 'who anna', 'who weber']);
  });

  it('of names go with the last document that has them, in its transaction', async () => {
    const job = await write(
      [{ field: 'who', text: 'Anna Weber' }],
      [
        { field: 'said', text: 'weber' },
        { field: 'who', text: 'Anna Schmidt' },
      ],
    );
    await remove(job, 0);
    expect(await words()).toEqual(['said weber', 'who anna', 'who schmidt']);
    await remove(job, 1);
    expect(await words()).toEqual(['said weber']);
  });

  it('go when no document has them any more, after a day or two, and not before', async () => {
    const job = await write([{ field: 'said', text: 'budget' }], [{ field: 'where', text: 'budget' }]);
    await remove(job, 0, 1);
    await letDaysPass(1);
    await sweep();
    expect(await words()).toEqual(['said budget', 'where budget']);
    await write([{ field: 'where', text: 'budget' }]);
    await letDaysPass(2);
    await sweep();
    expect(await words()).toEqual(['where budget']);
    const [row]: { today: boolean }[] = await database.dataSource.query(
      'SELECT seen = CURRENT_DATE AS today FROM search_words WHERE workspace_id = $1',
      [workspaceId],
    );
    expect(row?.today).toBe(true);
  });

  it('are noted anew on a later day', async () => {
    await write([{ field: 'said', text: 'budget' }]);
    await letDaysPass(2);
    const job = await write([{ field: 'said', text: 'budget' }]);
    await remove(job, 0);
    await sweep();
    expect(await words()).toEqual(['said budget']);
  });

  it('are swept in steps', async () => {
    const many = Array.from({ length: 45 }, (_, at) => `word${at}`).join(' ');
    const job = await write([{ field: 'said', text: many }]);
    await remove(job, 0);
    await letDaysPass(2);
    expect(await sweepWords(database.dataSource)).toBe(true);
    expect(await words()).toHaveLength(25);
    await sweep();
    expect(await words()).toEqual([]);
  });

  it('of the oldest day are swept first', async () => {
    const job = await write([{ field: 'said', text: Array.from({ length: 20 }, (_, at) => `young${at}`).join(' ') }]);
    await remove(job, 0);
    await letDaysPass(2);
    const old = await write([{ field: 'who', text: 'Anna' }]);
    await database.dataSource.query('DELETE FROM search_documents WHERE job_id = $1', [old.id]);
    await database.dataSource.query(
      `UPDATE search_words SET seen = '-infinity' WHERE workspace_id = $1 AND word = 'anna'`,
      [workspaceId],
    );
    expect(await sweepWords(database.dataSource)).toBe(true);
    expect(await words()).not.toContain('who anna');
    expect(await words()).toHaveLength(1);
    await sweep();
  });

  /** @hardening media: A saved search misses new results, since others have a hundred words that are more alike */
  it('of new documents are matched, however many others are more alike', async () => {
    const letters = [...'abcdefghijkl'];
    const alike = letters.flatMap((one) => letters.map((two) => `haus${one}${two}`));
    const job = await write([{ field: 'said', text: alike.join(' ') }]);
    const query = parseQuery('haus', { parameter: 'q' });
    const fresh: SearchDocument = {
      ...{ key: { seq: 1, paragraph: null }, sourceIndex: 0, moduleId: 'finder', type: 'thing', place: null },
      ...{ timeStart: 0, timeEnd: 1, moment: new Date() },
      texts: [{ field: 'said', text: 'Krankenhausverwaltung' }],
    };
    const matched = await inTransaction(database.dataSource, (manager) =>
      index.match(manager, job, {
        documents: [fresh],
        questions: [{ workspaceId, query, filter: {}, fuzzy: true, together: null }],
        languages: [],
      }),
    );
    expect(matched).toEqual({ found: [{ question: 0, document: 0, isExact: false }], tooLong: [] });
  });

  /** @hardening media: An upgrade hides results, and the search says that it has found all */
  it('are not all there while jobs of an earlier form are indexed again, and an answer says so', async () => {
    const { id } = await write([{ field: 'said', text: 'budget' }]);
    const { manager } = database.dataSource;
    const isComplete = async (question: string): Promise<boolean> => {
      // What it knows of the server is kept for a while.
      const asked = new PostgresIndex(database.dataSource, 10_000);
      const query = parseQuery(question, { parameter: 'q' });
      const filter = {};
      const page = { after: null, limit: 10 };
      return (await asked.find({ workspaceId, query, filter, fuzzy: true, together: null }, page)).isComplete;
    };
    const feed = (state: 'done' | 'waiting', version: number, round: number) =>
      manager.upsert(SearchFeedEntity, { id, workspaceId, state, version, round }, ['id']);
    try {
      for (const question of ['budge', 'nothing']) {
        await feed('done', SEARCH_VERSION - 1, 0);
        expect(await isComplete(question)).toBe(false);
        await feed('waiting', 0, 1);
        expect(await isComplete(question)).toBe(false);
        await feed('done', SEARCH_VERSION, 1);
        expect(await isComplete(question)).toBe(true);
        // A new job, which was found by nothing before.
        await feed('waiting', 0, 0);
        expect(await isComplete(question)).toBe(true);
      }
    } finally {
      await manager.delete(SearchFeedEntity, { id });
    }
  });
});
