/** `nx run @adit/database:template`: runs initdb once, for every new database to begin with what it made. */
import { writeFile } from 'node:fs/promises';
import { PgliteServer } from './pglite-server.js';
import { templatePath } from './pglite-template.js';

const server = new PgliteServer({ directory: null, durable: false });
try {
  await server.start();
  await writeFile(await templatePath(), await server.dump());
} finally {
  await server.close();
}
