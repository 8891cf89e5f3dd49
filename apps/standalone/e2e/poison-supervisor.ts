/** `supervise` over the engine of poison-engine.ts. Says the address once the engine is ready; `close` ends both. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { supervise } from '../supervisor.js';

const [dataDir, , ...localRoots] = process.argv.slice(2);
const port = await freePort();
// It is built, or not, as this one is.
const entry = fileURLToPath(new URL(`./poison-engine${extname(import.meta.url)}`, import.meta.url));
void supervise({ entry, args: [dataDir!, String(port), ...localRoots] }).then((code) => process.exit(code));
process.on('message', (question) => {
  if (question === 'close') process.kill(process.pid, 'SIGTERM');
});
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

const url = `http://127.0.0.1:${port}`;
while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) await sleep(100);
process.send?.({ url });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
