/** @needs weights, servers */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, modelId, ModelManifest } from '@adit/contracts';
import {
  JobModuleEntity,
  ModelVersionEntity,
  ObjectRemovalEntity,
  openDatabase,
  WorkspaceModelEntity,
  type Database,
  type DatabaseConfig,
} from '@adit/database';
import { ModelRepository, readVersion, writeModelVersion } from '@adit/inference';
import { FilesystemObjectStore, openObjectStore, type ObjectStore } from '@adit/objects';
import { describeWith, freshDatabase, uniqueName } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ModelCache } from './model-cache.js';
import { ModelStore, type StoredVersion } from './model-store.js';
import { StoredModels } from './stored-models.js';

const HOUR = 3_600_000;

interface Place {
  database: DatabaseConfig;
  objects: ObjectStore;
  drop(): Promise<void>;
}

/** Suite of a store over one database and one object store; every simulated process has its own caches. */
function modelStore(where: string, open: (folder: string) => Promise<Place>): void {
  describe(`the model store on ${where}`, () => {
    let folder: string;
    let place: Place;
    const databases: Database[] = [];
    const opened: { close(): Promise<void> }[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'adit-model-store-'));
      place = await open(folder);
    });
    // Each of them polls for new versions fifty times a second.
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });
    afterAll(async () => {
      for (const each of databases) await each.close();
      await place?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    /** A simulated process; it has its own database connection where several are possible. */
    const shared = new Map<string, Promise<Database>>();
    async function process(options: { maxBytes?: number; roots?: string[] } = {}) {
      const isServer = place.database.driver === 'postgres';
      const key = isServer ? randomUUID() : 'one';
      const opening = shared.get(key) ?? openDatabase(place.database);
      shared.set(key, opening);
      const database = await opening;
      if (!databases.includes(database)) databases.push(database);
      const store = new ModelStore(database.dataSource, place.objects);
      const path = join(folder, `cache-${randomUUID()}`);
      const cache = new ModelCache(place.objects, { folder: path, maxBytes: options.maxBytes ?? 1e9 });
      const repository = await ModelRepository.open({
        roots: options.roots ?? [],
        shared: new StoredModels(store, cache),
        settleMs: 0,
        watch: true,
        sharedPollMs: 20,
      });
      opened.push(cache, repository);
      return { store, cache, path, repository, db: database.dataSource };
    }

    const manifest = (name: string, more: Partial<ModelManifest> = {}) =>
      ModelManifest.parse({ name, kind: 'network', task: 'spec', licence: 'private', origin: 'a spec', ...more });

    async function draft(name: string, content: string | Buffer, more: Partial<ModelManifest> = {}) {
      const at = await mkdtemp(join(folder, 'draft-'));
      await writeFile(join(at, 'model.onnx'), content);
      const described = manifest(name, more);
      const { pin, files } = await readVersion(at, described, 1);
      return { manifest: described, digest: pin.digest, folder: at, files, workspaceId: null };
    }
    const fresh = (prefix: string) => `${prefix}-${randomUUID().slice(0, 8)}`;
    const code = (error: unknown) => AditError.from(error).code;

    it('gives every process the versions that one of them stored, by digest, and fetches them when they are run', async () => {
      const [one, other] = [await process(), await process()];
      const name = fresh('net');
      const pin = await one.store.publish({
        ...(await draft(name, 'graph 1')),
        changelog: 'first',
        metrics: { f1: 0.9 },
      });
      expect(pin).toMatchObject({ modelId: modelId(name), name, version: 1 });
      const seen = await other.repository.pinned(pin.digest);
      expect([seen.pin, seen.builtIn]).toEqual([{ name, version: 1, digest: pin.digest }, false]);
      expect(other.repository.resolve(name).pin.version).toBe(1);
      expect(await readdir(other.path).catch(() => [])).toEqual([]);
      expect((await other.repository.readFile(seen.pin, 'model.onnx')).toString()).toBe('graph 1');
      expect(await readdir(other.path)).toEqual([pin.digest]);
      const row = await one.db.manager.findOneByOrFail(ModelVersionEntity, { digest: pin.digest });
      expect(row).toMatchObject({ changelog: 'first', metrics: { f1: 0.9 }, versionNumber: 1 });
    });

    it('reads a manifest once, however many versions are published beside it', async () => {
      const { store, cache, db } = await process();
      const shared = new StoredModels(store, cache);
      const name = fresh('labels');
      const manifests = async () =>
        (await shared.list()).filter(({ pin }) => pin.name === name).map(({ manifest: offered }) => offered);
      await store.publish(await draft(name, 'graph 1', { labels: ['a', 'b'] }));
      const [first] = await manifests();
      expect(first).toEqual(manifest(name, { labels: ['a', 'b'] }));
      const asked = jest.spyOn(store, 'versions');
      await store.publish(await draft(name, 'graph 2', { labels: ['a', 'b'] }));
      const [again, second] = await manifests();
      expect(again).toBe(first);
      expect(second).toEqual(first);
      const rows = (await asked.mock.results.at(-1)!.value) as StoredVersion[];
      const own = rows.filter((row) => row.name === name);
      expect(own.map((row) => row.manifest === null)).toEqual([true, false]);
      // The default version is no part of the manifest.
      await store.promote(modelId(name), 1);
      const promoted = await manifests();
      expect(promoted).toEqual([first, second].map((each) => ({ ...each, defaultVersion: 1 })));
      await store.publish(await draft(name, 'graph 3'));
      const [kept, alike, third] = await manifests();
      expect([kept, alike]).toEqual(promoted);
      expect([kept === promoted[0], alike === promoted[1], third!.labels]).toEqual([true, true, undefined]);
      // A manifest of another build that this one does not understand: logged once, and omitted.
      const { length } = await manifests();
      await db.query(`UPDATE model_versions SET manifest = '{}', digest = $1 WHERE digest = $2`, [
        'e'.repeat(64),
        own[1]!.digest,
      ]);
      expect(await manifests()).toHaveLength(length - 1);
    });

    it('numbers concurrent versions, and stores one digest once', async () => {
      const processes = [await process(), await process(), await process()];
      const name = fresh('crowd');
      const drafts = await Promise.all(Array.from({ length: 9 }, (_, at) => draft(name, `graph ${at % 6}`)));
      const pins = await Promise.all(drafts.map((given, at) => processes[at % 3]!.store.publish(given)));
      expect(new Set(pins.map(({ version }) => version))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
      expect(new Set(pins.map(({ digest, version }) => `${digest} ${version}`)).size).toBe(6);
      const [{ db }] = processes as [(typeof processes)[0]];
      const kept = await db.manager.findBy(ModelVersionEntity, { modelId: modelId(name) });
      const prefixes = new Set<string>();
      for await (const { key } of place.objects.list(`models/${modelId(name)}/`)) prefixes.add(key.slice(0, -10));
      expect(prefixes).toEqual(new Set(kept.map(({ objectPrefix }) => objectPrefix)));
      expect(await db.manager.count(ObjectRemovalEntity)).toBe(0);
    });

    it('reserves a name for one kind of model, also for two concurrent ones', async () => {
      const { store } = await process();
      const name = fresh('sort');
      const gallery = { kind: 'gallery', task: 'face-gallery' } as const;
      const both = await Promise.allSettled([
        store.publish(await draft(name, 'a network')),
        store.publish({ ...(await draft(name, 'people')), manifest: manifest(name, gallery) }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const [lost] = both.flatMap((each) => (each.status === 'rejected' ? [code(each.reason)] : []));
      expect(lost).toBe('CONFLICT');
    });

    it('resolves a name to the promoted version, else the highest, and never to a retired one', async () => {
      const { store, repository } = await process();
      const name = fresh('steps');
      for (const content of ['a', 'b', 'c']) await store.publish(await draft(name, content));
      const named = async () => {
        await repository.refresh();
        return repository.resolve(name).pin.version;
      };
      const id = modelId(name);
      expect(await named()).toBe(3);
      await store.promote(id, 1);
      expect(await named()).toBe(1);
      await store.publish(await draft(name, 'd'));
      expect(await named()).toBe(1);
      await store.retire(id, 1);
      expect(await named()).toBe(4);
      const { pin } = repository.resolve(name, 4);
      await store.retire(id, 4);
      expect(await named()).toBe(3);
      expect(() => repository.resolve(name, 4)).toThrow(`Model ${name} version 4 is not installed`);
      // A job that was posted with it still runs it.
      expect((await repository.readFile(pin, 'model.onnx')).toString()).toBe('d');
      await store.promote(id, 4);
      expect(await named()).toBe(4);
      await expect(store.retire(id, 9)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('keeps versions that a job refers to, and removes retired ones without jobs', async () => {
      const { store, repository, db } = await process();
      const name = fresh('old');
      const [used, unused, offered] = await Promise.all(
        ['a', 'b', 'c'].map(async (content) => store.publish(await draft(name, content))),
      );
      const { modelId: _, ...pin } = used!;
      const jobId = randomUUID();
      await db.query(
        `INSERT INTO job_modules (job_id, module_id, position, posted_as, args, models, analyses, state)
         VALUES ($1, 'spec', 0, 'spec', '{}', $2, '{}', 'completed')`,
        [jobId, JSON.stringify([pin])],
      );
      await store.retire(modelId(name), used!.version);
      await store.retire(modelId(name), unused!.version);
      await store.sweep(new Date());
      expect(await db.manager.countBy(ModelVersionEntity, { modelId: modelId(name) })).toBe(3);
      await store.sweep(new Date(Date.now() + 2 * HOUR));
      const left = await db.manager.findBy(ModelVersionEntity, { modelId: modelId(name) });
      expect(left.map(({ digest }) => digest).sort()).toEqual([used!.digest, offered!.digest].sort());
      expect((await repository.readFile(pin, 'model.onnx')).length).toBe(1);
      await db.manager.delete(JobModuleEntity, { jobId });
      await store.sweep(new Date(Date.now() + 2 * HOUR));
      const keys: string[] = [];
      for await (const { key } of place.objects.list(`models/${modelId(name)}/`)) keys.push(key);
      expect(keys).toHaveLength(1);
    });

    it('leaves the files of a swept version to the object sweeper when they cannot be removed now', async () => {
      const { store, db } = await process();
      const name = fresh('dying');
      const { version } = await store.publish(await draft(name, 'a'));
      const row = await db.manager.findOneByOrFail(ModelVersionEntity, { modelId: modelId(name) });
      await store.retire(modelId(name), version);
      const lost = new Proxy(place.objects, {
        get: (objects, key) =>
          key === 'deletePrefix' ? () => Promise.reject(new Error('no store')) : Reflect.get(objects, key),
      });
      await expect(new ModelStore(db, lost).sweep(new Date(Date.now() + 2 * HOUR))).rejects.toThrow('no store');
      expect(await db.manager.countBy(ModelVersionEntity, { modelId: modelId(name) })).toBe(0);
      const noted = await db.manager.delete(ObjectRemovalEntity, { prefix: row.objectPrefix ?? '' });
      expect(noted.affected).toBe(1);
    });

    it('restores a model that its workspace deleted, also when the same files are added again', async () => {
      const { store, db } = await process();
      const given = { ...(await draft(fresh('again'), 'a')), workspaceId: randomUUID() };
      const first = await store.publish(given);
      const place = { workspaceId: given.workspaceId, modelId: first.modelId };
      await db.manager.insert(WorkspaceModelEntity, { ...place, deletedVersions: [`1 ${given.digest}`] });
      await store.retire(first.modelId, 1);
      await store.sweep(new Date(Date.now() + 2 * HOUR));
      // It has a number of its own: statements about the first one do not apply.
      expect(await store.publish(given)).toEqual({ ...first, version: 2 });
      expect(await db.manager.findOneBy(WorkspaceModelEntity, place)).toMatchObject({ deletedVersions: null });
    });

    it('prefers a folder of this machine, and isolates a workspace’s own models', async () => {
      const name = fresh('both');
      const roots = [await mkdtemp(join(folder, 'models-'))];
      const { store, repository } = await process({ roots });
      const stored = await store.publish(await draft(name, 'stored'));
      await writeModelVersion(roots[0]!, {
        manifest: manifest(name),
        weights: 'model.onnx',
        write: (at) => writeFile(join(at, 'model.onnx'), 'dropped'),
      });
      await repository.refresh();
      const read = async (digest: string) =>
        (await repository.readFile({ name, version: 1, digest }, 'model.onnx')).toString();
      expect(await read(repository.resolve(name).pin.digest)).toBe('dropped');
      expect(await read(stored.digest)).toBe('stored');

      const workspaceId = randomUUID();
      const own = await store.publish({ ...(await draft(name, 'own')), workspaceId });
      expect(own).toMatchObject({ modelId: modelId(name, workspaceId), version: 1 });
      expect(await read(own.digest)).toBe('own');
      expect(repository.resolve(name).pin.digest).not.toBe(own.digest);
      const listed = repository.list().filter(({ pin }) => pin.name === name);
      expect(listed.map(({ stored: kept }) => kept?.workspaceId)).toEqual([undefined, workspaceId]);
    });

    it('refuses files that changed after they were stored', async () => {
      const { store, repository, path, db } = await process();
      const given = await draft(fresh('other'), 'graph');
      const pin = await store.publish(given);
      const { objectPrefix } = await db.manager.findOneByOrFail(ModelVersionEntity, { digest: pin.digest });
      await place.objects.put(`${objectPrefix}model.onnx`, Buffer.from('grape'));
      await expect(repository.readFile(pin, 'model.onnx')).rejects.toThrow('in the object store has SHA-256');
      expect((await readdir(path)).filter((entry) => !entry.startsWith('.'))).toEqual([]);
      await place.objects.delete(`${objectPrefix}model.onnx`);
      expect(code(await repository.readFile(pin, 'model.onnx').catch((error: unknown) => error))).toBe(
        'MODEL_NOT_INSTALLED',
      );
      await writeFile(join(given.folder, 'model.onnx'), 'something else');
      const next = { ...given, digest: 'f'.repeat(64) };
      await expect(store.publish(next)).rejects.toThrow('changed while it was stored');
      expect(await db.manager.countBy(ModelVersionEntity, { digest: next.digest })).toBe(0);
    });

    it('keeps a bounded cache: the least recently used goes, one in use stays', async () => {
      const { store, repository, cache, path } = await process({ maxBytes: 2_500 });
      const publish = async (at: number) => store.publish(await draft(fresh('big'), Buffer.alloc(1_000, at)));
      const pins = [await publish(1), await publish(2), await publish(3), await publish(4)] as const;
      await repository.refresh();
      const read = (at: number) => repository.readFile(pins[at]!, 'model.onnx');
      const kept = async () => (await readdir(path)).sort();
      const digests = (...at: number[]) => at.map((index) => pins[index]!.digest).sort();
      await read(0);
      await read(1);
      await read(0);
      await read(2);
      expect(await kept()).toEqual(digests(0, 2));
      const release = await repository.byDigest(pins[0].digest).stored!.hold();
      await read(1);
      await read(3);
      expect(await kept()).toEqual(digests(0, 3));
      // Another process on this machine respects versions in use, too.
      const neighbour = new ModelCache(place.objects, { folder: path, maxBytes: 1 });
      const held = repository.byDigest(pins[3].digest);
      const letGo = await held.stored!.hold();
      await (neighbour as unknown as { shrink(bytes: number): Promise<void> }).shrink(1);
      expect(await kept()).toEqual(digests(0, 3));
      release();
      letGo();
      expect(await cache.size()).toBeLessThanOrEqual(2_500);
      // Files that were damaged meanwhile are fetched anew.
      await writeFile(join(path, pins[0].digest, 'model.onnx'), Buffer.alloc(1_000, 9));
      await neighbour.close();
      const again = new ModelCache(place.objects, { folder: path, maxBytes: 2_500 });
      const [fetched] = (await store.versions()).filter(({ digest }) => digest === pins[0].digest);
      const done = await again.hold(fetched!);
      expect([...(await readFile(join(again.pathOf(pins[0].digest), 'model.onnx'))).subarray(0, 2)]).toEqual([1, 1]);
      done();
      await again.close();
    });
  });
}

modelStore('one machine', async (folder) => ({
  database: { driver: 'pglite', directory: null },
  objects: await FilesystemObjectStore.open(join(folder, 'objects')),
  drop: () => Promise.resolve(),
}));

await describeWith(['postgres', 'minio'], 'on servers', ({ postgres, minio }) => {
  modelStore('PostgreSQL and MinIO', async () => {
    const { url, drop } = await freshDatabase(postgres.url);
    const objects = await openObjectStore({ driver: 'minio', ...minio, bucket: uniqueName('models') });
    return { database: { driver: 'postgres', url }, objects, drop };
  });
});
