/** @needs ffmpeg, weights */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuditEntryEntity,
  BatchEntity,
  ProbeEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WorkspaceEntity,
} from '@adit/database';
import { JobCommands } from '@adit/jobs';
import { InstallationLease } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { storageObjectKey } from '@adit/storage';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EntityManager } from 'typeorm';
import { AuditLog, type AuditLine } from '../audit/audit-log.js';
import { INTERFACE_ROWS } from '../contract/interface-rows.js';
import { filled } from '../contract/operations.js';
import { trialKey } from '../contract/coverage.js';
import { TRIALS } from '../contract/trials.js';
import { World } from '../contract/world.js';
import { multipart } from '../contract/multipart.js';
import { UploadEntries } from '../storage/upload-entries.js';
import { WorkspaceErasure } from './workspace-erasure.js';

type Row = Record<string, unknown>;
let world: World;

beforeAll(async () => {
  world = await World.start();
}, 600_000);
afterAll(() => world?.close());

async function made(body: object = {}): Promise<{ id: string; authorization: string }> {
  const answer = await world.ask('POST', '/api/v1/workspaces/', { name: 'newsroom', ...body });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"key"')]);
  const { id, key } = answer.json<{ id: string; key: string }>();
  return { id, authorization: `Key ${key}` };
}

describe('workspaces', () => {
  it('workspaces are made, read and changed by the owner alone', async () => {
    const { id, authorization } = await made({ storage_bytes: 100 });
    const one = `/api/v1/workspaces/${id}/`;
    expect((await world.ask('GET', one)).json()).toMatchObject({
      name: 'newsroom',
      storage_bytes: 100,
      storage_used: 0,
    });
    const changed = await world.ask('PATCH', one, { name: 'archive', storage_bytes: null, id: 'x' });
    expect(changed.json()).toMatchObject({ id, name: 'archive', storage_bytes: null, weight: 1 });
    const page = (await world.ask('GET', '/api/v1/workspaces/?limit=100')).json<{ data: Row[] }>();
    expect(page.data.map((row) => row['id'])).toEqual(expect.arrayContaining([id, world.gateway.workspaceId]));
    // An admin of a workspace is no owner of the installation, and cannot become one.
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect((await world.ask(method, one, {}, { authorization })).status).toBe(403);
    }
    const owner = { name: 'more', role: 'owner' };
    expect((await world.ask('POST', '/api/v1/api-keys/', owner, { authorization })).status).toBe(403);
    expect((await world.ask('POST', '/api/v1/api-keys/', { name: 'second', role: 'admin' })).status).toBe(200);
    const keys = (await world.ask('GET', '/api/v1/api-keys/')).json<{ data: Row[] }>().data;
    expect(keys.map((key) => key['role'])).toEqual(['owner', 'admin']);
    const [first] = keys as [Row];
    expect((await world.ask('DELETE', `/api/v1/api-keys/${String(first['id'])}/`)).status).toBe(409);
    expect((await world.ask('PATCH', `/api/v1/api-keys/${String(first['id'])}/`, { role: 'admin' })).status).toBe(409);
    expect((await world.ask('DELETE', `/api/v1/workspaces/${world.gateway.workspaceId}/`)).status).toBe(409);
  });

  /** @hardening privacy: A workspace sees another one */
  it('workspaces see nothing of each other, whatever is asked', async () => {
    const { authorization } = await made();
    for (const row of INTERFACE_ROWS) {
      const trial = TRIALS[trialKey(row)];
      const ids = (await trial?.ids?.(world)) ?? [];
      const query = trial?.query === undefined ? '' : `?${trial.query}`;
      const form = trial?.form === undefined ? null : multipart(trial.form);
      const body = (await trial?.bodyFor?.(world)) ?? trial?.body ?? {};
      const asked = () =>
        world.ask(row.method, `/api${filled(row.path, ids)}${query}`, form?.payload ?? body, {
          ...form?.headers,
          authorization,
        });
      // Models that were installed as files are everybody's.
      if (ids.length > 0 && !row.path.includes('/models/')) {
        expect([trialKey(row), (await asked()).status]).toEqual([trialKey(row), 404]);
      } else if (trialKey(row) === 'GET /v1/index-collection/') {
        // Its own, which every workspace has.
        expect((await asked()).json()).toMatchObject([{ name: 'default_index', number_of_identities: 0 }]);
      } else if (row.method === 'GET' && !/models|dictionaries/.test(row.path)) {
        const list = (await asked()).json<Row[] | { total: number }>();
        expect([trialKey(row), Array.isArray(list) ? list.length : list.total]).toEqual([trialKey(row), 0]);
      }
    }
  });

  it('workspaces are erased with everything, and answer a receipt', async () => {
    const { id, authorization } = await made();
    const ask = (method: string, url: string, body?: unknown, headers = {}) =>
      world.ask(method, `/api/v1/${url}`, body, { authorization, ...headers });
    const webhook = { callback: 'https://example.org/private', events: ['job.on_completed'] };
    const job = (await ask('POST', 'jobs/', { ...world.order, webhook, tag: 'private' })).json<{ id: string }>();
    await delivered(id, job.id);
    const { db } = world.gateway;
    await db.manager.insert(ProbeEntity, { id: randomUUID(), workspaceId: id, sources: ['/private/film.mp4'] });
    await ask('POST', 'batches/', { name: 'private' });
    await ask('POST', 'exports/', { strategy: 'job_results_export', config: { job_id: job.id } });
    await ask('POST', 'webhooks/', { event: 'svc.export.on_completed', url: 'https://example.org/', hmac_secret: 's' });
    await ask('POST', 'access-keys/', { name: 'a', scopes: [] });
    const { payload, headers } = multipart({
      file: { filename: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('x') },
    });
    expect((await ask('POST', 'storage/?folder=/a', payload, headers)).status).toBe(200);
    expect((await ask('POST', 'dictionaries/', payload, headers)).status).toBe(200);
    const receipt = await world.ask('DELETE', `/api/v1/workspaces/${id}/`);
    expect(receipt.json()).toMatchObject({
      id,
      state: 'erased',
      counts: { jobs: 1, files: 1, batches: 1, exports: 1, webhooks: 1, dictionaries: 1, access_keys: 1, api_keys: 1 },
    });
    expect((await ask('GET', 'jobs/')).status).toBe(401);
    expect((await world.ask('DELETE', `/api/v1/workspaces/${id}/`)).status).toBe(404);
    // Whatever table has a workspace: nothing of this one is left but tombstones with nothing in them.
    const tables = await db.query<{ table_name: string }[]>(
      `SELECT table_name FROM information_schema.columns WHERE column_name = 'workspace_id' AND table_schema = 'public'`,
    );
    for (const { table_name: table } of tables) {
      const left = await db.query<Row[]>(`SELECT * FROM ${table} WHERE workspace_id = $1`, [id]);
      if (table !== 'jobs') expect([table, left.length]).toEqual([table, 0]);
      else expect(JSON.stringify(left)).not.toContain('private');
    }
    // Audit lines are written with a delay, perhaps after the erasure.
    const auditLog = world.gateway.app.get(AuditLog, { strict: false });
    const [line] = await db.manager.find(AuditEntryEntity, { order: { id: 'DESC' }, take: 1 });
    auditLog.note({ ...line!, id: undefined, workspaceId: id } as AuditLine);
    await auditLog.flush();
    expect(await db.manager.countBy(AuditEntryEntity, { workspaceId: id })).toBe(0);
    // Deliveries of jobs are gone: their bodies and the receivers' answers told what was found in the media.
    expect(await db.manager.countBy(WebhookDeliveryEntity, { jobId: job.id })).toBe(0);
    expect(await db.manager.countBy(WebhookAttemptEntity, { response: 'private' })).toBe(0);
  });

  /** Something was sent for a job, which is to be sent once more. */
  async function delivered(workspaceId: string, jobId: string): Promise<void> {
    const { manager } = world.gateway.db;
    const id = randomUUID();
    const url = 'https://example.org/private';
    await manager.insert(WebhookDeliveryEntity, {
      ...{ id, jobId, subscription: `job:${jobId}`, fact: 'private', kind: 'workspace', signer: workspaceId, url },
      ...{ receiver: 'https://example.org', event: 'job.on_completed', timestamp: 0, data: '{}', dueAt: new Date() },
    });
    const attempt = { deliveryId: id, attempt: 1, timeStarted: new Date(), took: 1, response: 'private' };
    await manager.insert(WebhookAttemptEntity, attempt);
  }

  /** Asks again while a gateway is at it. */
  async function erase(id: string) {
    for (;;) {
      const answer = await world.ask('DELETE', `/api/v1/workspaces/${id}/`);
      if (answer.status !== 409) return answer;
      await sleep(50);
    }
  }

  const left = async (table: string, id: string): Promise<unknown[]> =>
    world.gateway.db.query(`SELECT 1 FROM ${table} WHERE workspace_id = $1`, [id]);

  /** A workspace whose erasure failed half-way. */
  async function halfErased(): Promise<string> {
    const { id } = await made();
    const { db } = world.gateway;
    await db.manager.insert(BatchEntity, { id: randomUUID(), workspaceId: id, name: 'private', parentId: null });
    await db.manager.insert(ProbeEntity, { id: randomUUID(), workspaceId: id, sources: [] });
    await db.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$`,
    );
    await db.query('CREATE TRIGGER refused BEFORE DELETE ON batches FOR EACH ROW EXECUTE FUNCTION refuse()');
    try {
      expect((await erase(id)).status).toBe(500);
      expect(await left('batches', id)).toHaveLength(1);
    } finally {
      await db.query('DROP FUNCTION refuse CASCADE');
    }
    expect((await world.ask('GET', `/api/v1/workspaces/${id}/`)).status).toBe(404);
    return id;
  }

  it('workspaces are erased by the next request when erasing them failed', async () => {
    const id = await halfErased();
    const again = await erase(id);
    // A gateway may have gone on by itself.
    if (again.status !== 404) expect(again.json()).toMatchObject({ id, state: 'erased', counts: { batches: 1 } });
    expect(await left('batches', id)).toEqual([]);
    expect(await world.gateway.db.manager.existsBy(WorkspaceEntity, { id })).toBe(false);
    expect((await erase(id)).status).toBe(404);
  });

  it('workspaces are erased without a request when erasing them failed', async () => {
    const id = await halfErased();
    const { app, db } = world.gateway;
    // Does the work of the erasure's own timer, which may run at this moment.
    while (await db.manager.existsBy(WorkspaceEntity, { id })) await app.get(WorkspaceErasure).finish();
    expect(await left('batches', id)).toEqual([]);
  });

  it('workspaces are erased by one process at a time, which ignores jobs that another one deleted', async () => {
    const { id, authorization } = await made();
    await world.ask('POST', '/api/v1/jobs/', world.order, { authorization });
    const other = new InstallationLease(world.gateway.db, `workspace-erasure/${id}`, 60);
    expect(await other.take()).toBe(true);
    expect((await world.ask('DELETE', `/api/v1/workspaces/${id}/`)).status).toBe(409);
    await other.release();
    const commands = world.gateway.app.get(JobCommands);
    const remove = commands.delete.bind(commands);
    const twice = jest.spyOn(commands, 'delete').mockImplementation(async (workspaceId, jobId) => {
      await remove(workspaceId, jobId);
      await remove(workspaceId, jobId);
    });
    try {
      expect((await erase(id)).status).toBe(200);
    } finally {
      twice.mockRestore();
    }
    expect(await world.gateway.db.manager.existsBy(WorkspaceEntity, { id })).toBe(false);
  });

  it('workspaces are erased in steps that each take a bounded number of rows', async () => {
    const { id } = await made();
    const { db } = world.gateway;
    await db.query(
      `INSERT INTO idempotency_keys (workspace_id, key, request_digest, time_expires)
       SELECT $1, 'key ' || at, '', now() + interval '1 hour' FROM generate_series(1, 12000) at`,
      [id],
    );
    await db.query(
      `CREATE FUNCTION bounded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF (SELECT count(*) FROM gone) > 5000 THEN RAISE EXCEPTION 'too many at once'; END IF;
         RETURN NULL;
       END $$`,
    );
    await db.query(
      `CREATE TRIGGER bounded AFTER DELETE ON idempotency_keys REFERENCING OLD TABLE AS gone
         FOR EACH STATEMENT EXECUTE FUNCTION bounded()`,
    );
    try {
      expect((await erase(id)).json()).toMatchObject({ counts: { idempotency_keys: 12_000 } });
    } finally {
      await db.query('DROP FUNCTION bounded CASCADE');
    }
  });

  it('erased workspaces take no file whose upload ends afterwards', async () => {
    const { id } = await made();
    const { app } = world.gateway;
    const entries = app.get(UploadEntries);
    const upload = { workspaceId: id, folder: '/', name: 'late.bin', replaces: false, renames: false };
    const entry = await entries.begin({ ...upload, claimedType: undefined }, false);
    // Nor while that goes on: the row of the workspace goes last. Nobody goes on with it here.
    const { db } = world.gateway;
    const erasing = new InstallationLease(db, `workspace-erasure/${id}`, 300);
    expect(await erasing.take()).toBe(true);
    await db.manager.update(WorkspaceEntity, { id }, { timeDeleted: new Date() });
    const later = entries.begin({ ...upload, name: 'later.bin', claimedType: undefined }, false);
    await expect(later).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'This workspace was erased.' });
    await db.manager.update(WorkspaceEntity, { id }, { timeDeleted: null });
    await erasing.release();
    expect((await erase(id)).status).toBe(200);
    const key = storageObjectKey(id, entry.key!);
    await app.get<ObjectStore>(OBJECT_STORE).put(key, Buffer.from('late'));
    await expect(entries.finish(Object.assign(entry, { size: '4' }), upload)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'This workspace was erased.',
    });
    await expect(app.get<ObjectStore>(OBJECT_STORE).read(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(entries.begin({ ...upload, claimedType: undefined }, false)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await left('storage_entries', id)).toEqual([]);
  });

  it('workspaces are listed with one query for the sizes of their files', async () => {
    await made();
    const query = jest.spyOn(EntityManager.prototype, 'query');
    const page = (await world.ask('GET', '/api/v1/workspaces/')).json<{ total: number }>();
    const sums = query.mock.calls.filter(([sql]) => sql.includes('storage_entries'));
    query.mockRestore();
    expect(page.total).toBeGreaterThan(1);
    expect(sums).toHaveLength(1);
  });
});
