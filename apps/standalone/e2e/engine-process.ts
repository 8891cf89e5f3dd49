/**
 * The engine as `adit start` serves it, in a process that a spec may kill. Says its address over the channel that fork
 * opens; `sweep` runs the sweeper now, which otherwise runs once a minute. On standby it has its modules loaded and
 * waits for `go`: most of a start is loading them.
 */
import 'reflect-metadata';
import { once } from 'node:events';
import { Sweeper } from '@adit/retention';
import { startEngine } from '../engine.js';

const [dataDir, port, ...localRoots] = process.argv.slice(2);
// A spec that is gone needs no engine.
process.on('disconnect', () => process.exit(0));
if (process.env['ADIT_TEST_STANDBY'] !== undefined) await once(process, 'message');

const engine = await startEngine({ dataDir: dataDir!, port: Number(port), localRoots });
process.on('message', (question) => {
  if (question === 'sweep') void sweep();
  if (question === 'close') void engine.close().then(() => process.exit(0));
});
process.send?.({ url: engine.url });

async function sweep(): Promise<void> {
  await engine.app.get(Sweeper, { strict: false }).run();
  process.send?.('swept');
}
