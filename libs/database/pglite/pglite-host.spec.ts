import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../database.js';
import { useHostedPglite, hostPglite } from './pglite-host.js';

let folder: string;
let directory: string;
let socket: string;
let close: () => Promise<void>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-keeper-'));
  directory = join(folder, 'database');
  socket = join(folder, 'socket');
  close = await hostPglite(directory, socket);
});
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

async function opened() {
  useHostedPglite(directory, socket);
  return await openDatabase({ driver: 'pglite', directory });
}

it('serves one engine after the other, with large rows, and keeps what was committed', async () => {
  const first = await opened();
  const text = 'x'.repeat(3_000_000);
  await first.dataSource.query('CREATE TABLE kept (text text)');
  await first.dataSource.query('INSERT INTO kept VALUES ($1)', [text]);
  await first.close();
  const second = await opened();
  const [row] = await second.dataSource.query<{ text: string }[]>('SELECT text FROM kept');
  expect(row?.text === text).toBe(true);
  await second.close();
});

it('takes back what an engine had not committed when it was killed', async () => {
  const before = await opened();
  await before.dataSource.query('CREATE TABLE counted (n int)');
  await before.close();
  const program = runnable('./pglite-host-client.ts', import.meta.url);
  const child = fork(program, [directory, socket], { execArgv: [...RUNNABLE_FLAGS] });
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const after = await opened();
  expect(await after.dataSource.query('SELECT n FROM counted')).toEqual([{ n: 1 }]);
  await after.close();
});
