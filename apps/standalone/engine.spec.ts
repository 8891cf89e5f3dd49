import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startEngine } from './engine.js';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-engine-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it('that cannot start lets go of what it opened: its folder serves the next one', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const options = { dataDir, host: '127.0.0.1', quiet: true, apiKey: 'an-owner-of-the-specs' };
  await expect(startEngine({ ...options, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  other.close();
  const engine = await startEngine({ ...options, port });
  await engine.close();
});
