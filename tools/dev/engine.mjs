// The engine of `npm run dev`: as `adit start` serves it, over the database that the process above keeps.
import { useHostedPglite } from '@adit/database/pglite-host';

const { ADIT_DEV_DATABASE, ADIT_DEV_SOCKET } = process.env;
if (ADIT_DEV_SOCKET) useHostedPglite(ADIT_DEV_DATABASE, ADIT_DEV_SOCKET);
await import('../../apps/cli/serve.ts');
