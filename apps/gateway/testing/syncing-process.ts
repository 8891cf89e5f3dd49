/**
 * Runs the services of a gateway that syncs models in a process that a spec may kill. `database`, `objects` and
 * `synced` say where these are. It syncs once.
 */
import 'reflect-metadata';
import { syncing } from './syncing.js';

const [database = '', objects = '', synced = ''] = process.argv.slice(2);
// A spec that is gone needs none.
process.on('disconnect', () => process.exit(0));

const { service, close } = await syncing(database, objects, synced);
service.nudge();
await service.idle();
await close();
process.exit(0);
