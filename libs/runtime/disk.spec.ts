import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { watchDisk } from './disk.js';
import { metricsPage } from './prometheus.js';

it('tells the size of the disk and what is free, and nothing of a folder that is gone', async () => {
  const lines = async () => {
    const { body } = await metricsPage();
    return Object.fromEntries(
      [...body.matchAll(/^adit_data_disk_bytes\{state="(\w+)"\} (\S+)$/gm)].map(([, state, value]) => [
        state,
        Number(value),
      ]),
    );
  };
  watchDisk(tmpdir());
  const { size, free } = await lines();
  expect(size).toBeGreaterThan(1e6);
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThanOrEqual(size!);
  watchDisk('/nowhere/at/all');
  expect(await lines()).toEqual({});
});
