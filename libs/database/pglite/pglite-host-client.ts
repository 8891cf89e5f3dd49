/** Program of pglite-host.spec.ts: commits a row, writes another that it does not commit, and waits to be killed. */
import { openDatabase } from '../database.js';
import { useHostedPglite } from './pglite-host.js';

const [directory = '', socket = ''] = process.argv.slice(2);
useHostedPglite(directory, socket);
const { dataSource } = await openDatabase({ driver: 'pglite', directory });
await dataSource.query('INSERT INTO counted VALUES (1)');
const runner = dataSource.createQueryRunner();
await runner.startTransaction();
await runner.query('INSERT INTO counted VALUES (2)');
process.send?.('written');
setInterval(() => undefined, 60_000);
