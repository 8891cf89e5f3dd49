import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERFACE_ROWS } from '../contract/interface-rows.js';
import { filled } from '../contract/operations.js';
import { trialKey } from '../contract/coverage.js';
import { TRIALS } from '../contract/trials.js';
import { World } from '../contract/world.js';
import { multipart } from '../contract/multipart.js';

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
  it('are made, read and changed by the owner alone', async () => {
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

  it('see nothing of each other, whatever is asked', async () => {
    const { authorization } = await made();
    for (const row of INTERFACE_ROWS.filter(({ later }) => later === undefined)) {
      const trial = TRIALS[trialKey(row)];
      const ids = (await trial?.ids?.(world)) ?? [];
      const query = trial?.query === undefined ? '' : `?${trial.query}`;
      const form = trial?.form === undefined ? null : multipart(trial.form);
      const asked = () =>
        world.ask(row.method, `/api${filled(row.path, ids)}${query}`, form?.payload ?? trial?.body ?? {}, {
          ...form?.headers,
          authorization,
        });
      // Models that were installed as files are everybody's.
      if (ids.length > 0 && !row.path.includes('/models/')) {
        expect([trialKey(row), (await asked()).status]).toEqual([
          trialKey(row),
          row.path.includes('DICTIONARY_ID') && row.path.includes('datasets') ? 501 : 404,
        ]);
      } else if (row.method === 'GET' && !/models|dictionaries/.test(row.path)) {
        const list = (await asked()).json<Row[] | { total: number }>();
        expect([trialKey(row), Array.isArray(list) ? list.length : list.total]).toEqual([trialKey(row), 0]);
      }
    }
  });

  it('are erased with everything, and answer a receipt', async () => {
    const { id, authorization } = await made();
    const ask = (method: string, url: string, body?: unknown, headers = {}) =>
      world.ask(method, `/api/v1/${url}`, body, { authorization, ...headers });
    const job = (await ask('POST', 'jobs/', { ...world.order, tag: 'private' })).json<{ id: string }>();
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
    const { db } = world.gateway;
    const tables = await db.query<{ table_name: string }[]>(
      `SELECT table_name FROM information_schema.columns WHERE column_name = 'workspace_id' AND table_schema = 'public'`,
    );
    for (const { table_name: table } of tables) {
      const left = await db.query<Row[]>(`SELECT * FROM ${table} WHERE workspace_id = $1`, [id]);
      if (table !== 'jobs') expect([table, left.length]).toEqual([table, 0]);
      else expect(JSON.stringify(left)).not.toContain('private');
    }
  });
});
