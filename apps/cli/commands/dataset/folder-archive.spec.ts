import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzip } from '@adit/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { packFolder } from './folder-archive.js';

describe('a folder that is imported', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'adit-folder-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function packed(...paths: string[]): Promise<string[]> {
    const folder = join(root, 'people');
    for (const path of paths) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), 'x');
    }
    const archive = join(root, 'people.zip');
    await packFolder(folder, archive);
    return [...(await unzip(await readFile(archive))).keys()].sort();
  }

  it('the archive has the photos of each person', async () => {
    const files = ['Ada/1.jpg', 'Ada/1.jpg.json', 'Ada/old/2.jpg', 'Bob.png', 'README.txt', '.hidden/3.jpg'];
    expect(await packed(...files)).toEqual(['Ada/1.jpg', 'Bob/Bob.png']);
  });

  it.each([
    [['train/1.jpg', 'train/_annotations.coco.json', 'valid/2.jpg']],
    [['images/1.jpg', 'labels/1.txt', 'classes.txt']],
    [['export/Ada/1.jpg', 'export/Bob/2.jpg']],
  ])('a folder that a tool wrote is sent as it is, and the import decides about classes: %j', async (files) => {
    expect(await packed(...files)).toEqual([...files].sort());
  });

  it('takes nothing from elsewhere', async () => {
    await writeFile(join(root, 'secret.jpg'), 'x');
    await mkdir(join(root, 'people/a/b'), { recursive: true });
    await symlink(join(root, 'secret.jpg'), join(root, 'people/a/b/link.jpg'));
    expect(await packed('a/b/1.jpg')).toEqual(['a/b/1.jpg']);
    await expect(packFolder(join(root, 'nowhere'), join(root, 'x.zip'))).rejects.toThrow();
  });
});
