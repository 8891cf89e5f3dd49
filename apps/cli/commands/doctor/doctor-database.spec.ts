/** @needs servers */
import { hasTrigrams, openDatabase } from '@adit/database';
import { describeWith, freshDatabase } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { serverFindings } from './doctor-database.js';

/** Of a server of either kind: test servers come with or without PostgreSQL's own extensions. */
const WITHOUT_TRIGRAMS = { state: 'warning', what: expect.stringMatching(/no pg_trgm/) };

await describeWith('postgres', 'what the doctor says of a server', ({ postgres }) => {
  it('the doctor says whether pgvector is there, is missing, or the server is away', async () => {
    const { url, drop } = await freshDatabase(postgres.url);
    const config = { driver: 'postgres' as const, url, connectSeconds: 5 };
    const { dataSource, close } = await openDatabase(config);
    const [good] = await serverFindings(config);
    expect(good).toMatchObject({ state: 'good', what: expect.stringMatching(/with pgvector 0\.\d+\.\d+$/) });
    await dataSource.query('DROP EXTENSION vector CASCADE');
    const findings = await serverFindings(config);
    expect(findings).toMatchObject([
      { state: 'good' },
      { state: 'warning', what: expect.stringMatching(/no pgvector/) },
      ...((await hasTrigrams(dataSource)) ? [] : [WITHOUT_TRIGRAMS]),
    ]);
    if (await hasTrigrams(dataSource)) await dataSource.query('DROP EXTENSION pg_trgm CASCADE');
    expect(await serverFindings(config)).toMatchObject([{}, {}, WITHOUT_TRIGRAMS]);
    await close();
    await drop();
    expect(await serverFindings(config)).toMatchObject([{ state: 'bad', what: 'PostgreSQL' }]);
  });
});

await describeWith(['postgres', 'pgbouncer'], 'what the doctor says of a pooler', ({ postgres, pgbouncer }) => {
  it('the doctor says when a proxy drops start parameters, and the consequences', async () => {
    const { url, drop } = await freshDatabase(postgres.url);
    const pooled = Object.assign(new URL(pgbouncer.transaction), { pathname: new URL(url).pathname }).href;
    const config = { driver: 'postgres' as const, url: pooled, connectSeconds: 5, statementSeconds: 7, migrate: false };
    const limits = {
      state: 'good',
      what: expect.stringMatching(/a pooler is in between.*\(statement 7s, lock 20s, idle transaction 1min\)/),
    };
    const states = async (more: object) =>
      (await serverFindings({ ...config, ...more })).slice(1).filter(({ what }) => !what.includes('pg_trgm'));
    expect(await states({ migrationUrl: url })).toEqual([
      limits,
      expect.objectContaining({ what: expect.stringMatching(/no pgvector/) }),
    ]);
    expect(await states({ prepare: true })).toEqual([
      limits,
      { state: 'warning', what: 'migrations go through the pooler', advice: expect.stringMatching(/MIGRATION_URL/) },
      { state: 'warning', what: expect.stringMatching(/prepared/), advice: expect.stringMatching(/DATABASE_PREPARE/) },
      expect.objectContaining({ what: expect.stringMatching(/no pgvector/) }),
    ]);
    // A server without a pooler is not said to have one.
    expect(JSON.stringify(await serverFindings({ ...config, url }))).not.toContain('pooler');
    await drop();
  });
});
