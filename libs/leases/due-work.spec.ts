/** @needs servers */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, type Database } from '@adit/database';
import { describeWith, freshDatabase, watchStatements, type FreshDatabase } from '@adit/testing';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { DueWork } from './due-work.js';
import { updateHeld, type ClaimedTask } from './leased-rows.js';
import { EXPORTS, REPORTS } from './leased-tables.js';
import { TaskLoop } from './task-loop.js';

class Tasks extends TaskLoop {
  readonly done: string[] = [];

  protected async run(task: ClaimedTask): Promise<void> {
    await updateHeld(this.db, task, `state = 'completed', lease_until = NULL`);
    this.done.push(task.key.id);
  }
}

await describeWith('postgres', 'work that is due', ({ postgres }) => {
  let own: FreshDatabase;
  let databases: Database[] = [];
  let stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    own = await freshDatabase(postgres.url, postgres.migrated);
    for (let at = 0; at < 3; at += 1) databases.push(await openDatabase({ driver: 'postgres', url: own.url }));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const stop of stops) await stop();
    stops = [];
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
    await own?.drop();
  });

  const db = (at = 0) => databases[at]!.dataSource;
  const watch = (due: string, at = 0, name = 'spec') => {
    let found = 0;
    stops.push(DueWork.of(db(at)).watch({ name, due, found: () => void (found += 1) }));
    return () => found;
  };
  const addReport = async (): Promise<string> => {
    const id = randomUUID();
    await db(2).query(`INSERT INTO reports (id, workspace_id, batch_id, title) VALUES ($1, $1, $1, 'x')`, [id]);
    return id;
  };

  it('is asked for by one statement for all work of a process, which calls what has something to do', async () => {
    const asked: string[] = [];
    const watched = watchStatements(db(), (sql) => asked.push(sql));
    const [never, always] = [watch('false'), watch('true')];
    while (always() < 2) await sleep(20);
    watched.stop();
    expect(never()).toBe(0);
    // The first one says that it asks; then each second one statement.
    expect(asked.filter((sql) => !sql.includes('leases')).length).toBeLessThanOrEqual(always() + 1);
  });

  it('is found by loops of tasks that nobody nudges, with one statement a second while there is none', async () => {
    const loops = [new Tasks(db(), REPORTS), new Tasks(db(), EXPORTS)];
    for (const loop of loops) loop.onApplicationBootstrap();
    stops.push(...loops.map((loop) => () => loop.onApplicationShutdown()));
    await sleep(1_500);
    const asked: string[] = [];
    const watched = watchStatements(db(), (sql) => asked.push(sql));
    await sleep(3_000);
    watched.stop();
    expect(asked.length).toBeGreaterThanOrEqual(1);
    expect(asked.length).toBeLessThanOrEqual(4);
    const id = await addReport();
    while (loops[0]!.done.length === 0) await sleep(20);
    expect(loops[0]!.done).toEqual([id]);
  });

  it('is asked for the more seldom by a process the more watch the same, and at once again when they are gone', async () => {
    // The times between two questions do not vary.
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const one = watch('true');
    watch('true', 1, 'else');
    while (one() < 1) await sleep(20);
    // It comes second, and knows of the first.
    const other = watch('true', 2);
    while (other() < 1) await sleep(20);
    const rows: { count: number }[] = await db().query(
      `SELECT count(*)::int AS count FROM leases WHERE name LIKE 'due spec/%' AND lease_until > now()`,
    );
    expect(rows).toEqual([{ count: 2 }]);
    const before = other();
    await sleep(3_500);
    // Alone, it would have asked three times.
    expect(other() - before).toBeLessThanOrEqual(2);
    for (const stop of stops.splice(0)) await stop();
    expect(await db().query(`SELECT name FROM leases WHERE name LIKE 'due %'`)).toEqual([]);
  });

  it('is shared under the names of all that a process watches, also of what it watches since it last said so', async () => {
    const said = async () => {
      const rows: { work: string }[] = await db().query(
        `SELECT split_part(name, '/', 1) AS work FROM leases WHERE name LIKE 'due %'`,
      );
      return rows.map(({ work }) => work).join();
    };
    watch('false', 0, 'first');
    while ((await said()) !== 'due first') await sleep(20);
    watch('false', 0, 'another');
    while ((await said()) !== 'due another first') await sleep(20);
  });

  /** @hardening jobs: One query that fails stops all work of a process */
  it('is asked for where the question for other work of the process fails', async () => {
    const [broken, always, never] = [watch('no_such_column'), watch('true'), watch('false')];
    while (always() < 2) await sleep(20);
    expect([broken(), never()]).toEqual([0, 0]);
  });

  it('is asked for again after the database was away', async () => {
    const query = jest.spyOn(db(), 'query').mockRejectedValue(new Error('The database is away.'));
    const always = watch('true');
    await sleep(200);
    expect(always()).toBe(0);
    query.mockRestore();
    while (always() === 0) await sleep(20);
  });

  it('does not fail the end of a process while the database is away', async () => {
    const always = watch('true', 0, 'left');
    while (always() === 0) await sleep(20);
    const query = jest.spyOn(db(), 'query').mockRejectedValue(new Error('The database is away.'));
    for (const stop of stops.splice(0)) await stop();
    query.mockRestore();
    // Its sign of life is left, and runs out.
    const left = await db().query(`DELETE FROM leases WHERE name LIKE 'due left/%'`);
    expect(left).toEqual([[], 1]);
  });

  it('is nobody’s after a process has ended', async () => {
    const always = watch('true');
    while (always() === 0) await sleep(20);
    for (const stop of stops.splice(0)) await stop();
    const before = always();
    await sleep(1_300);
    expect(always()).toBe(before);
  });
});
