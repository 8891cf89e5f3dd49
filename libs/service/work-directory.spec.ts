import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { claimWorkDirectory, keepWorkDirectory } from './work-directory.js';

const dataDir = mkdtempSync(join(tmpdir(), 'adit-work-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

/** @hardening setup: A killed process leaves pictures behind */
it('the directory belongs to this process alone, and those of dead processes on this machine are removed', async () => {
  const gone = spawnSync(process.execPath, ['--version']).pid;
  const left = (host: string, pid: number, service = 'decoder'): string => {
    const folder = join(dataDir, 'work', `${service}-${host}-${pid}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'film.mp4'), 'bytes');
    return folder;
  };
  const dead = left(hostname(), gone);
  const alive = left(hostname(), process.ppid);
  const elsewhere = left('another-machine', gone);
  const otherService = left(hostname(), gone, 'decoder-of-another-name');
  const own = await claimWorkDirectory({ dataDir }, 'decoder');
  expect(own).toBe(join(dataDir, 'work', `decoder-${hostname()}-${process.pid}`));
  expect([dead, alive, elsewhere, otherService].map((folder) => existsSync(folder))).toEqual([false, true, true, true]);
});

it('directories of other machines or services are removed after a day, at the start and later, unless they are kept', async () => {
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
  const left = (name: string, at: Date): string => {
    const folder = join(dataDir, 'work', name);
    mkdirSync(join(folder, 'source'), { recursive: true });
    utimesSync(folder, at, at);
    return folder;
  };
  const old = left('standalone-0a1b2c3d-1', hours(25));
  const recent = left('standalone-4e5f6a7b-1', hours(23));
  const own = await claimWorkDirectory({ dataDir }, 'decoder');
  expect([old, recent].map((folder) => existsSync(folder))).toEqual([false, true]);
  mkdirSync(own, { recursive: true });
  utimesSync(own, hours(30), hours(30));
  utimesSync(recent, hours(25), hours(25));
  await keepWorkDirectory(own);
  expect([own, recent].map((folder) => existsSync(folder))).toEqual([true, false]);
  // Another process that shares the folder leaves alone what is kept.
  const other = left(`gateway-elsewhere-${process.pid}`, hours(30));
  await keepWorkDirectory(other);
  expect([own, other].map((folder) => existsSync(folder))).toEqual([true, true]);
});

it('the folder need not exist', async () => {
  await expect(claimWorkDirectory({ dataDir: join(dataDir, 'new') }, 'decoder')).resolves.toContain('decoder-');
});
