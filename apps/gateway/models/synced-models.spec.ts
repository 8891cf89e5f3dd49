/** @needs build, servers, time */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FollowedVersion, Job, Model, modelId } from '@adit/contracts';
import { SyncedModelEntity, JobModuleEntity, LeaseEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { detectorGraph } from '@adit/inference/spec-graph';
import { ModelStore } from '@adit/model-store';
import { describeWith, RawBucket, uniqueName } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { SyncedModels } from './synced-models.js';
import { SyncedRows } from './synced-rows.js';
import { ServedModels } from './served-models.js';

const LONG = 300_000;
const HOME = join(import.meta.dirname, '../../../models/general-c');
const HOUR = 3600;

/** Folder of the models, as their publisher sees it. */
interface Place {
  address: string;
  settings: Partial<GatewayConfig>;
  put(name: string, content: Uint8Array | string): Promise<void>;
  delete(name: string): Promise<void>;
  remove(): Promise<void>;
}

async function aFolder(): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'adit-followed-'));
  return {
    address: pathToFileURL(root).href,
    settings: {},
    async put(name, content) {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      const before = Date.now() / 1000 - HOUR;
      await utimes(path, before, before);
    },
    delete: (name) => rm(join(root, name)),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Bytes of a graph of the same answers: with something in its metadata. */
function another(graph: Buffer, value: string): Buffer {
  const entry = Buffer.from(`\x0a\x01k\x12${String.fromCharCode(value.length)}${value}`, 'latin1');
  return Buffer.concat([graph, Buffer.from([0x72, entry.length]), entry]);
}

function syncs(makePlace: () => Promise<Place>): void {
  let place: Place;
  let gateway: TestGateway;
  let graph: Buffer;
  let yaml: string;

  beforeAll(async () => {
    place = await makePlace();
    gateway = await startGateway({
      ...place.settings,
      syncedModels: place.address,
      syncedModelsSeconds: 86_400,
      maxModelBytes: 32 << 20,
    });
    graph = detectorGraph();
    yaml = (await readFile(join(HOME, 'model.yaml'), 'utf8'))
      .replace(/^sha256:\n( {2}.*\n?)*/m, '')
      .replace(/^isDefault:.*\n/m, '');
  }, BOOT_MS);
  afterAll(async () => {
    await gateway?.close();
    await place?.remove();
  });

  const yamlOf = (name: string) => yaml.replace(/^name: .*/m, `name: ${name}\nfamily: detector\ndecoding: nanodet`);
  const service = (config: Partial<GatewayConfig> = {}): SyncedModels => {
    const { app, db } = gateway;
    const get = <T>(token: unknown): T => app.get(token as never, { strict: false });
    return new SyncedModels(
      db,
      get<SyncedRows>(SyncedRows),
      get<ModelStore>(ModelStore),
      get<ModelRepository>(ModelRepository),
      get<ServedModels>(ServedModels),
      { ...get<GatewayConfig>(GATEWAY_CONFIG), ...config },
    );
  };
  const round = async (): Promise<FollowedVersion[]> => {
    const own = gateway.app.get(SyncedModels, { strict: false });
    own.nudge();
    await own.idle();
    return rows();
  };
  const rows = async (): Promise<FollowedVersion[]> =>
    FollowedVersion.array().parse((await gateway.ask('GET', '/api/v1/models/followed/')).json());
  const row = async (name: string, version = 1) =>
    (await round()).find((each) => each.name === name && each.version_number === version);
  const model = async (name: string) => {
    const { status, json } = await gateway.ask('GET', `/api/v1/models/${modelId(name)}/`);
    return status === 200 ? Model.parse(json()) : status;
  };
  const put = async (name: string, version = 1, bytes: Uint8Array | string = graph) => {
    await place.put(`${name}/model.yaml`, yamlOf(name));
    await place.put(`${name}/${version}/model.onnx`, bytes);
  };

  it(
    'is published for all workspaces, under its numbers, and jobs name it',
    async () => {
      await put('helmets', 3);
      expect(await row('helmets', 3)).toMatchObject({ state: 'published', problem: null });
      const found = Model.parse(await model('helmets'));
      expect(found).toMatchObject({ scope: 'installation', family: 'detector', default_version: 3 });
      expect(found.versions.map(({ version_number: number }) => number)).toEqual([3]);
      // The numbers are the bucket's, also when an earlier one comes later.
      await put('helmets', 1, another(graph, 'one'));
      await round();
      expect(
        Model.parse(await model('helmets'))
          .versions.map(({ version_number: n }) => n)
          .sort(),
      ).toEqual([1, 3]);
      expect(await model('helmets')).toMatchObject({ default_version: 3 });
    },
    LONG,
  );

  it(
    'never changes under a number, and says so',
    async () => {
      const before = await model('helmets');
      await place.put('helmets/3/model.onnx', another(graph, 'others'));
      const changed = await row('helmets', 3);
      expect(changed).toMatchObject({
        state: 'published',
        problem: expect.stringContaining('a version never changes'),
      });
      expect(await model('helmets')).toEqual(before);
      await place.put('helmets/3/model.onnx', 'no graph at all');
      expect(await row('helmets', 3)).toMatchObject({ state: 'published', problem: expect.any(String) });
      expect(await model('helmets')).toEqual(before);
      await place.put('helmets/3/model.onnx', graph);
      expect(await row('helmets', 3)).toMatchObject({ state: 'published', problem: null });
      expect(await model('helmets')).toEqual(before);
    },
    LONG,
  );

  it(
    'is retired when it goes, but not under a job, and comes back with its own bytes alone',
    async () => {
      const job = {
        sources: ['https://example.org/a.jpg'],
        modules: { object_scene_recognition: { model: 'helmets@1' } },
      };
      const posted = await gateway.ask('POST', '/api/v1/jobs/', job);
      expect(posted.status).toBe(200);
      const { id: jobId } = Job.parse(posted.json());
      await place.delete('helmets/1/model.onnx');
      expect(await row('helmets', 1)).toMatchObject({ state: 'removed' });
      expect(Model.parse(await model('helmets')).versions.map(({ version_number: n }) => n)).toEqual([3]);
      expect((await gateway.ask('POST', '/api/v1/jobs/', job)).status).toBe(400);
      const store = gateway.app.get(ModelStore, { strict: false });
      await store.sweep(new Date(Date.now() + 2 * HOUR * 1000));
      const { models } = await gateway.db.manager.findOneByOrFail(JobModuleEntity, { jobId });
      expect((await store.versions()).map(({ digest }) => digest)).toContain(models[0]!.digest);
      await place.put('helmets/1/model.onnx', another(graph, 'two'));
      expect(await row('helmets', 1)).toMatchObject({
        state: 'refused',
        problem: expect.stringContaining('never changes'),
      });
      await place.put('helmets/1/model.onnx', another(graph, 'one'));
      expect(await row('helmets', 1)).toMatchObject({ state: 'published', problem: null });
      expect(Model.parse(await model('helmets')).versions).toHaveLength(2);
    },
    LONG,
  );

  it(
    'is refused with a sentence when it is not what a model is, and harms no other',
    async () => {
      await put('broken', 1, graph.subarray(0, graph.length / 2));
      await put('taken', 1);
      await put('large', 1, Buffer.alloc((32 << 20) + 1));
      await place.put('bare/1/model.onnx', graph);
      await place.put('open/config.pbtxt', 'name: "open"\nmax_batch_size: 1\n');
      await place.put('open/1/model.onnx', graph);
      await place.put('general-c/model.yaml', yamlOf('general-c'));
      await place.put('general-c/1/model.onnx', graph);
      await place.put('empty/model.yaml', yamlOf('empty'));
      await place.put('empty/1/labels.txt', 'a');
      await place.put('misnamed/model.yaml', yamlOf('other'));
      await place.put('misnamed/1/model.onnx', graph);
      await place.put('bomb/model.yaml', `a: &a [x,x,x,x,x,x,x,x,x]\nb: [${'*a,'.repeat(200)}*a]\n`);
      await place.put('bomb/1/model.onnx', graph);
      await place.put('.hidden/1/model.onnx', graph);
      await place.put('deep/1/2/3/model.onnx', graph);
      const said = new Map((await round()).map(({ name, state, problem }) => [name, `${state}: ${String(problem)}`]));
      expect(said.get('broken')).toMatch(/^refused: ./);
      expect(said.get('large')).toMatch(/^refused: .*ADIT_MAX_MODEL_BYTES/);
      expect(said.get('bare')).toMatch(/^refused: .*neither model.yaml nor config.pbtxt/);
      expect(said.get('open')).toMatch(/^refused: [^]*--resize[^]*model\.yaml/);
      expect(said.get('general-c')).toMatch(/^refused: .*comes with Adit/);
      expect(said.get('empty')).toMatch(/^refused: It lacks empty\/1\/model\.onnx/);
      expect(said.get('misnamed')).toMatch(/^refused: .*calls it other/);
      expect(said.get('bomb')).toMatch(/^refused: .*model\.yaml/);
      expect(said.get('taken')).toBe('published: null');
      expect([...said.keys()]).not.toEqual(expect.arrayContaining(['.hidden', 'deep']));
      const mine = (await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`));
      expect(mine).toEqual([]);
      // Put right, it is published.
      await place.put('broken/1/model.onnx', graph);
      expect(await row('broken')).toMatchObject({ state: 'published', problem: null });
    },
    LONG,
  );

  it(
    'is left alone while it is written to',
    async () => {
      await put('settling');
      const own = service({ syncedModelsSettleSeconds: 2 * HOUR });
      await gateway.db.manager.update(LeaseEntity, { name: 'followed-models' }, { leaseUntil: new Date(0) });
      own.nudge();
      await own.idle();
      await own.onApplicationShutdown();
      expect((await rows()).filter(({ name }) => name === 'settling')).toEqual([]);
      expect(await row('settling')).toMatchObject({ state: 'published' });
    },
    LONG,
  );

  it(
    'has a name of its own: the API and the bucket take none from each other',
    async () => {
      const form = new FormData();
      form.append('name', 'helmets');
      form.append('scope', 'installation');
      form.append('file', new Blob([new Uint8Array(graph)]), 'model.onnx');
      const sent = new Response(form);
      const type = sent.headers.get('content-type') ?? '';
      const payload = Buffer.from(await sent.arrayBuffer());
      const answer = await gateway.app.inject({
        method: 'POST',
        url: '/api/v1/models/',
        headers: { authorization: `Key ${gateway.key}`, 'content-type': type },
        payload,
      });
      expect([answer.statusCode, answer.payload]).toEqual([409, expect.stringContaining('under the next number')]);
      const store = gateway.app.get(ModelStore, { strict: false });
      await gateway.db.query("INSERT INTO models (id, name, type, last_version) VALUES ($1, 'posted', 'object', 4)", [
        modelId('posted'),
      ]);
      await put('posted');
      expect(await row('posted')).toMatchObject({
        state: 'refused',
        problem: expect.stringContaining('through the API'),
      });
      expect((await store.versions()).map(({ name }) => name)).not.toContain('posted');
    },
    LONG,
  );

  it(
    'is taken up where a process died, and given up when it kills each',
    async () => {
      await put('interrupted');
      await round();
      // State after the process died behind the store, and before.
      for (const digest of [(await row('interrupted'))!.digest, null]) {
        if (digest === null)
          await gateway.db.query(
            "DELETE FROM model_versions v USING models m WHERE m.id = v.model_id AND m.name = 'interrupted'",
          );
        if (digest === null) await gateway.db.query("UPDATE models SET last_version = 0 WHERE name = 'interrupted'");
        await gateway.db.manager.update(
          SyncedModelEntity,
          { name: 'interrupted' },
          { state: 'checking', attempts: 1, digest },
        );
        expect(await row('interrupted')).toMatchObject({ state: 'published', problem: null });
        expect(Model.parse(await model('interrupted')).versions).toHaveLength(1);
      }
      await gateway.db.manager.update(SyncedModelEntity, { name: 'interrupted' }, { state: 'checking', attempts: 3 });
      expect(await row('interrupted')).toMatchObject({ state: 'refused', problem: expect.stringContaining('3 times') });
    },
    LONG,
  );

  it(
    'is looked at by one process, and by another when that has died',
    async () => {
      await put('shared');
      const [one, other] = [service(), service()];
      const both = async () => {
        for (const each of [one, other]) each.nudge();
        await Promise.all([one.idle(), other.idle()]);
      };
      await both();
      // The gateway of this spec holds the lease.
      expect((await rows()).filter(({ name }) => name === 'shared')).toEqual([]);
      await gateway.db.manager.update(LeaseEntity, { name: 'followed-models' }, { leaseUntil: new Date(0) });
      await both();
      expect((await rows()).filter(({ name }) => name === 'shared')).toMatchObject([{ state: 'published' }]);
      expect(Model.parse(await model('shared')).versions).toHaveLength(1);
      await Promise.all([one.onApplicationShutdown(), other.onApplicationShutdown()]);
    },
    LONG,
  );

  it(
    'that is empty all at once takes nothing away',
    async () => {
      const empty = await makePlace();
      const before = await rows();
      const own = service({ syncedModels: empty.address });
      own.nudge();
      await own.idle();
      await own.onApplicationShutdown();
      expect(await rows()).toEqual(before);
      await empty.remove();
    },
    LONG,
  );
}

describe('synced models in a folder', () => syncs(aFolder));

await describeWith('minio', 'synced models in a bucket', ({ minio }) => {
  syncs(async () => {
    const bucket = await RawBucket.make(minio, uniqueName('models'));
    return {
      address: `s3://${bucket.name}/production/`,
      settings: {
        // Objects cannot be put an hour ago, as files can.
        syncedModelsSettleSeconds: 0,
        syncedModelsEndpoint: minio.endpoint,
        syncedModelsAccessKey: minio.accessKey,
        syncedModelsSecretKey: minio.secretKey,
      },
      put: (name, content) => bucket.put(`production/${name}`, content),
      delete: (name) => bucket.delete(`production/${name}`),
      remove: async () => undefined,
    };
  });
});
