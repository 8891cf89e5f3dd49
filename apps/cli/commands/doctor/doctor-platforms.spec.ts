import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformFindings } from './doctor-platforms.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-doctor-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const NOW = new Date('2026-11-01T12:00:00Z');
let made = 0;

async function finding(script: string) {
  const program = join(folder, `yt-dlp-${++made}`);
  await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const [first, ...others] = await platformFindings(program, NOW);
  expect(others).toEqual([]);
  return first;
}

it('names the yt-dlp that is there', async () => {
  const what = 'yt-dlp 2026.10.26 gets films of YouTube and Vimeo';
  expect(await finding('echo 2026.10.26')).toEqual({ state: 'good', what });
  expect(await finding('echo 2026.10.26.232850')).toEqual({ state: 'good', what });
});

it('warns of one that is months old, too old, broken, missing', async () => {
  expect(await finding('echo 2026.06.01')).toMatchObject({
    state: 'warning',
    what: expect.stringContaining('yt-dlp 2026.06.01 is months old'),
    advice: expect.stringContaining('pip install --upgrade'),
  });
  expect(await finding('echo 2024.08.06')).toMatchObject({
    state: 'warning',
    what: 'yt-dlp 2024.08.06 is too old for films of YouTube and Vimeo',
    advice: expect.stringContaining('2025.11.12 or newer'),
  });
  for (const broken of ['exit 1', 'echo usage', 'echo 2026.10.26; exit 3']) {
    expect(await finding(broken)).toMatchObject({ state: 'warning', what: expect.stringContaining('too old') });
  }
  expect(await platformFindings(join(folder, 'none'), NOW)).toEqual([
    {
      state: 'warning',
      what: 'yt-dlp is not installed: jobs on addresses of YouTube and Vimeo are refused',
      advice: expect.stringContaining('pip install "yt-dlp[default]"'),
    },
  ]);
});

it('finds nothing wrong where platforms are switched off', async () => {
  expect(await platformFindings('off', NOW)).toEqual([
    { state: 'good', what: 'jobs on addresses of YouTube and Vimeo are refused (ADIT_YT_DLP=off)' },
  ]);
});
