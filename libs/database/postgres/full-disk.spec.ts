/** @needs servers */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { metrics } from '@adit/runtime';
import { onSmallDisk, ownServer } from '@adit/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../database.js';
import { isDatabaseFull, toAditError } from '../errors.js';
import { ping } from '../guarded-data-source.js';
import { inTransaction } from '../transaction.js';

const own = await ownServer('postgres');
// Only tables lie on the full disk: a server whose log cannot be written ends, which is an outage like any other.
const disk = 'reason' in own ? own : await onSmallDisk(own, 'data/base', '96m');
const missing = 'reason' in disk ? ` (skipped: no postgres: ${disk.reason})` : '';

afterAll(async () => {
  if ('unmount' in disk) await disk.unmount();
  if (!('reason' in own)) await own.remove();
});

(missing === '' ? describe : describe.skip)(`a server whose disk is full${missing}`, () => {
  it('refuses writes that do not fit, is not ready, reads on, and keeps all that it committed', async () => {
    if ('reason' in own || 'reason' in disk) throw new Error('never: the suite is skipped');
    const { dataSource, close } = await openDatabase({ driver: 'postgres', url: own.url });
    await dataSource.query('CREATE TABLE papers (id integer, text text)');
    const [{ path }] = await dataSource.query("SELECT pg_relation_filepath('papers') AS path");
    await disk.fill();
    let kept = 0;
    const write = () =>
      inTransaction(dataSource, (manager) =>
        manager.query('INSERT INTO papers VALUES ($1, $2)', [kept, 'x'.repeat(1_000)]),
      ).then(() => void (kept += 1));
    const refused = async (): Promise<unknown> => {
      for (;;) {
        const error: unknown = await write().then(
          () => null,
          (reason: unknown) => reason,
        );
        if (error !== null) return error;
      }
    };
    const error = await refused();
    expect(isDatabaseFull(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/^The database is full \(.*No space left on device/),
      cause: { driverError: { code: '53100' } },
    });
    await expect(ping(dataSource)).rejects.toThrow('The database is full');
    expect(await metrics.getSingleMetricAsString('adit_database_full')).toMatch(/^adit_database_full 1$/m);
    const count = () => dataSource.query('SELECT count(*)::int AS kept FROM papers');
    expect(await count()).toEqual([{ kept }]);
    // PostgreSQL removes this cache whenever a table of its catalogue changes; the next session writes it anew.
    await rm(join(dirname(own.logFile ?? ''), 'data', dirname(path), 'pg_internal.init'));
    await disk.fill();
    // The test runs more statements at once than there are sessions.
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => dataSource.query('SELECT pg_sleep(0.2)')),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refusals).not.toEqual([]);
    for (const refusal of refusals) expect(isDatabaseFull(toAditError(refusal))).toBe(true);
    await disk.clear();
    await write();
    expect(await count()).toEqual([{ kept }]);
    await close();
  });
});
