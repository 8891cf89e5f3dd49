import { describe, expect, it } from '@jest/globals';
import { limitOptions } from './limits.js';

const own = (data: string, files: string, cpu = 'unlimited'): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \n` +
  `Max cpu time              unlimited            ${cpu}            seconds   \n` +
  `Max data size             unlimited            ${data}            bytes     \n` +
  `Max open files            20000                ${files}                files     \n`;

describe("a child's limits", () => {
  it.each([
    ['unlimited', 500, '--data=500'],
    ['200', 500, '--data=200'],
    ['200', 50, '--data=50'],
  ])('never exceed those set from outside (%s) with %s bytes wanted', (hard, dataBytes, expected) => {
    expect(limitOptions(own(hard, '20000'), { dataBytes })).toContain(expected);
  });

  /** @hardening privacy: Child processes inherit secrets, files or the network */
  it('are only the requested ones, plus no core dumps of client media', () => {
    expect(limitOptions(own('unlimited', '64'), { dataBytes: null })).toEqual(['--core=0', '--nofile=64']);
    expect(limitOptions('', { cpuSeconds: 1.5, fileBytes: 7 })).toEqual([
      '--core=0',
      '--nofile=256',
      '--fsize=7',
      '--cpu=2:4',
    ]);
    expect(limitOptions(own('1', '1', '1'), { cpuSeconds: 60 })).toContain('--cpu=1:1');
  });
});
