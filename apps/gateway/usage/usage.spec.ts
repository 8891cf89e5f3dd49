import type { Job, Usage } from '@adit/contracts';
import { UsageDayEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const PATH = '/api/v1/usage/';

let gateway: TestGateway;
let member: { id: string; headers: Record<string, string> };
let next: { id: string; headers: Record<string, string> };
beforeAll(async () => {
  gateway = await startGateway({});
  const made = (await gateway.ask('POST', '/api/v1/api-keys/', { name: 'editors', role: 'member' })).json<Made>();
  member = { id: made.id, headers: { authorization: `Key ${made.key}` } };
  const workspace = (await gateway.ask('POST', '/api/v1/workspaces/', { name: 'next door' })).json<Made>();
  next = { id: workspace.id, headers: { authorization: `Key ${workspace.key}` } };
  const row = (workspaceId: string, day: string, moduleId: string, keyId: string, seconds: number) => ({
    ...{ workspaceId, day, moduleId, keyId },
    ...{ mediaSeconds: 10 * seconds, chunkSeconds: 2 * seconds, cpuSeconds: seconds, gpuSeconds: seconds / 2 },
  });
  const own = gateway.workspaceId;
  await gateway.db.manager.insert(UsageDayEntity, [
    row(own, '2026-11-01', 'face_recognition', member.id, 1),
    row(own, '2026-11-01', 'speech_recognition', member.id, 2),
    row(own, '2026-11-02', 'face_recognition', '', 4),
    row(own, '2025-01-01', 'face_recognition', '', 100),
    row(next.id, '2026-11-02', 'face_recognition', '', 8),
  ]);
}, BOOT_MS);
afterAll(() => gateway?.close());

interface Made {
  id: string;
  key: string;
}

const RANGE = 'from=2026-11-01&to=2026-11-30';
const usage = async (query: string, headers: Record<string, string> = {}) =>
  (await gateway.ask('GET', `${PATH}?${query}`, undefined, headers)).json<Usage>();

describe('usage', () => {
  it('is summed up by day, module and key, of the workspace alone', async () => {
    const { rows, from, to, bytes } = await usage(RANGE, member.headers);
    expect([from, to, bytes]).toEqual(['2026-11-01', '2026-11-30', { uploads: 0, transcripts: 0, recordings: 0 }]);
    expect(rows).toEqual([
      expect.objectContaining({ day: '2026-11-01', media_seconds: 30, chunk_seconds: 6, module: null, key: null }),
      expect.objectContaining({ day: '2026-11-02', cpu_model_seconds: 4, gpu_model_seconds: 2 }),
    ]);
    const byModule = await usage(`${RANGE}&group_by=key,module`);
    expect(byModule.rows.map(({ module, key, cpu_model_seconds: cpu }) => [module, key, cpu])).toEqual([
      ['face_recognition', { id: null, name: null }, 4],
      ['face_recognition', { id: member.id, name: 'editors' }, 1],
      ['speech_recognition', { id: member.id, name: 'editors' }, 2],
    ]);
    expect((await usage(RANGE, next.headers)).rows.map(({ media_seconds: seconds }) => seconds)).toEqual([80]);
  });

  /** @hardening privacy: A workspace sees another one */
  it('of all workspaces is for the owner', async () => {
    const query = `${RANGE}&group_by=workspace&workspaces=all`;
    const all = await usage(query);
    expect(new Map(all.rows.map((row) => [row.workspace_id, row.cpu_model_seconds]))).toEqual(
      new Map([
        [gateway.workspaceId, 7],
        [next.id, 8],
      ]),
    );
    expect(all.bytes).toBeNull();
    for (const { headers } of [member, next]) {
      expect((await gateway.ask('GET', `${PATH}?${query}`, undefined, headers)).status).toBe(403);
    }
  });

  it('is CSV by a parameter or by Accept', async () => {
    for (const [query, headers] of [
      [`${RANGE}&format=csv`, {}],
      [RANGE, { accept: 'text/csv' }],
    ] as const) {
      const answer = await gateway.ask('GET', `${PATH}?${query}`, undefined, headers);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
      const lines = answer.text.trim().split('\r\n');
      expect(lines[0]).toMatch(/workspace_id,day,module,key_id,key_name,media_seconds/);
      expect(lines[1]).toBe(',2026-11-01,,,,30,6,3,1.5');
    }
  });

  it.each([
    ['from=2026-11-02&to=2026-11-01', /`from` is after `to`/],
    ['from=2025-01-01&to=2026-11-01', /at most 400/],
    ['from=yesterday', /a day is written/],
    ['from=2026-02-31', /a day is written/],
    ['group_by=day,colour', /workspace, day, module, key/],
  ])('is refused for %s', async (query, message) => {
    const answer = await gateway.ask('GET', `${PATH}?${query}`);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(message)]);
  });

  it('knows the key that posts a job', async () => {
    const order = { sources: ['https://example.org/film.mp4'], modules: { face_recognition: {} } };
    const { id } = (await gateway.ask('POST', '/api/v1/jobs/', order, member.headers)).json<Job>();
    expect(await gateway.db.query('SELECT key_id FROM jobs WHERE id = $1', [id])).toEqual([{ key_id: member.id }]);
  });
});
