/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BusContext } from '@adit/bus';
import { AditError } from '@adit/contracts';
import { openDatabase, ProbeEntity, StorageEntryEntity, WorkspaceEntity, type Database } from '@adit/database';
import { chunkMemory } from '@adit/media';
import { FilesystemObjectStore } from '@adit/objects';
import { numberedFilm, specDatabase, transcode, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';
import { ProbeHandler } from './probe.handler.js';
import { ThumbnailHandler } from './thumbnail.handler.js';

/** Records its requests. */
class WatchedMemory extends MemoryAdmission {
  readonly asked: number[] = [];

  override admit<T>(bytes: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.asked.push(bytes);
    return super.admit(bytes, work, signal);
  }
}

describe('decoding outside of chunks', () => {
  const workspaceId = randomUUID();
  const context = { signal: new AbortController().signal } as BusContext;
  const ofFilm = chunkMemory({ width: 320, height: 240, bitDepth: 8 });
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: FilesystemObjectStore;
  let film: string;
  let memory: WatchedMemory;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-admitted-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    await database.dataSource.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
    film = join(folder, 'film.mp4');
    const made = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 2 }), '-vf', 'scale=320:240', '-pix_fmt', 'yuv420p'];
    await copyFile(await transcode('admitted.mp4', made), film);
  });
  beforeEach(() => {
    memory = new WatchedMemory(1e9);
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('waits for memory when a source is probed, and gives up with its job', async () => {
    const catalogue = new MediaCatalogue(database.dataSource, objects, DecoderConfig.parse({}), memory);
    let release = (): void => undefined;
    const held = memory.admit(1e9, () => new Promise<void>((resolve) => (release = resolve)));
    const file = { path: film, digest: 'd'.repeat(64) };
    const stopped = new AbortController();
    const given = catalogue.identify(workspaceId, file, stopped.signal);
    // It has requested memory, and waits.
    while (memory.asked.length < 2) await sleep(10);
    stopped.abort(new Error('the job was stopped'));
    await expect(given).rejects.toThrow('the job was stopped');
    const identified = catalogue.identify(workspaceId, file);
    while (memory.asked.length < 3) await sleep(10);
    release();
    expect((await identified).facts).toMatchObject({ kind: 'video', totalFrames: 50 });
    expect(memory.asked.slice(1, 3)).toEqual([ofFilm, ofFilm]);
    await held;
  });

  it('is admitted in a dry run', async () => {
    const config = DecoderConfig.parse({ localRoots: [folder] });
    const handler = new ProbeHandler(database.dataSource, objects, config, join(folder, 'work'), memory);
    const id = randomUUID();
    await database.dataSource.manager.insert(ProbeEntity, { id, workspaceId, sources: [film] });
    await handler.probe({ probeId: id }, context);
    const { results } = await database.dataSource.manager.findOneByOrFail(ProbeEntity, { id });
    expect(results).toMatchObject([{ facts: { kind: 'video' }, error: null }]);
    expect(memory.asked).toEqual([ofFilm]);
  });

  async function uploaded(key: string): Promise<number> {
    const bytes = await readFile(film);
    const { manager } = database.dataSource;
    const { id } = (
      await manager.insert(StorageEntryEntity, {
        ...{ workspaceId, key, folder: '/', name: 'film.mp4', isFolder: false, uploaded: true },
        ...{ size: String(bytes.length), contentType: 'video/mp4', thumbnail: 'requested' as const },
      })
    ).identifiers[0] as { id: number };
    await objects.put(`storage/${workspaceId}/${key}`, bytes);
    return id;
  }

  it('is admitted for a thumbnail', async () => {
    const id = await uploaded('k'.repeat(20));
    const { manager } = database.dataSource;
    const handler = new ThumbnailHandler(database.dataSource, objects, join(folder, 'work'), memory);
    await handler.make({ entryId: id }, context);
    expect(await manager.findOneByOrFail(StorageEntryEntity, { id })).toMatchObject({ thumbnail: 'made' });
    expect(memory.asked).toEqual([ofFilm]);
  });

  it('does not end a thumbnail that another attempt has begun since', async () => {
    const id = await uploaded('o'.repeat(20));
    const { manager } = database.dataSource;
    const overtaken = (work: () => Promise<never>) =>
      ({ read: work, get: work, open: work, stat: work, range: work }) as unknown as FilesystemObjectStore;
    const store = overtaken(async () => {
      await manager.increment(StorageEntryEntity, { id }, 'thumbnailAttempts', 1);
      throw new AditError('MEDIA_INVALID', 'nothing can be seen');
    });
    const handler = new ThumbnailHandler(database.dataSource, store, join(folder, 'work'), memory);
    await handler.make({ entryId: id }, context);
    const row = await manager.findOneByOrFail(StorageEntryEntity, { id });
    expect(row).toMatchObject({ thumbnail: 'requested', thumbnailAttempts: 2, thumbnailError: null });
  });
});
