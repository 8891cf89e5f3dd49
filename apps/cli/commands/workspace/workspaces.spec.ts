import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startEngine } from '@adit/standalone';
import { createWorkspace, deleteWorkspace, listWorkspaces } from './workspaces.js';

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
  await deleteWorkspace(id, { server });
  expect(said).toMatch(/newsroom was erased at .*\n[^]*api_keys +1/);
  said = '';
  await listWorkspaces({ server });
  expect(said).not.toContain(id);
});
