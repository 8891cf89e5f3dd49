import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asksForHelp } from './usage.mjs';

const run = promisify(execFile);
let cache: string;

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'adit-usage-'));
});
afterAll(() => rm(cache, { recursive: true }));

describe('--help', () => {
  it.each(['setup', 'test', 'test:long', 'test:unit', 'test:changed', 'lint'])(
    'of %s is told at once, without anything being set up',
    async (command) => {
      const env = { ...process.env, ADIT_CACHE_DIR: cache };
      const { stdout, stderr } = await run(
        process.execPath,
        [join(import.meta.dirname, 'run.mjs'), command, '--help'],
        {
          env,
        },
      );
      expect(stdout).toContain(command === 'test' ? 'npm test' : `npm run ${command}`);
      expect([stderr, await readdir(cache)]).toEqual(['', []]);
    },
  );

  it.each([
    [['--help'], true],
    [['mine', 'film.mp4', '-h'], true],
    [['film.mp4'], false],
    [['--', '--help'], false],
  ])('%j asks for it: %s', (args, asks) => {
    expect(asksForHelp(args)).toBe(asks);
  });
});
