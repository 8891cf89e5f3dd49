import { randomUUID } from 'node:crypto';
import { columns, JobEntity, openDatabase, SegmentEntity, type Database } from '@adit/database';
import { ModuleRegistry, type ModuleDefinition } from '@adit/module-kit';
import { noteSearchable, parseQuery, PostgresIndex } from '@adit/search';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SearchCatchUp } from './search-catch-up.js';
import { SearchIndexing } from './search-indexing.js';

describe('indexing for the search', () => {
  let own: SpecDatabase;
  let database: Database;
  beforeAll(async () => {
    own = await specDatabase();
    database = await openDatabase(own.settings);
  }, 120_000);
  afterAll(async () => {
    await database?.close();
    await own?.drop();
  });

  const workspaceId = randomUUID();
  const newJob = async (labels: string[]): Promise<string> => {
    const { manager } = database.dataSource;
    const id = randomUUID();
    const usual = { tag: '', state: 'completed' as const, priority: 5, rank: 4, mediaType: 'image' as const };
    await manager.insert(JobEntity, columns<JobEntity>({ id, workspaceId, ...usual, segmentCount: labels.length }));
    const segments = labels.map((label, seq) =>
      columns<SegmentEntity>({
        ...{ jobId: id, seq, moduleId: 'finder', moduleSeq: seq, sourceIndex: 0, type: 'thing', label },
        ...{ timeStart: 0, timeEnd: 0, confidence: 1, meta: {}, detections: [] },
      }),
    );
    await manager.insert(SegmentEntity, segments);
    return id;
  };
  const count = async (word: string): Promise<number> => {
    const query = parseQuery(word, { parameter: 'q' });
    const index = new PostgresIndex(database.dataSource);
    return (await index.count({ workspaceId, query, filter: {}, fuzzy: false, together: null })).total;
  };
  const stateOf = async (id: string) => {
    const sql = 'SELECT state, attempts, error_msg FROM search_feed WHERE id = $1';
    return (await database.dataSource.query<object[]>(sql, [id]))[0];
  };

  it('indexes what is noted, and what nobody noted', async () => {
    const [noted, unnoted] = [await newJob(Array<string>(201).fill('alpha')), await newJob(['alpha'])];
    await noteSearchable(database.dataSource.manager, [noted]);
    const indexing = new SearchIndexing(database.dataSource, new ModuleRegistry([]));
    await indexing.idle();
    expect([await count('alpha'), await stateOf(noted)]).toEqual([
      201,
      { state: 'done', attempts: 0, error_msg: null },
    ]);
    // A word that no document has, and that is due.
    await database.dataSource.query(
      `INSERT INTO search_words (workspace_id, field, word, seen) VALUES ($1, 'said', 'omega', CURRENT_DATE - 2)`,
      [workspaceId],
    );
    const catchUp = new SearchCatchUp(database.dataSource, indexing);
    catchUp.nudge();
    await catchUp.idle();
    await indexing.idle();
    expect([await count('alpha'), await stateOf(unnoted)]).toMatchObject([202, { state: 'done' }]);
    expect(await database.dataSource.query(`SELECT word FROM search_words WHERE field = 'said'`)).toEqual([]);
  });

  it('leaves out a segment that its module cannot read, and indexes the others of its job', async () => {
    const broken = {
      ...{ id: 'finder', aliases: [], resultName: 'finder' },
      findable: ({ label }: { label: string }) => {
        if (label === 'poison') throw new Error('no module would');
        return { texts: [{ field: 'what', text: label }] };
      },
    } as unknown as ModuleDefinition;
    const job = await newJob(['gamma', 'poison', 'gamma']);
    await noteSearchable(database.dataSource.manager, [job]);
    await new SearchIndexing(database.dataSource, new ModuleRegistry([broken])).idle();
    expect([await count('gamma'), await count('poison')]).toEqual([2, 0]);
    expect(await stateOf(job)).toMatchObject({ state: 'done' });
  });

  it('holds nobody up by a job that it cannot index', async () => {
    const [poison, good] = [await newJob(['beta', 'poison']), await newJob(['beta'])];
    await database.dataSource.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no database would'; END $$`,
    );
    await database.dataSource.query(
      `CREATE TRIGGER refuse BEFORE INSERT ON search_documents FOR EACH ROW WHEN (NEW.job_id = '${poison}')
       EXECUTE FUNCTION refuse()`,
    );
    await noteSearchable(database.dataSource.manager, [poison, good]);
    const indexing = new SearchIndexing(database.dataSource, new ModuleRegistry([]));
    for (let round = 0; round < 3; round += 1) {
      await indexing.idle();
      // Each failure is followed by a pause.
      await database.dataSource.query(`UPDATE search_feed SET lease_until = now() WHERE state = 'processing'`);
    }
    await indexing.idle();
    expect([await count('beta'), await stateOf(good)]).toMatchObject([1, { state: 'done' }]);
    expect(await stateOf(poison)).toMatchObject({ state: 'failed', error_msg: expect.stringMatching(/log/) });
  });
});
