import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FamilyRegistry, MODEL_FAMILIES } from './index.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-families-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function family(name: string, fields: object): Promise<void> {
  await mkdir(join(folder, name));
  const written = { name, task: 'any', decodings: [], uses: [], precedence: 1, ...fields };
  await writeFile(join(folder, name, 'family.js'), `export default ${JSON.stringify(written)};`);
}

describe('a folder of families', () => {
  it('registers a new family: asked by precedence, found by name and by decoding', async () => {
    const uses = [{ module: 'object_scene_recognition', analysis: 'objects' }];
    await family('masks', { decodings: ['sam'], uses, precedence: 5 });
    await family('depth', { precedence: 9 });
    await mkdir(join(folder, 'no-family'));
    const families = await FamilyRegistry.scan(folder);
    expect(families.all().map(({ name }) => name)).toEqual(['depth', 'masks']);
    expect(families.usable().map(({ name }) => name)).toEqual(['masks']);
    expect(families.withDecoding('sam')?.name).toBe('masks');
    expect(families.analysisFor('object_scene_recognition', 'masks')).toBe('objects');
    expect(families.analysisFor('object_scene_recognition', 'depth')).toBeNull();
    expect(families.analysisFor('face_recognition', 'masks')).toBeNull();
    expect(families.find('no-family')).toBeUndefined();
  });

  it('is refused when a name differs from its folder, or a decoding belongs to another family', async () => {
    await family('a', { name: 'b' });
    await expect(FamilyRegistry.scan(folder)).rejects.toThrow(/must export by default a family named a/);
    await rm(join(folder, 'a'), { recursive: true });
    await family('c', { decodings: ['same'] });
    await family('d', { decodings: ['same'] });
    await expect(FamilyRegistry.scan(folder)).rejects.toThrow('The families c and d both have a decoding same.');
  });
});

describe('the families of Adit', () => {
  it('describe every required manifest field in words', () => {
    expect(MODEL_FAMILIES.all().length).toBeGreaterThanOrEqual(9);
    for (const { name, needs } of MODEL_FAMILIES.all()) {
      for (const [field, { description }] of Object.entries(needs.shape)) {
        expect(`${name}: ${String(description)}`).toContain(`: ${field} (`);
      }
    }
  });
});
