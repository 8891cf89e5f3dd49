/**
 * Program of `nx run @adit/database:template`: makes an empty database with the current schema, which new ones are
 * copied from.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../database.js';
import { PgliteServer } from './pglite-server.js';
import { templatePath } from './pglite-template.js';

const folder = await mkdtemp(join(tmpdir(), 'adit-template-'));
try {
  // Closed and opened again, so that there is nothing to recover in it.
  await (await openDatabase({ driver: 'pglite', directory: folder, durable: false })).close();
  const server = new PgliteServer({ directory: join(folder, 'pgdata'), durable: false });
  await server.start();
  await writeFile(await templatePath(), await server.dump());
  await server.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
