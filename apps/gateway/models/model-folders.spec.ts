/** @needs weights */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { modelFolder, removeLeftFolders } from './model-folders.js';

it('folders of processes that died are removed, and those of the living, this one among them, stay', async () => {
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const folder = (name: string) => join(tmpdir(), name);
  // In a container the next life has the number of the one before.
  const left = [`adit-model-${dead}-0123abcd-aB3dE5`, `adit-model-${process.pid}-0123abcd-aB3dE5`].map(folder);
  const others = [`adit-model-${process.ppid}-0123abcd-aB3dE5`, `adit-model-aB3dE5`, `adit-model-add-aB3dE5`].map(
    folder,
  );
  const own = await modelFolder();
  try {
    for (const each of [...left, ...others]) {
      await mkdir(each);
      await writeFile(join(each, 'model.onnx'), 'half');
    }
    await removeLeftFolders();
    expect(left.filter((each) => existsSync(each))).toEqual([]);
    expect([own, ...others].filter((each) => !existsSync(each))).toEqual([]);
    expect(basename(own)).toMatch(new RegExp(`^adit-model-${process.pid}-`));
  } finally {
    for (const each of [own, ...left, ...others]) await rm(each, { recursive: true, force: true });
  }
});

it('without a folder for temporary files nothing is removed', async () => {
  await expect(removeLeftFolders('/no/such/folder')).resolves.toBeUndefined();
});
