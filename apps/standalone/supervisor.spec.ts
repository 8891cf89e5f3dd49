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

  it.each([
    ['an exception that nobody caught', `setImmediate(() => { throw new Error('from an event'); })`],
    ['a promise that nobody awaited', `Promise.reject(new Error('from nowhere'))`],
    ['native code', `process.kill(process.pid, 'SIGKILL')`],
  ])('starts an engine again that served and ended by %s', async (_, death) => {
    const lives = await livesOf(`process.send('serves', () => { ${death}; });`);
    expect(lives).toEqual({ code: 0, lives: 2 });
  });

  it('leaves an engine that never served at its word', async () => {
    expect(await livesOf(`process.exit(3);`)).toEqual({ code: 3, lives: 1 });
    expect(await livesOf(`throw new Error('no such folder');`)).toEqual({ code: 1, lives: 1 });
  });

  /** Runs an engine whose first life is `script`; its second one ends well. */
  async function livesOf(script: string): Promise<{ code: number; lives: number }> {
    const entry = join(folder, 'mortal.mjs');
    const diary = join(folder, 'diary');
    await writeFile(diary, '');
    await writeFile(
      entry,
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync(process.argv[2], 'x');
       if (readFileSync(process.argv[2], 'utf8').length > 1) process.exit(0);
       ${script}`,
    );
    const code = await supervise({ entry, args: [diary] });
    return { code, lives: (await readFile(diary, 'utf8')).length };
  }
});
