import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

  it('gives up an engine that served once and cannot start any more', async () => {
    const { entry, diary } = await mortal(
      `if (lives === 1) process.send('serves', () => process.exit(1)); else process.exit(1);`,
    );
    expect(await supervise({ entry, args: [diary], maxFalseStarts: 2, firstPauseMs: 1 })).toBe(1);
    // One that served, two that may fail to start, and one more.
    expect(await readFile(diary, 'utf8')).toHaveLength(4);
  });

  /** @hardening overload: A server of sources ends the engine */
  it('goes on with an engine that serves, however often it dies', async () => {
    const { entry, diary } = await mortal(
      `if (lives > 4) process.exit(0); else process.send('serves', () => process.exit(1));`,
    );
    expect(await supervise({ entry, args: [diary], maxFalseStarts: 2, firstPauseMs: 1 })).toBe(0);
    expect(await readFile(diary, 'utf8')).toHaveLength(5);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends by %s between two lives, too', async (signal) => {
    const { entry, diary } = await mortal(
      `writeFileSync(process.argv[3], String(process.pid));
       process.send('serves', () => process.kill(process.pid, 'SIGKILL'));`,
    );
    const pid = join(folder, 'pid');
    await rm(pid, { force: true });
    // Longer than the longest: that is how long there is to notice.
    const ended = supervise({ entry, args: [diary, pid], firstPauseMs: 60_000 });
    while (!(await hasDied(pid))) await sleep(10);
    process.emit(signal, signal);
    expect(await ended).toBe(0);
    expect(await readFile(diary, 'utf8')).toHaveLength(1);
  });

  async function hasDied(file: string): Promise<boolean> {
    const pid = Number(await readFile(file, 'utf8').catch(() => ''));
    try {
      if (pid > 0) process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  }

  /** An engine that writes a letter for each of its lives, and does what `script` does with their number, `lives`. */
  async function mortal(script: string): Promise<{ entry: string; diary: string }> {
    const entry = join(folder, 'mortal.mjs');
    const diary = join(folder, 'diary');
    await writeFile(diary, '');
    await writeFile(
      entry,
      `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
       appendFileSync(process.argv[2], 'x');
       const lives = readFileSync(process.argv[2], 'utf8').length;
       ${script}`,
    );
    return { entry, diary };
  }

  /** Runs an engine whose first life is `script`; its second one ends well. */
  async function livesOf(script: string): Promise<{ code: number; lives: number }> {
    const { entry, diary } = await mortal(`if (lives > 1) process.exit(0);\n${script}`);
    const code = await supervise({ entry, args: [diary] });
    return { code, lives: (await readFile(diary, 'utf8')).length };
  }
});
