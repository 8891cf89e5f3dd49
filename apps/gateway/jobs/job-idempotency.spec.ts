/** @needs ffmpeg, weights, build */
import { AditError } from '@adit/contracts';
import { IdempotencyKeyEntity, JobEntity } from '@adit/database';
import { describe, expect, it, jest } from '@jest/globals';
import { JobReader } from './job-reader.js';
import { useJobGateway, request, gateway } from './testing/job-gateway.js';

useJobGateway();

describe('Idempotency-Key', () => {
  const again = (key: string, body: object = request, url = '/api/v1/jobs/') =>
    gateway.ask('POST', url, body, { 'idempotency-key': key });

  it('answers a repeated request with the stored reply, and refuses another body', async () => {
    const first = await again('one');
    const second = await again('one', request, '/api/v1/jobs');
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect([second.status, second.json()]).toEqual([first.status, first.json()]);
    expect((await again('one', { ...request, tag: 'other' })).status).toBe(422);
  });

  it('creates one job for ten requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => again('ten', { ...request, tag: 'ten' })));
    expect(new Set(answers.map((answer) => answer.json()['id'])).size).toBe(1);
    expect(await gateway.db.manager.countBy(JobEntity, { tag: 'ten' })).toBe(1);
  });

  it('finds again what a process made that died before it had answered', async () => {
    const first = (await again('died')).json<{ id: string }>();
    const row = { workspaceId: gateway.workspaceId, key: 'died' };
    // The row as the dead process left it, past its time.
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { status: null, timeExpires: new Date(0) });
    const second = await again('died');
    expect([second.status, second.json()['id']]).toEqual([200, first.id]);
    // A day later the key stands for a new request.
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { timeExpires: new Date(0) });
    const third = await again('died');
    expect(third.status).toBe(200);
    expect(third.json()['id']).not.toBe(first.id);
  });

  it.each([
    ['batches', { name: 'Evening' }],
    ['webhooks', { url: 'https://example.org/x', event: 'svc.export.on_completed', hmac_secret: 's'.repeat(32) }],
  ])('finds again those of %s, too', async (path, body) => {
    const post = () => again(path, body, `/api/v1/${path}/`);
    const first = await post();
    const row = { workspaceId: gateway.workspaceId, key: path };
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { status: null, timeExpires: new Date(0) });
    const second = await post();
    expect([second.status, second.json()]).toEqual([200, first.json()]);
  });

  /** @hardening jobs: A job is posted twice */
  it('makes no second job because the database is away when the first one is looked for', async () => {
    const first = (await again('away')).json<{ id: string }>();
    const row = { workspaceId: gateway.workspaceId, key: 'away' };
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { status: null, timeExpires: new Date(0) });
    const reader = gateway.app.get(JobReader, { strict: false });
    const shown = jest.spyOn(reader, 'shown').mockRejectedValueOnce(new AditError('UNAVAILABLE', 'It is away.'));
    expect((await again('away')).status).toBe(503);
    shown.mockRestore();
    expect((await again('away')).json()['id']).toBe(first.id);
  });

  it('keeps no refusal and no secret', async () => {
    expect((await again('bad', { ...request, sources: [] })).status).toBe(400);
    expect((await again('bad')).status).toBe(200);
    const made = await again('secret', { name: 'newsroom' }, '/api/v1/api-keys/');
    expect(made.json()['key']).toMatch(/^adit_[A-Za-z0-9_-]{43}$/);
    expect((await again('secret', { name: 'newsroom' }, '/api/v1/api-keys/')).status).toBe(409);
    const kept = JSON.stringify(await gateway.db.manager.find(IdempotencyKeyEntity));
    expect(kept).not.toContain(made.json()['key']);
  });
});
