/**
 * Runs the services of a gateway that syncs models in a process that a spec may kill. `database`, `objects` and
 * `followed` say where these are. It syncs once.
 */
import 'reflect-metadata';
import { following } from './following.js';

const [database = '', objects = '', followed = ''] = process.argv.slice(2);
// A spec that is gone needs none.
process.on('disconnect', () => process.exit(0));

const { service, close } = await following(database, objects, followed);
service.nudge();
await service.idle();
await close();
process.exit(0);
