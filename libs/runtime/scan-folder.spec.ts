import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { scanFolder } from './scan-folder.js';

describe('scanFolder', () => {
  let folder: string;
  const write = async (name: string, file: string, text: string) => {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, file), text);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-scan-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('answers default exports in the order of names, built or from source, and passes over other folders', async () => {
    await write('shots', 'part.js', 'export default { id: 1 };');
    await write('colours', 'part.ts', 'export default { id: 2 };');
    await write('notes', 'other.js', 'export default { id: 3 };');
    await writeFile(join(folder, 'part.js'), 'export default { id: 4 };');
    const found = await scanFolder<{ id: number }>(folder, 'part');
    expect(found).toEqual([
      { name: 'colours', file: join(folder, 'colours/part.ts'), definition: { id: 2 } },
      { name: 'shots', file: join(folder, 'shots/part.js'), definition: { id: 1 } },
    ]);
  });

  it('says where a file exports nothing, and throws what a file throws', async () => {
    await write('shots', 'part.js', 'export const id = 1;');
    expect((await scanFolder(folder, 'part'))[0]?.definition).toBeUndefined();
    await write('cuts', 'part.js', 'throw new Error("broken");');
    await expect(scanFolder(folder, 'part')).rejects.toThrow('broken');
  });
});
