import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { dataOption, underMemoryLimit } from './memory-limit.js';

const run = promisify(execFile);

describe('the memory limit', () => {
  it('holds from the first instruction of a program, in one process', async () => {
    const words = await underMemoryLimit('cat', 123 << 20);
    expect(words.at(-1)).toBe('cat');
    if (words.length === 1) return expect(process.platform).not.toBe('linux');
    const [program, ...leading] = words;
    const { stdout } = await run(program, [...leading, '/proc/self/limits', '/proc/self/stat']);
    expect(/Max data size\s+(\d+)\s+(\d+)/.exec(stdout)?.slice(1)).toEqual([String(123 << 20), String(123 << 20)]);
    expect(/^\d+ \(cat\) \S+ (\d+)/m.exec(stdout)?.[1]).toBe(String(process.pid));
  });

  it.each([
    ['unlimited', 'unlimited', 500, '--data=500'],
    ['100', '200', 500, '--data=200'],
    ['100', '200', 50, '--data=50'],
    ['100', '200', null, '--data=100:200'],
    ['unlimited', 'unlimited', null, '--data=unlimited:unlimited'],
  ])('never raises what was set from outside (%s, %s) with %s bytes wanted', (soft, hard, bytes, expected) => {
    const own = `Limit  Soft Limit  Hard Limit  Units\nMax data size   ${soft}   ${hard}   bytes\nMax stack size  1  2  bytes\n`;
    expect(dataOption(own, bytes)).toBe(expected);
  });
});
