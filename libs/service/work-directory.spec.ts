import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { claimWorkDirectory } from './work-directory.js';

const dataDir = mkdtempSync(join(tmpdir(), 'adit-work-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

it('is of this process alone, and takes away what dead processes of this machine left', async () => {
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

it('needs no folder to be there', async () => {
  await expect(claimWorkDirectory({ dataDir: join(dataDir, 'new') }, 'decoder')).resolves.toContain('decoder-');
});
