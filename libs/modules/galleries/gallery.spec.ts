import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelManifest } from '@adit/contracts';
import { load } from 'js-yaml';
import { dot } from './embedding.js';
import { planGalleryFolder } from './gallery-folder.js';
import { classIdOf, writeGalleryVersion } from './gallery-writer.js';
import { readGallery } from './gallery.js';
import { DIMENSIONS, viewOf } from '../face_recognition/testing/scenes.js';

const OPTIONS = { embedding: { name: 'face-embedding', digest: 'e'.repeat(64) }, dimensions: DIMENSIONS };
const PEOPLE = [
  { label: 'Ann', embeddings: [viewOf(1, 1).vector, viewOf(1, 2).vector.map((value) => value * 3)] },
  { label: 'Bob', embeddings: [Array.from(viewOf(2, 1).vector)] },
  { label: 'Nobody', embeddings: [] },
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-gallery-'));
});
afterEach(() => rm(folder, { recursive: true }));

const readVersion = (name: string, version: number) =>
  readGallery(name, (file) => readFile(join(folder, name, String(version), file)));
const manifest = async (name: string) =>
  ModelManifest.parse(load(await readFile(join(folder, name, 'model.yaml'), 'utf8')));

describe('a gallery', () => {
  it('is read as it was written, with rows of length 1, without people who have no face', async () => {
    const written = await writeGalleryVersion(folder, 'team', PEOPLE, OPTIONS);
    expect(written).toEqual({ name: 'team', version: 1, folder: join(folder, 'team', '1'), people: 2, rows: 3 });
    const gallery = await readVersion('team', 1);
    expect(gallery).toMatchObject({
      ...OPTIONS,
      custom: true,
      rows: [0, 0, 1],
      classes: [
        { id: classIdOf('team', 'Ann'), label: 'Ann', images: 2 },
        { id: classIdOf('team', 'Bob'), label: 'Bob', images: 1 },
      ],
    });
    const second = gallery.vectors.subarray(DIMENSIONS, 2 * DIMENSIONS);
    expect(dot(second, second)).toBeCloseTo(1, 5);
    expect(dot(second, viewOf(1, 2).vector)).toBeCloseTo(1, 5);
  });

  it('is a model of the repository, with a digest per version', async () => {
    await writeGalleryVersion(folder, 'team', PEOPLE, { ...OPTIONS, isDefault: true, licence: 'internal' });
    await writeGalleryVersion(folder, 'team', PEOPLE.slice(0, 1), OPTIONS);
    expect(await manifest('team')).toMatchObject({
      name: 'team',
      kind: 'gallery',
      task: 'face-gallery',
      embedding: 'face-embedding',
      embeddedWith: { '1': OPTIONS.embedding.digest, '2': OPTIONS.embedding.digest },
      dimensions: DIMENSIONS,
      modules: ['face_recognition'],
      isDefault: true,
      licence: 'internal',
      sha256: { '1': expect.stringMatching(/^[0-9a-f]{64}$/), '2': expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect((await readVersion('team', 2)).classes[0]?.id).toBe((await readVersion('team', 1)).classes[0]?.id);
    expect((await readdir(join(folder, 'team'))).sort()).toEqual(['1', '2', 'model.yaml']);
    expect(await readdir(folder)).toEqual(['team']);
  });

  it('of a user’s network states its matching distance, and earlier builds refuse it', async () => {
    const ours = { ...OPTIONS, embedding: { name: 'ours', digest: 'a'.repeat(64), maxDistance: 1.1 } };
    await writeGalleryVersion(folder, 'team', PEOPLE, ours);
    expect(await manifest('team')).toMatchObject({
      ...{ embedding: 'ours', embeddedWith: { '1': 'a'.repeat(64) }, maxDistance: 1.1 },
    });
    const { embedding, maxDistance } = await readVersion('team', 1);
    expect([embedding, maxDistance]).toEqual([{ name: 'ours', digest: 'a'.repeat(64) }, 1.1]);
    await expect(writeGalleryVersion(folder, 'team', PEOPLE, OPTIONS)).rejects.toThrow(
      /The versions of team are made with ours: a face gallery of face-embedding needs a name of its own/,
    );
    await writeGalleryVersion(folder, 'cast', PEOPLE, OPTIONS);
    expect(Object.keys(await readVersion('cast', 1))).not.toContain('maxDistance');
  });

  it('gets a version per concurrent writer', async () => {
    const written = await Promise.all([1, 2, 3, 4].map(() => writeGalleryVersion(folder, 'team', PEOPLE, OPTIONS)));
    expect(written.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ['a name that is a path', '../team', PEOPLE, /no name for a face gallery/],
    ['a hidden name', '.team', PEOPLE, /no name for a face gallery/],
    ['nobody', 'team', PEOPLE.slice(2), /gallery is empty/],
    ['two people of one name', 'team', [PEOPLE[0], PEOPLE[0]], /same name/],
    [
      'an embedding of another network',
      'team',
      [{ label: 'Cem', embeddings: [[1, 2, 3]] }],
      /has not 512 usable values/,
    ],
    ['an empty embedding', 'team', [{ label: 'Cem', embeddings: [new Float32Array(DIMENSIONS)] }], /Cem has not 512/],
    [
      'not a number',
      'team',
      [{ label: 'Cem', embeddings: [new Float32Array(DIMENSIONS).fill(NaN)] }],
      /Cem has not 512/,
    ],
  ])('is refused with %s, and leaves nothing behind', async (_, name, people, message) => {
    await expect(writeGalleryVersion(folder, name, people as typeof PEOPLE, OPTIONS)).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual([]);
  });

  it('never replaces another model', async () => {
    await mkdir(join(folder, 'objects'));
    await writeFile(
      join(folder, 'objects', 'model.yaml'),
      'name: objects\nkind: network\ntask: x\nlicence: MIT\norigin: x\n',
    );
    await expect(writeGalleryVersion(folder, 'objects', PEOPLE, OPTIONS)).rejects.toThrow(/choose another name/);
    expect(await readdir(join(folder, 'objects'))).toEqual(['model.yaml']);
  });

  it('reports when it is damaged', async () => {
    await writeGalleryVersion(folder, 'team', PEOPLE, OPTIONS);
    await writeFile(join(folder, 'team', '1', 'embeddings.bin'), Buffer.alloc(100));
    await expect(readVersion('team', 1)).rejects.toThrow(/gallery team cannot be used: embeddings.bin has 100 bytes/);
    await writeFile(join(folder, 'team', '1', 'gallery.json'), '{"format":2}');
    await expect(readVersion('team', 1)).rejects.toThrow(/not a gallery of format 1/);
  });

  it('has class ids that are UUIDs of version 5', () => {
    expect(classIdOf('team', 'Ann')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(classIdOf('team', 'Zoe\u0308')).toBe(classIdOf('team', 'Zo\u00eb'));
    expect(classIdOf('team', 'Ann')).not.toBe(classIdOf('cast', 'Ann'));
  });
});

describe('a folder of photos', () => {
  const put = async (...files: string[]) => {
    for (const file of files) {
      await mkdir(join(folder, 'people', file, '..'), { recursive: true });
      await writeFile(join(folder, 'people', file), 'x');
    }
  };
  const plan = async () =>
    (await planGalleryFolder(join(folder, 'people'))).map(({ label, files }) => [
      label,
      ...files.map((file) => file.slice(join(folder, 'people').length + 1)),
    ]);

  it('names people by folders and files', async () => {
    await put(
      'Bob/2.PNG',
      'Bob/1.jpg',
      'Bob/notes.txt',
      'Ann B.jpeg',
      'Cem.png',
      'Cem/x.jpg',
      '.cache/x.jpg',
      'read.me',
    );
    expect(await plan()).toEqual([
      ['Ann B', 'Ann B.jpeg'],
      ['Bob', 'Bob/1.jpg', 'Bob/2.PNG'],
      ['Cem', 'Cem.png', 'Cem/x.jpg'],
    ]);
  });

  it('reports its errors', async () => {
    await expect(plan()).rejects.toThrow(/is not a folder/);
    await put('read.me');
    await expect(plan()).rejects.toThrow(/shows nobody/);
    await put('Bob/notes.txt');
    await expect(plan()).rejects.toThrow(/Bob has no photos/);
  });

  it('is never left through a link', async () => {
    await put('Bob/1.jpg');
    await writeFile(join(folder, 'secret.jpg'), 'x');
    await symlink(join(folder, 'secret.jpg'), join(folder, 'people', 'Bob', '2.jpg'));
    await expect(plan()).rejects.toThrow(/leads out of/);
    await rm(join(folder, 'people', 'Bob', '2.jpg'));
    await symlink(join(folder, 'nowhere'), join(folder, 'people', 'Eve.jpg'));
    await expect(plan()).rejects.toThrow(/leads nowhere/);
  });
});
