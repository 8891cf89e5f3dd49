import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startEngine } from '@adit/standalone';
import { showUsage } from '../usage/usage.js';
import { createWorkspace, deleteWorkspace, listWorkspaces, workspaceQuotas } from './workspaces.js';

const apiKey = 'an-owner-of-the-specs';
let dataDir: string;
let engine: Awaited<ReturnType<typeof startEngine>>;
let said = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-workspaces-'));
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

/** @hardening privacy: A workspace sees another one */
it('makes, shows and erases a workspace with the configured key', async () => {
  const server = engine.url;
  await createWorkspace('newsroom', { server, json: true });
  const { id, key } = JSON.parse(said) as { id: string; key: string };
  expect(key).toMatch(/^adit_/);
  said = '';
  await listWorkspaces({ server });
  expect(said).toMatch(new RegExp(`${id}  newsroom .*as configured`));
  said = '';
  await workspaceQuotas(id, { media_seconds_per_month: 360_000, upload_bytes: 1_000 }, { server });
  await workspaceQuotas(id, { upload_bytes: null, storage_bytes: 5_000 }, { server });
  said = '';
  await workspaceQuotas(id, {}, { server });
  expect(said).toMatch(/storage_bytes +5000\nmedia_seconds_per_month +360000\n$/);
  await expect(workspaceQuotas(id, { colours: 1 }, { server })).rejects.toThrow(/storage_bytes, upload_bytes/);
  await deleteWorkspace(id, { server });
  expect(said).toMatch(/newsroom was erased at .*\n[^]*api_keys +1/);
  said = '';
  await listWorkspaces({ server });
  expect(said).not.toContain(id);
});

it('shows what is left of the quotas of its own workspace', async () => {
  const server = engine.url;
  said = '';
  await listWorkspaces({ server, json: true });
  const [{ id }] = JSON.parse(said) as [{ id: string }];
  await workspaceQuotas(id, { media_seconds_per_month: 3_600, upload_bytes: 1_000 }, { server });
  said = '';
  await showUsage({ server, groupBy: 'day' });
  expect(said).toMatch(/upload_bytes +1000 +0 +1000 *\n/);
  expect(said).toMatch(/media_seconds_per_month +3600 +0 +3600 +\d{4}-\d\d-01T00:00Z/);
});
