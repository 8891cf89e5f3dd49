import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { supervise } from './supervisor.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-supervisor-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the supervisor', () => {
  it.each([
    [undefined, '2'],
    ['5', '5'],
  ])('with MALLOC_ARENA_MAX %s starts the engine with %s', async (set, expected) => {
    const entry = join(folder, 'engine.mjs');
    const answer = join(folder, 'answer');
    await writeFile(
      entry,
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(process.argv[2], process.env.MALLOC_ARENA_MAX ?? '');`,
    );
    const before = process.env.MALLOC_ARENA_MAX;
    if (set === undefined) delete process.env.MALLOC_ARENA_MAX;
    else process.env.MALLOC_ARENA_MAX = set;
    try {
      expect(await supervise({ entry, args: [answer] })).toBe(0);
      expect(await readFile(answer, 'utf8')).toBe(expected);
    } finally {
      if (before === undefined) delete process.env.MALLOC_ARENA_MAX;
      else process.env.MALLOC_ARENA_MAX = before;
    }
  });
});
