import { randomUUID } from 'node:crypto';
import type { Job } from '@adit/contracts';
import { JobEntity } from '@adit/database';
import { JobCommands } from '@adit/jobs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditLog } from '../audit/audit-log.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ jobTtlSeconds: 3_600 });
}, BOOT_MS);
afterAll(() => gateway?.close());

async function post(order: object = {}, headers: Record<string, string> = {}): Promise<Job> {
  const whole = { sources: ['https://example.org/film.mp4'], modules: { face_recognition: {} }, ...order };
  const { status, json } = await gateway.ask('POST', '/api/v1/jobs/', whole, headers);
  expect(status).toBe(200);
  return json<Job>();
}

async function ended(tag: string): Promise<string> {
  const { id } = await post({ tag });
  expect((await gateway.ask('POST', `/api/v1/jobs/${id}/stop/`)).status).toBe(200);
  return id;
}

async function remove(query: string, headers: Record<string, string> = {}) {
  const answer = await gateway.ask('DELETE', `/api/v1/jobs/${query}`, undefined, headers);
  return { status: answer.status, ...answer.json<{ ids?: string[]; more?: boolean; code?: string }>() };
}

async function left(tag: string): Promise<string[]> {
  return (await gateway.ask('GET', `/api/v1/jobs/?tag=${tag}`)).json<{ data: Job[] }>().data.map(({ id }) => id);
}

describe('many jobs', () => {
  it('ended jobs are deleted by filters, some at a time', async () => {
    const done = [await ended('spring'), await ended('spring'), await ended('spring')];
    const running = await post({ tag: 'spring' });
    const other = await ended('summer');
    const first = await remove('?tag=spring&limit=2');
    expect(first).toMatchObject({ status: 200, ids: [done[2], done[1]], more: true });
    expect(await remove('?tag=spring&limit=2')).toMatchObject({ status: 200, ids: [done[0]], more: false });
    expect(await remove('?tag=spring')).toMatchObject({ status: 200, ids: [], more: false });
    expect([await left('spring'), await left('summer')]).toEqual([[running.id], [other]]);
  });

  it.each(['search', 'tag', 'batch'])('are left alone where ?%s is empty, whatever else is said', async (filter) => {
    const done = await ended('untouched');
    expect(await remove(`?${filter}=&state=stopped`)).toMatchObject({ status: 400, code: 'VALIDATION' });
    expect(await left('untouched')).toContain(done);
  });

  it('jobs that look for an export are nobody’s to find or delete, and nobody hears of them', async () => {
    const hook = { url: 'https://example.org/hook', event: 'svc.job.on_stopped', hmac_secret: 's'.repeat(32) };
    expect((await gateway.ask('POST', '/api/v1/webhooks/', hook)).status).toBe(200);
    const [look, other] = [await post({ tag: 'looks' }), await post({ tag: 'looks' })];
    await gateway.db.manager.update(JobEntity, { id: look.id }, { exportId: randomUUID() });
    const commands = gateway.app.get(JobCommands);
    const { workspaceId } = await gateway.db.manager.findOneByOrFail(JobEntity, { id: look.id });
    for (const { id } of [look, other]) await commands.stop(workspaceId, id);
    const told: { jobId: string }[] = await gateway.db.query(
      `SELECT job_id AS "jobId" FROM workspace_events
        WHERE event = 'svc.job.on_stopped' AND job_id = ANY($1::uuid[])`,
      [[look.id, other.id]],
    );
    expect(told).toEqual([{ jobId: other.id }]);
    expect(await left('looks')).toEqual([other.id]);
    expect((await gateway.ask('GET', `/api/v1/jobs/${look.id}/`)).status).toBe(404);
    expect(await remove('?tag=looks')).toMatchObject({ ids: [other.id], more: false });
  });

  it('jobs are deleted by the time at which they were made', async () => {
    const [old, recent] = [await ended('aged'), await ended('aged')];
    await gateway.db.manager.update(JobEntity, { id: old }, { timeCreated: new Date('2026-01-01T00:00:00Z') });
    expect(await remove('?tag=aged&time_created_to=2026-02-01')).toMatchObject({ ids: [old], more: false });
    expect(await left('aged')).toEqual([recent]);
  });

  it('jobs are deleted by their ids, whatever their state, and those of others are skipped', async () => {
    const workspace = await gateway.ask('POST', '/api/v1/workspaces/', { name: 'other' });
    const authorization = `Key ${workspace.json<{ key: string }>().key}`;
    const theirs = await post({ tag: 'theirs' }, { authorization });
    const running = await post({ tag: 'named' });
    const done = await ended('named');
    const named = [theirs.id, running.id, done, randomUUID(), 'none'].join(',');
    const { ids = [], more } = await remove(`?ids=${named}`);
    expect([ids.toSorted(), more]).toEqual([[running.id, done].toSorted(), false]);
    await gateway.app.get(AuditLog).flush();
    for (const id of ids) {
      const log = await gateway.ask('GET', `/api/v1/audit-log/?resource=jobs&resource_id=${id}`);
      expect(log.json<{ data: unknown[] }>().data[0]).toMatchObject({ action: 'deleted', resource_id: id });
    }
    expect((await gateway.ask('GET', `/api/v1/jobs/${theirs.id}/`, undefined, { authorization })).status).toBe(200);
  });

  it('jobs are deleted only with a filter or ids, and not by readers', async () => {
    const kept = await ended('kept');
    for (const query of [
      '',
      '?limit=5',
      '?search=',
      '?ids=',
      '?ids=,',
      `?ids=${Array(101).fill(randomUUID()).join(',')}`,
    ]) {
      expect([query, (await remove(query)).status]).toEqual([query, 400]);
    }
    expect((await remove('?colour=red')).status).toBe(400);
    const reader = await gateway.ask('POST', '/api/v1/api-keys/', { name: 'reader', role: 'reader' });
    const authorization = `Key ${reader.json<{ key: string }>().key}`;
    expect((await remove('?tag=kept', { authorization })).status).toBe(403);
    expect(await left('kept')).toEqual([kept]);
  });
});

describe('the ttl of the installation', () => {
  it('the ttl holds for jobs that name none, and counts from their end', async () => {
    const posted = [await post(), await post({ ttl: null }), await post({ ttl: 60 })];
    expect(posted.map(({ ttl }) => ttl)).toEqual([3_600, 3_600, 60]);
    const id = await ended('short');
    const { timeCompleted, timeExpires } = await gateway.db.manager.findOneByOrFail(JobEntity, { id });
    expect((timeExpires?.getTime() ?? 0) - (timeCompleted?.getTime() ?? 0)).toBe(3_600_000);
  });
});
