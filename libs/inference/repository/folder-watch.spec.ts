import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderWatch, isCode } from './folder-watch.js';

let folder: string;
let watch: FolderWatch | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-watch-'));
});
afterEach(async () => {
  watch?.close();
  await rm(folder, { recursive: true, force: true });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('FolderWatch', () => {
  it('reports a change long before the next poll', async () => {
    let calls = 0;
    watch = new FolderWatch([folder], 60_000, () => calls++, 10);
    await writeFile(join(folder, 'model.yaml'), 'name: x');
    await until(() => calls > 0);
  });

  it('polls every sixth round only where it can watch', async () => {
    let calls = 0;
    const began = performance.now();
    watch = new FolderWatch([folder], 50, () => calls++);
    await until(() => calls > 0);
    expect(performance.now() - began).toBeGreaterThan(6 * 50 - 10);
  });

  it('notices within one poll that a missing root has appeared', async () => {
    const root = join(folder, 'later');
    let calls = 0;
    const round = 3_000;
    watch = new FolderWatch([root], round, () => calls++);
    await mkdir(root);
    const began = performance.now();
    await until(() => calls > 0);
    // Long before the sixth round, however loaded the machine is.
    expect(performance.now() - began).toBeLessThan(5 * round);
  });

  it('takes a package’s own folders for code, and a user’s folders of the same names for models', async () => {
    expect(isCode(folder, 'testing')).toBe(false);
    expect(isCode(folder, 'node_modules')).toBe(true);
    await writeFile(join(folder, 'package.json'), '{}');
    expect(isCode(folder, 'testing')).toBe(true);
    expect(isCode(folder, 'ultraface')).toBe(false);
  });
});
