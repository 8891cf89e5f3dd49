/** For launcher.spec.ts: an engine that has no room for another file sends how a child of it ended, then one once it has room again. */
import { closeSync, openSync } from 'node:fs';
import { runChild, startLauncher } from '../dist/index.js';

const run = () =>
  runChild({ program: 'echo', args: ['here'], doing: 'Trying', timeoutSeconds: 60, onOutput: () => undefined }).then(
    ({ code }) => code,
    ({ code }) => code,
  );

await startLauncher(process.argv[2]);
// What this machine lets us do to a child is looked for once.
await run();
const files = [];
try {
  for (;;) files.push(openSync('/dev/null'));
} catch {
  // As many as there may be.
}
const without = await run();
files.forEach(closeSync);
process.send([without, await run()], () => process.exit());
