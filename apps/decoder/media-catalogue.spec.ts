/** @needs ffmpeg */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MediaEntity, openDatabase, type Database } from '@adit/database';
import { FilesystemObjectStore } from '@adit/objects';
import { numberedFilm, specDatabase, transcode, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';

describe('the catalogue entry of a film', () => {
  const workspaceId = randomUUID();
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: FilesystemObjectStore;
  let film: { path: string; digest: string };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-catalogue-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(folder);
    const path = await transcode('catalogue.mp4', ['-f', 'lavfi', '-i', numberedFilm({ seconds: 2 })]);
    film = {
      path,
      digest: createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    };
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Simulates another process without a cache. */
  const catalogue = () =>
    new MediaCatalogue(database.dataSource, objects, DecoderConfig.parse({}), new MemoryAdmission(1e9));
  const row = () => database.dataSource.manager.findOneByOrFail(MediaEntity, { workspaceId, digest: film.digest });

  /** @hardening jobs: A frame index or observations expire under running jobs */
  it('is extended with each use', async () => {
    await catalogue().identify(workspaceId, film);
    const tomorrow = new Date(Date.now() + 86_400_000);
    await database.dataSource.manager.update(MediaEntity, { digest: film.digest }, { timeExpires: tomorrow });
    await catalogue().identify(workspaceId, film);
    expect((await row()).timeExpires.getTime()).toBeGreaterThan(tomorrow.getTime() + 5 * 86_400_000);
  });

  /** @hardening privacy: Facts of an erased film are written again by a clip of it */
  it('is not made by a look at a film that is not known', async () => {
    await database.dataSource.manager.delete(MediaEntity, { workspaceId });
    const consulting = catalogue();
    const { film: seen } = await consulting.consult(workspaceId, film);
    expect((await consulting.consult(workspaceId, film)).film?.index.totalFrames).toBe(seen?.index.totalFrames);
    expect(await database.dataSource.manager.countBy(MediaEntity, { workspaceId })).toBe(0);
    const { film: identified } = await catalogue().identify(workspaceId, film);
    expect(seen?.index.totalFrames).toBe(identified?.index.totalFrames);
    const before = await row();
    expect((await catalogue().consult(workspaceId, film)).film?.grid).toEqual(identified?.grid);
    expect(await row()).toMatchObject({ generation: before.generation });
  });

  it('gets a new folder when it is created again', async () => {
    await catalogue().identify(workspaceId, film);
    const { indexKey: before } = await row();
    await database.dataSource.manager.delete(MediaEntity, { workspaceId });
    await catalogue().identify(workspaceId, film);
    const { indexKey, generation } = await row();
    expect(indexKey).toContain(`/${generation!}/`);
    expect(indexKey).not.toBe(before);
  });

  it('is probed again when its frame index is gone', async () => {
    const { film: known } = await catalogue().identify(workspaceId, film);
    const lose = async () => objects.delete((await row()).indexKey!);
    await lose();
    expect((await catalogue().frameIndex(workspaceId, film)).totalFrames).toBe(known!.index.totalFrames);
    await lose();
    const again = await catalogue().identify(workspaceId, film);
    expect(again.film!.grid).toEqual(known!.grid);
    expect(again.film!.index.totalFrames).toBe(50);
    // Stored again: it is read, not probed.
    const gone = { ...film, path: join(folder, 'nowhere') };
    expect((await catalogue().frameIndex(workspaceId, gone)).totalFrames).toBe(50);
  });
});
