import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { openDatabase, type Database } from '@adit/database';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { updateHeld, type ClaimedTask } from './leased-rows.js';
import { REPORTS } from './leased-tables.js';
import { MAX_ATTEMPTS } from './settings.js';
import { TASK_LEASE_SECONDS, TaskLoop } from './task-loop.js';

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ driver: 'pglite', directory: null });
});
afterAll(() => database?.close());

class Reports extends TaskLoop {
  readonly claims: number[] = [];
  readonly ended: string[] = [];

  constructor(private readonly work: (task: ClaimedTask) => Promise<unknown> = () => Promise.resolve()) {
    super(database.dataSource, REPORTS);
  }

  protected override claimed(_manager: unknown, { attempt }: ClaimedTask): Promise<void> {
    this.claims.push(attempt);
    return Promise.resolve();
  }

  protected async run(task: ClaimedTask): Promise<void> {
    await this.work(task);
    await updateHeld(this.db, task, `state = 'completed', lease_until = NULL`);
    this.ended.push(task.key.id);
  }
}

/** Service that completes tasks that fail. */
class Lenient extends Reports {
  protected override async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    await updateHeld(this.db, task, `state = 'completed', lease_until = NULL, error_msg = $1`, [message]);
  }
}

const sql = (text: string, values: unknown[] = []) => database.dataSource.query(text, values);

let reports = 0;

/** Each is a second younger than the one before: the order within one millisecond is undefined. */
async function report(attempts = 0, workspaceId = randomUUID()): Promise<string> {
  const id = randomUUID();
  await sql(
    `INSERT INTO reports (id, workspace_id, batch_id, title, attempts, time_created)
     VALUES ($1, $3, $1, 'x', $2, now() - interval '1 hour' + make_interval(secs => $4))`,
    [id, attempts, workspaceId, ++reports],
  );
  return id;
}

async function row(id: string): Promise<{ state: string; error: string | null; attempts: number; isLeased: boolean }> {
  const [found] = await sql(
    `SELECT state, error_msg AS error, attempts, coalesce(lease_until > now(), false) AS "isLeased" FROM reports WHERE id = $1`,
    [id],
  );
  return found;
}

describe('the tasks of a table', () => {
  let service: Reports;
  afterEach(async () => {
    await service.onApplicationShutdown();
    await sql('DELETE FROM reports');
  });

  it('are done from the start of the process on, the oldest first', async () => {
    const ids = [await report(), await report(), await report()];
    service = new Reports();
    service.onApplicationBootstrap();
    await service.idle();
    expect([service.ended, service.claims]).toEqual([ids, [1, 1, 1]]);
    expect(await row(ids[0]!)).toEqual({ state: 'completed', error: null, attempts: 1, isLeased: false });
  });

  it('of one workspace do not hold up those of another', async () => {
    const [many, few] = [randomUUID(), randomUUID()];
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push(await report(0, many));
    const own = [await report(0, few), await report(0, few)];
    service = new Reports();
    await service.idle();
    expect(service.ended).toEqual([ids[0], own[0], ids[1], own[1], ...ids.slice(2)]);
  });

  /** @hardening overload: An import of many files holds up other workspaces */
  it('of the workspace with the least in progress come first, in whichever process', async () => {
    const [busy, other] = [randomUUID(), randomUUID()];
    const first = await report(0, busy);
    const waiting = await report(0, busy);
    const later = await report(0, other);
    await sql(`UPDATE reports SET state = 'processing', lease_until = now() + interval '1 minute' WHERE id = $1`, [
      first,
    ]);
    service = new Reports();
    await service.idle();
    expect(service.ended).toEqual([later, waiting]);
  });

  it('that came since are done before the loop is idle', async () => {
    service = new Reports();
    service.onApplicationBootstrap();
    await service.idle();
    const id = await report();
    await service.idle();
    expect(service.ended).toEqual([id]);
  });

  it('are left to others when the process ends, except for the one in progress', async () => {
    const ids = [await report(), await report()];
    let begun = () => {};
    const running = new Promise<void>((resolve) => (begun = resolve));
    service = new Reports(() => {
      begun();
      return sleep(20);
    });
    service.onApplicationBootstrap();
    await running;
    await service.onApplicationShutdown();
    expect(service.ended).toEqual(ids.slice(0, 1));
    expect(await row(ids[1]!)).toMatchObject({ state: 'waiting', attempts: 0 });
  });

  it('have their lease renewed for as long as they run', async () => {
    const id = await report();
    const left = async (): Promise<number> =>
      (await sql('SELECT extract(epoch FROM lease_until - now())::float8 AS left FROM reports WHERE id = $1', [id]))[0]
        .left;
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'Date', 'performance'],
    });
    service = new Reports(async () => {
      await sql(`UPDATE reports SET lease_until = now() + interval '1 second' WHERE id = $1`, [id]);
      jest.advanceTimersByTime((TASK_LEASE_SECONDS * 1000) / 3);
      // Statements of an embedded database run one after the other.
      let polls = 0;
      while ((await left()) < 2 && polls < 100) polls += 1;
      expect(polls).toBeLessThan(100);
    });
    try {
      await service.idle();
    } finally {
      jest.useRealTimers();
    }
    expect(service.ended).toEqual([id]);
  });

  it('that failed wait a while for another attempt, blamed only for their own failures', async () => {
    const ids = [await report(), await report()];
    const problems = [
      new AditError('LIMIT_EXCEEDED', 'It took too long.'),
      new AditError('UNAVAILABLE', 'It is away.'),
    ];
    service = new Reports(() => Promise.reject(problems.shift()!));
    await service.idle();
    const rows = await Promise.all(ids.map(row));
    expect(rows).toEqual([1, 0].map((attempts) => ({ state: 'processing', error: null, attempts, isLeased: true })));
  });

  it('are given up for a permanent error, and when their attempts are used up', async () => {
    const ids = [await report(), await report(MAX_ATTEMPTS)];
    service = new Reports(() => Promise.reject(new AditError('NOT_FOUND', 'The batch was deleted.')));
    await service.idle();
    const errors = ['The batch was deleted.', expect.stringContaining('Its process ended')];
    expect(await Promise.all(ids.map(row))).toMatchObject(errors.map((error) => ({ state: 'failed', error })));
    // A task without attempts raises no event.
    expect(service.claims).toEqual([1]);
  });

  it('are tried up to their limit, the last time too', async () => {
    const id = await report(MAX_ATTEMPTS - 1);
    service = new Reports();
    await service.idle();
    expect([service.claims, service.ended]).toEqual([[MAX_ATTEMPTS], [id]]);
  });

  it('are given up for an internal error without showing it to clients', async () => {
    const id = await report(MAX_ATTEMPTS - 1);
    service = new Reports(() => Promise.reject(new TypeError('password is not a function')));
    await service.idle();
    const error = 'Something went wrong here; the log has the reason.';
    expect(await row(id)).toMatchObject({ state: 'failed', error });
  });

  it('are ended by their service when they are given up', async () => {
    const id = await report();
    service = new Lenient(() => Promise.reject(new AditError('NOT_FOUND', 'The batch was deleted.')));
    await service.idle();
    expect(await row(id)).toMatchObject({ state: 'completed', error: 'The batch was deleted.' });
  });
});
