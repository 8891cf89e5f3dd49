/** @needs build */
import { randomUUID } from 'node:crypto';
import { Canary, Model, modelId, Problem } from '@adit/contracts';
import { ApiKeyEntity, WorkspaceEntity } from '@adit/database';
import { detectorGraph } from '@adit/inference/spec-graph';
import { Canaries } from '@adit/model-store';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashApiKey } from '../auth/api-key.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const LONG = 300_000;
const FIELDS = {
  labels: Array.from({ length: 80 }, (_, at) => `thing ${at}`).join('\n'),
  colour: 'bgr',
  mean: '103.53,116.28,123.675',
  std: '57.375,57.12,58.395',
  resize: 'letterbox',
};

let gateway: TestGateway;
let admin: string;
let member: string;
let otherWorkspace: string;
let id: string;
const name = `helmets-${randomUUID().slice(0, 8)}`;

async function keyOf(workspaceId: string, role: 'admin' | 'member'): Promise<string> {
  const { manager } = gateway.db;
  if (!(await manager.existsBy(WorkspaceEntity, { id: workspaceId })))
    await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
  const key = `key-${randomUUID()}`;
  const row = { id: randomUUID(), workspaceId, name: 'k', prefix: 'a', hash: hashApiKey(key), role };
  await manager.insert(ApiKeyEntity, row);
  return key;
}

/** A version of the model, whose labels are its own. */
async function add(word: string, scope = 'workspace', called = name): Promise<Model> {
  const form = new FormData();
  const fields = { ...FIELDS, labels: FIELDS.labels.replaceAll('thing', word), name: called, scope };
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([new Uint8Array(detectorGraph())]), 'model.onnx');
  const headers = { authorization: `Key ${scope === 'workspace' ? admin : gateway.key}` };
  const reply = await fetch(`${await gateway.app.getUrl()}/api/v1/models/`, { method: 'POST', body: form, headers });
  return Model.parse(await reply.json());
}

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.app.listen(0, '127.0.0.1');
  admin = await keyOf(gateway.workspaceId, 'admin');
  member = await keyOf(gateway.workspaceId, 'member');
  otherWorkspace = await keyOf(randomUUID(), 'admin');
  ({ id } = await add('a'));
  await add('b');
}, BOOT_MS + LONG);
afterAll(() => gateway?.close());

const ask = (method: 'GET' | 'POST', path: string, body?: object, key = admin, of = id) =>
  gateway.ask(method, `/api/v1/models/${of}/${path}`, body, { authorization: `Key ${key}` });
const canary = async (key = admin) => Canary.parse((await ask('GET', 'canary/', undefined, key)).json());

describe('a canary of a model', () => {
  it('a canary is begun by an admin, with a version that is not the default', async () => {
    expect((await ask('GET', 'canary/')).status).toBe(404);
    const begin = (version: unknown, share: unknown = 0.5, key = admin) =>
      ask('POST', 'canary/', { version, share }, key);
    const already = await begin(2);
    expect([already.status, Problem.parse(already.json()).detail]).toEqual([
      409,
      `${name} means version 2 already: promote the one that is to be used meanwhile.`,
    ]);
    expect((await ask('POST', 'versions/1/promote/')).status).toBe(200);
    for (const share of [0, 1.1, -1, '1', null]) expect((await begin(2, share)).status).toBe(400);
    expect((await begin(7)).json()).toMatchObject({ status: 400, errors: [{ pointer: '/version' }] });
    expect((await begin(2, 0.5, member)).status).toBe(403);
    expect((await begin(2, 0.5, otherWorkspace)).status).toBe(404);
    expect((await ask('POST', 'canary/', { version: 2, share: 0.5 }, admin, modelId('general-c'))).status).toBe(409);
    expect((await begin(2)).json()).toMatchObject({ state: 'running', version: 2, stable_version: 1, share: 0.5 });
    expect((await begin(2, 0.25)).json()).toMatchObject({ share: 0.25 });
    expect((await canary()).units).toEqual({ compared: 0, skipped: 0, failed: 0, last_error: null });
    for (const key of [member, otherWorkspace]) {
      expect([403, 404]).toContain((await ask('GET', 'canary/', undefined, key)).status);
      expect([403, 404]).toContain((await ask('POST', 'canary/promote/', undefined, key)).status);
    }
  });

  it('a canary shows pictures to the workspace that they belong to', async () => {
    const canaries = gateway.app.get(Canaries, { strict: false });
    const running = (await canaries.running()).find(({ modelId: of }) => of === id)!;
    const jobId = randomUUID();
    await gateway.db.query(
      `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, sources)
       VALUES ($1, $2, '', 'completed', 5, 4, 'image', '["a"]')`,
      [jobId, gateway.workspaceId],
    );
    const objectKey = `jobs/${jobId}/canary.jpg`;
    await canaries.expectPicture(objectKey);
    await gateway.app.get<ObjectStore>(OBJECT_STORE).put(objectKey, Buffer.from('a JPEG'));
    const seen = { label: 'helmet', score: 0.7, box: { x: 0, y: 0, w: 0.5, h: 0.5 } };
    const difference = { index: 0, frame: 3, time: 1.5, difference: 0.7, stable: [], candidate: [seen] };
    const labels = new Map([['helmet', { both: 1, stable: 0, candidate: 1 }]]);
    await canaries.compared(
      running,
      (await canaries.begin(running))!,
      {
        comparison: { pictures: 2, labels, differences: [difference] },
        picture: { workspaceId: gateway.workspaceId, jobId, objectKey, difference },
      },
      { skipped: 0, stable: null, candidate: null },
    );
    const { differing_pictures: pictures, agreement } = await canary();
    expect(agreement).toBe(0.5);
    expect(pictures).toMatchObject([{ job_id: jobId, frame: 3, time: 1.5, stable: [], candidate: [seen] }]);
    const path = `canary/pictures/${pictures[0]!.id}/`;
    const shown = await ask('GET', path);
    expect([shown.status, shown.text, shown.headers['content-type']]).toEqual([200, 'a JPEG', 'image/jpeg']);
    expect((await ask('GET', path, undefined, otherWorkspace)).status).toBe(404);
    expect((await ask('GET', `canary/pictures/${randomUUID()}/`)).status).toBe(404);
  });

  it('a canary ends by being promoted or dropped, once', async () => {
    expect((await ask('POST', 'canary/promote/')).json()).toMatchObject({ state: 'promoted', version: 2 });
    expect((await ask('GET', '?kind=network')).json()).toMatchObject({ default_version: 2 });
    expect((await ask('POST', 'canary/promote/')).status).toBe(409);
    expect((await ask('POST', 'canary/drop/')).status).toBe(409);
    expect((await ask('POST', 'canary/', { version: 1, share: 1 })).json()).toMatchObject({
      state: 'running',
      version: 1,
      stable_version: 2,
      differing_pictures: [],
    });
    expect((await ask('POST', 'canary/drop/')).json()).toMatchObject({ state: 'dropped' });
    expect((await ask('GET', '?kind=network')).json()).toMatchObject({ default_version: 2 });
  });

  it(
    'of all workspaces is its owner’s',
    async () => {
      const called = `shared-${randomUUID().slice(0, 8)}`;
      const { id: shared } = await add('a', 'installation', called);
      await add('b', 'installation', called);
      await ask('POST', 'versions/1/promote/', undefined, gateway.key, shared);
      const begin = (key: string) => ask('POST', 'canary/', { version: 2, share: 1 }, key, shared);
      expect((await begin(admin)).status).toBe(403);
      expect((await begin(gateway.key)).status).toBe(200);
      expect((await ask('GET', 'canary/', undefined, admin, shared)).status).toBe(403);
    },
    LONG,
  );
});
