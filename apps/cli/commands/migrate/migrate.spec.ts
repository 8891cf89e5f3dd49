import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { openDatabase } from '@adit/database';
import { migrateDatabase } from './migrate.js';

let dataDir: string;
let said = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-migrate-'));
  process.env['ADIT_DATA_DIR'] = join(dataDir, 'new');
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said += String(text)), true));
});
afterAll(async () => {
  jest.restoreAllMocks();
  delete process.env['ADIT_DATA_DIR'];
  await rm(dataDir, { recursive: true, force: true });
});

it('brings a database to this release, and leaves one that is there as it is', async () => {
  await migrateDatabase();
  expect(said).toMatch(/^The database has all \d+ migrations of this release\.\n$/);
  const first = said;
  said = '';
  await migrateDatabase();
  expect(said).toBe(first);
  // It was closed: nobody else could open an embedded one.
  const config = { driver: 'pglite' as const, directory: join(dataDir, 'new', 'database') };
  const { dataSource, close } = await openDatabase(config, { schema: 'take' });
  const [row]: { count: number }[] = await dataSource.query('SELECT count(*)::int AS count FROM jobs');
  expect(row).toEqual({ count: 0 });
  await close();
});
