/** @needs weights */
import { randomUUID } from 'node:crypto';
import { InstallationHealth } from '@adit/contracts';
import { LiveProcess } from '@adit/leases';
import { health } from '@adit/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { problemsOf } from './health-problems.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ storageBytes: 1_000 });
}, BOOT_MS);
afterAll(() => gateway?.close());

const as = async (role: 'owner' | 'admin' | 'member' | 'reader') => {
  const made = await gateway.ask('POST', '/api/v1/api-keys/', { name: role, role });
  return { authorization: `Key ${made.json<{ key: string }>().key}` };
};
const look = async (headers: Record<string, string> = {}) => {
  const answer = await gateway.ask('GET', '/api/v1/health/', undefined, headers);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return InstallationHealth.parse(answer.json());
};
const codes = ({ problems }: Pick<InstallationHealth, 'problems'>) =>
  problems.map(({ code, about }) => `${code} ${about}`);

describe('the health of an installation', () => {
  it('an owner sees all of it, an admin its own workspace, and nobody else anything', async () => {
    const whole = await look();
    expect(whole).toMatchObject({
      services: [{ service: 'gateway', processes: 1 }],
      workspace: { jobs_waiting: 0, storage_used: 0, storage_bytes: 1_000 },
      installation: { streams: { reading: 0, waiting: 0 }, tasks: [] },
    });
    expect(whole.dependencies.map(({ name, ok }) => [name, ok])).toEqual(
      expect.arrayContaining([
        ['database', true],
        ['objects', true],
      ]),
    );
    expect((await look(await as('admin'))).installation).toBeNull();
    for (const role of ['member', 'reader'] as const) {
      expect((await gateway.ask('GET', '/api/v1/health/', undefined, await as(role))).status).toBe(403);
    }
    expect((await gateway.ask('GET', '/api/v1/health/', undefined, { authorization: '' })).status).toBe(401);
  });

  it('counts jobs, streams and webhooks of its own workspace alone', async () => {
    const modules = { face_recognition: {} };
    await gateway.ask('POST', '/api/v1/jobs/', { sources: ['rtsp://camera.example.org/live'], modules });
    const hook = { event: 'svc.job.on_completed', url: 'https://example.org/', hmac_secret: 'x' };
    const { id } = (await gateway.ask('POST', '/api/v1/webhooks/', hook)).json<{ id: string }>();
    await gateway.db.query(`UPDATE webhooks SET enabled = false, disabled_reason = 'gone' WHERE id = $1`, [id]);
    const [{ workspace_id: ours } = { workspace_id: '' }]: { workspace_id: string }[] = await gateway.db.query(
      'SELECT workspace_id FROM jobs LIMIT 1',
    );
    const mine = { jobs_waiting: 1, streams_waiting: 1, streams_reading: 0, webhooks_disabled: 1 };
    expect((await look()).workspace).toMatchObject(mine);
    expect(codes(await look())).toContain('webhooks_disabled 1');
    await gateway.db.query('UPDATE jobs SET workspace_id = $1', [randomUUID()]);
    await gateway.db.query('UPDATE streams SET workspace_id = $1', [randomUUID()]);
    expect((await look()).workspace).toMatchObject({ ...mine, jobs_waiting: 0, streams_waiting: 0 });
    // Of all workspaces.
    expect((await look()).installation?.streams.waiting).toBe(1);
    await gateway.db.query('UPDATE jobs SET workspace_id = $1', [ours]);
    await gateway.db.query('UPDATE streams SET workspace_id = $1', [ours]);
  });

  it('knows which services run, and forgets those that ended or died', async () => {
    const decoder = new LiveProcess(gateway.db, { service: 'decoder', version: '9.9.9' });
    const died = new LiveProcess(gateway.db, { service: 'notifier', version: '9.9.9' });
    for (const each of [decoder, died]) {
      each.onApplicationBootstrap();
      await each.idle();
    }
    const before = await look();
    expect(before.services).toEqual(
      expect.arrayContaining([
        { service: 'decoder', version: '9.9.9', processes: 1 },
        { service: 'notifier', version: '9.9.9', processes: 1 },
      ]),
    );
    expect(codes(before)).toEqual(expect.arrayContaining(['service_missing aggregator', 'service_missing inference']));
    expect(codes(before).some((code) => code.startsWith('builds_mixed'))).toBe(true);
    await gateway.db.query(`UPDATE leases SET lease_until = now() WHERE name LIKE 'process/notifier/%'`);
    expect(codes(await look())).toContain('service_missing notifier');
    await decoder.onApplicationShutdown();
    expect(await gateway.db.query(`SELECT name FROM leases WHERE name LIKE '%9.9.9%'`)).toEqual([]);
    await died.onApplicationShutdown();
    expect((await look()).services).toMatchObject([{ service: 'gateway' }]);
  });

  it('says which dependency is away, and goes on answering', async () => {
    const mended = health.register('bucket', () => Promise.reject(new Error('no route to host')));
    try {
      const seen = await look();
      expect(codes(seen)).toContain('dependency_away bucket');
      expect(seen.dependencies).toContainEqual(
        expect.objectContaining({ name: 'bucket', ok: false, reason: 'no route to host' }),
      );
    } finally {
      mended();
    }
  });
});

describe('the problems of an installation', () => {
  const workspace = {
    ...{ jobs_waiting: 0, jobs_processing: 0, streams_waiting: 0, streams_reading: 0, webhooks_disabled: 0 },
    ...{ storage_used: 0, storage_bytes: null },
  };
  const installation = {
    ...{ slots: 4, queues: [], tasks: [], streams: { reading: 0, waiting: 0, longest_wait: 0 }, models: [] },
    disk: { size: 100, free: 50 },
  };
  const services = [{ service: 'standalone', version: '1.0.0', processes: 1 }];
  const fine = { dependencies: [], services, workspace, installation };
  const found = (more: Partial<typeof fine> | object, fallbacks = 0) =>
    codes({ problems: problemsOf({ ...fine, ...more }, { fallbacks }) });

  it('are none where nothing is wrong', () => {
    expect(found({})).toEqual([]);
  });

  it.each([
    [
      'a quota nearly used up',
      { workspace: { ...workspace, storage_used: 95, storage_bytes: 100 } },
      'quota_fills 95 %',
    ],
    ['a disk that fills', { installation: { ...installation, disk: { size: 100, free: 9 } } }, 'disk_fills 9 %'],
    [
      'a service that does not keep up',
      { installation: { ...installation, queues: [{ group: 'notifier', topic: 'events.raised', messages: 5_001 }] } },
      'queue_behind notifier',
    ],
    [
      'streams that wait',
      { installation: { ...installation, streams: { reading: 0, waiting: 2, longest_wait: 121 } } },
      'streams_wait 2',
    ],
  ])('%s', (_, more, problem) => {
    expect(found(more)).toEqual([problem]);
  });

  it('a GPU that is not used, which keys of other workspaces are not told', () => {
    expect(found({}, 2)).toEqual(['gpu_not_used 2']);
    expect(found({ installation: null }, 2)).toEqual([]);
  });
});
