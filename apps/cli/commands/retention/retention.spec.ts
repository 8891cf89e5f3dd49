import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startEngine } from '@adit/standalone';
import { hold, lift, setRetention, showRetention, showUpcoming } from './retention.js';

const apiKey = 'an-owner-of-the-specs';
let dataDir: string;
let engine: Awaited<ReturnType<typeof startEngine>>;
let said = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-retention-'));
  engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', localRoots: [], quiet: true, apiKey });
  process.env['ADIT_API_KEY'] = apiKey;
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said += String(text)), true));
}, 300_000);
afterAll(async () => {
  jest.restoreAllMocks();
  delete process.env['ADIT_API_KEY'];
  await engine?.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('shows and changes how long what is kept, and what is under a legal hold', async () => {
  const options = { server: engine.url };
  await setRetention({ results: 90 * 86_400, observations: 43_200 }, options);
  await setRetention({ observations: null }, options);
  await hold('case 4711/b', options);
  said = '';
  await showRetention(options);
  expect(said).toMatch(/observations +7 d +installation +being applied/);
  expect(said).toMatch(/results +90 d +workspace/);
  expect(said).toMatch(/Under a legal hold: case 4711\/b/);
  await lift('case 4711/b', options);
  said = '';
  await showUpcoming({ ...options, within: 24 });
  expect(said).toMatch(/uploads +0/);
  expect(() => setRetention({ packs: 1 }, options)).toThrow(/there are observations, results/);
});
