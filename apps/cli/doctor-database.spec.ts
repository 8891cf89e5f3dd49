/** @needs servers */
import { openDatabase } from '@adit/database';
import { describeWith, freshDatabase } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { serverFindings } from './doctor-database.js';

await describeWith('postgres', 'what the doctor says of a server', ({ postgres }) => {
  it('has pgvector, has none, or is not there', async () => {
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
    ]);
    await close();
    await drop();
    expect(await serverFindings(config)).toMatchObject([{ state: 'bad', what: 'PostgreSQL' }]);
  });
});
