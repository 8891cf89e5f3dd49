import { randomUUID } from 'node:crypto';
import type { SearchAlert, SearchQuestion } from '@adit/contracts';
import { columns, inTransaction, JobEntity, openDatabase, SegmentEntity, type Database } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { indexStep, noteSearchable, PostgresIndex, rebuildSearch, renumberSearchable, saveSearch } from '@adit/search';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SearchCatchUp } from './search-catch-up.js';
import { SearchIndexing } from './search-indexing.js';

const modules = new ModuleRegistry([]);

describe('saved searches', () => {
  let own: SpecDatabase;
  let database: Database;
  let indexing: SearchIndexing;
  let workspaceId: string;
  beforeAll(async () => {
    own = await specDatabase();
    database = await openDatabase(own.settings);
    indexing = new SearchIndexing(database.dataSource, modules);
  }, 120_000);
  beforeEach(() => {
    workspaceId = randomUUID();
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
  });

  const save = async (name: string, question: SearchQuestion, alert = true): Promise<string> => {
    const of = { id: randomUUID(), workspaceId };
    const fields = { name, question, alert };
    return (await saveSearch(database.dataSource, of, { fields, beside: () => Promise.resolve() })).id;
  };
  const newJob = async (): Promise<string> => {
    const id = randomUUID();
    const usual = { tag: '', state: 'processing' as const, priority: 5, rank: 4, mediaType: 'video' as const };
    await database.dataSource.manager.insert(JobEntity, columns<JobEntity>({ id, workspaceId, ...usual }));
    return id;
  };
  /** As a fold does: segments, and a note of them. */
  const add = (jobId: string, from: number, labels: string[]): Promise<void> =>
    inTransaction(database.dataSource, async (manager) => {
      await noteSearchable(manager, [jobId]);
      const rows = labels.map((label, at) =>
        columns<SegmentEntity>({
          ...{ jobId, seq: from + at, moduleId: 'finder', moduleSeq: from + at, sourceIndex: 0, type: 'thing', label },
          ...{ timeStart: from + at, timeEnd: from + at + 1, confidence: 1, meta: {}, detections: [] },
        }),
      );
      await manager.insert(SegmentEntity, rows);
      await manager.update(JobEntity, { id: jobId }, { segmentCount: from + labels.length });
    });
  /** What the workspace was told since it was asked last: name of the search and numbers of the segments. */
  const told = async (): Promise<[string, number[]][]> => {
    await indexing.idle();
    const rows: { data: SearchAlert }[] = await database.dataSource.query(
      `WITH read AS (
         DELETE FROM workspace_events WHERE workspace_id = $1 AND event = 'svc.search.on_match' RETURNING id, data)
       SELECT data FROM read ORDER BY id`,
      [workspaceId],
    );
    return rows.map(({ data: { search, matches } }) => [search.name, matches.map(({ number }) => number)]);
  };

  it('tell the workspace of new segments, each once', async () => {
    const jobId = await newJob();
    await add(jobId, 0, ['car']);
    expect(await told()).toEqual([]);
    const id = await save('cars', { what: 'car' });
    await save('both', { q: 'car bus', together: 1 });
    await save('quiet', { what: 'car' }, false);
    await save('none', { q: 'car NOT red', module: 'another' });
    await add(jobId, 1, ['bus', 'red car', 'hummingbird']);
    expect(await told()).toEqual([
      ['cars', [2]],
      ['both', [1, 2]],
    ]);
    await add(jobId, 4, ['blue car']);
    await indexing.idle();
    const rows: unknown[] = await database.dataSource.query(
      'SELECT subject_id, job_id, data FROM workspace_events WHERE workspace_id = $1',
      [workspaceId],
    );
    const place = { type: 'thing', source_index: 0, time_start: 4, time_end: 5 };
    const match = { number: 4, module: 'finder', ...place, exact: true };
    const data = { search: { id, name: 'cars' }, job_id: jobId, matches: [match] };
    expect(rows).toEqual([{ subject_id: id, job_id: jobId, data }]);
    await told();
    // What is indexed again, or noted for another reason, was told of before.
    await inTransaction(database.dataSource, (manager) => noteSearchable(manager, [jobId], { again: true }));
    expect(await told()).toEqual([]);
  });

  it('tell nothing when everything is indexed again, and nothing of what an older build has found', async () => {
    await save('cars', { what: 'car' });
    const jobId = await newJob();
    await add(jobId, 0, ['car', 'car']);
    expect(await told()).toEqual([['cars', [0, 1]]]);
    const older = await newJob();
    await add(older, 0, ['car']);
    await database.dataSource.query('DELETE FROM search_feed WHERE id = $1', [older]);
    await rebuildSearch(database.dataSource.manager, { workspaceId });
    const catchUp = new SearchCatchUp(database.dataSource, indexing);
    catchUp.nudge();
    await catchUp.idle();
    expect(await told()).toEqual([]);
    await add(older, 1, ['car']);
    await add(jobId, 2, ['car']);
    expect((await told()).toSorted()).toEqual([
      ['cars', [1]],
      ['cars', [2]],
    ]);
  });

  it('tell nothing again when segments before a new one have gone', async () => {
    await save('cars', { what: 'car' });
    const jobId = await newJob();
    await add(jobId, 0, ['bus', 'car', 'car']);
    expect(await told()).toEqual([['cars', [1, 2]]]);
    await inTransaction(database.dataSource, async (manager) => {
      await manager.delete(SegmentEntity, { jobId, seq: 0 });
      await renumberSearchable(manager, jobId);
      await manager.query('UPDATE segments SET seq = seq - 1, module_seq = module_seq - 1 WHERE job_id = $1', [jobId]);
    });
    await add(jobId, 2, ['car']);
    expect(await told()).toEqual([['cars', [2]]]);
  });

  it('tell in parts, and of nothing twice when a process ended between', async () => {
    await save('cars', { what: 'car' });
    const jobId = await newJob();
    await add(jobId, 0, Array<string>(230).fill('car'));
    // The first segments are indexed by a process that ends before it tells anybody.
    await inTransaction(database.dataSource, (manager) =>
      indexStep(manager, { index: new PostgresIndex(database.dataSource), modules }, jobId),
    );
    const events = await told();
    expect(events.map(([, numbers]) => numbers.length)).toEqual([50, 50, 50, 50, 30]);
    expect(events.flatMap(([, numbers]) => numbers)).toEqual(Array.from({ length: 230 }, (_, number) => number));
  });
});
