// The engine of `npm run dev`: as `adit start` serves it, over the database that the process above keeps.
import { once } from 'node:events';
import { bundled } from '../../libs/vendor/packages.mjs';
import { useHostedPglite } from '@adit/database/pglite-host';

const { ADIT_DEV_DATABASE, ADIT_DEV_SOCKET, ADIT_DEV_STANDBY } = process.env;
if (ADIT_DEV_STANDBY) {
  const started = once(process, 'message');
  // Packages stay as they are; sources are read when the engine starts.
  await Promise.all(bundled.map((name) => import(name)));
  await started;
}
if (ADIT_DEV_SOCKET) useHostedPglite(ADIT_DEV_DATABASE, ADIT_DEV_SOCKET);
await import('../../apps/cli/commands/start/serve.ts');
