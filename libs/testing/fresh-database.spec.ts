/** @needs servers */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { describeWith } from './describe-with.js';
import { freshDatabase, type FreshDatabase } from './fresh-database.js';

await describeWith('postgres', 'a database of a spec’s own', ({ postgres }) => {
  let fresh: FreshDatabase;
  beforeAll(async () => {
    fresh = await freshDatabase(postgres.url);
  });

  it('is empty, and gone once dropped, whoever is still connected', async () => {
    const client = new pg.Client({ connectionString: fresh.url });
    const ended = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    const tables = await client.query("SELECT FROM information_schema.tables WHERE table_schema = 'public'");
    expect(tables.rowCount).toBe(0);
    await fresh.drop();
    expect((await ended).message).toMatch(/terminat/);
    const again = new pg.Client({ connectionString: fresh.url });
    await expect(again.connect()).rejects.toThrow(/does not exist/);
  });

  afterAll(() => fresh.drop());
});
