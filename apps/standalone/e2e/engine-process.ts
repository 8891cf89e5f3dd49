/**
 * The engine as `adit start` serves it, in a process that a spec may kill. Says its address over the channel that fork
 * opens; `sweep` runs the sweeper now, which otherwise runs once a minute.
 */
import 'reflect-metadata';
import { Sweeper } from '@adit/jobs';
import { startEngine } from '../engine.js';

const [dataDir, port, ...localRoots] = process.argv.slice(2);
const engine = await startEngine({ dataDir: dataDir!, port: Number(port), localRoots });

process.on('message', (question) => {
  if (question === 'sweep')
    void engine.app
      .get(Sweeper, { strict: false })
      .run()
      .then(() => process.send?.('swept'));
  if (question === 'close') void engine.close().then(() => process.exit(0));
});
// A spec that is gone needs no engine.
process.on('disconnect', () => process.exit(0));
process.send?.({ url: engine.url });
