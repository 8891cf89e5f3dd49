/**
 * Engine for launcher.spec.ts without a free file descriptor. It sends how a child ended then, and how one ends once a
 * descriptor is free.
 */
import { closeSync, openSync } from 'node:fs';
import { runChild, startLauncher } from '../dist/index.js';

const run = () =>
  runChild({ program: 'echo', args: ['here'], doing: 'Trying', timeoutSeconds: 60, onOutput: () => undefined }).then(
    ({ code }) => code,
    ({ code }) => code,
  );

await startLauncher(process.argv[2]);
// The confinement of this machine is detected once, before descriptors run out.
await run();
const files = [];
try {
  for (;;) files.push(openSync('/dev/null'));
} catch {
  // The limit is reached.
}
const without = await run();
files.forEach(closeSync);
process.send([without, await run()], () => process.exit());
