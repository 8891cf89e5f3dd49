/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { Problem, RESOURCE_EVENTS, Webhook, WebhookAttemptPage, WebhookMessage, WebhookPage } from '@adit/contracts';
import { ApiKeyEntity, WebhookDeliveryEntity, WebhookEntity, WorkspaceEntity } from '@adit/database';
import { claimDeliveries, noteWebhookHealth, recordAttempts, type Answer, type AttemptRecord } from '@adit/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashApiKey } from '../auth/api-key.js';
import { BOOT_MS, startGateway, type Answer as Reply, type TestGateway } from '../testing/gateway.js';

const DAY = 86_400_000;
const body = { event: 'svc.export.on_completed', url: 'https://example.org/hook', hmac_secret: 'a secret' };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
}, BOOT_MS);
afterAll(() => gateway?.close());
beforeEach(async () => {
  for (const table of ['webhooks', 'webhook_deliveries', 'webhook_attempts']) {
    await gateway.db.query(`DELETE FROM ${table}`);
  }
});

const path = (...parts: string[]): string => ['/api/v1/webhooks', ...parts, ''].join('/');
const ask = (...args: Parameters<TestGateway['ask']>): Promise<Reply> => gateway.ask(...args);
async function created(more: Record<string, unknown> = {}): Promise<Webhook> {
  const reply = await ask('POST', path(), { ...body, ...more });
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return Webhook.parse(reply.json());
}
const read = async (id: string): Promise<Webhook> => Webhook.parse((await ask('GET', path(id))).json());
const row = (id: string): Promise<WebhookEntity> => gateway.db.manager.findOneByOrFail(WebhookEntity, { id });
const deliveries = (): Promise<WebhookDeliveryEntity[]> =>
  gateway.db.manager.find(WebhookDeliveryEntity, { order: { seq: 'ASC' } });
const tested = async (id: string): Promise<WebhookMessage> =>
  WebhookMessage.parse((await ask('POST', path(id, 'test'))).json());
const attemptsOf = async (id: string, query = '') =>
  WebhookAttemptPage.parse((await ask('GET', `${path(id, 'attempts')}${query}`)).json());

const answers: Record<'ok' | 'busy' | 'gone', Answer> = {
  ok: { outcome: 'delivered', reason: 'ok', status: 200, error: null, response: 'thanks', retryAfterSeconds: 0 },
  busy: { outcome: 'failed', reason: 'status', status: 503, error: 'busy', response: '', retryAfterSeconds: 0 },
  gone: { outcome: 'gone', reason: 'gone', status: 410, error: 'gone', response: '', retryAfterSeconds: 0 },
};

/** Acts as the notifier at `now`: takes all that is due and notes how it ended. */
async function sendAll(
  answer: keyof typeof answers,
  now = new Date(Date.now() + 60_000),
  isLast = false,
): Promise<number> {
  const { manager } = gateway.db;
  const leaseUntil = new Date(now.getTime() + 30_000);
  const claimed = await claimDeliveries(manager, { now, leaseUntil, limit: 100, perReceiver: 100, rooms: new Map() });
  const records = claimed.map((delivery): AttemptRecord => {
    const nextDue = answer === 'busy' && !isLast ? new Date(now.getTime() + 60_000) : null;
    return { delivery, answer: answers[answer], started: now, ended: now, nextDue };
  });
  await recordAttempts(manager, records);
  await noteWebhookHealth(manager, records);
  return claimed.length;
}

describe('the webhook resource', () => {
  it('a webhook is created, listed, read, replaced, changed and deleted', async () => {
    const webhook = await created({ description: 'newsroom' });
    expect(webhook).toMatchObject({ ...body, description: 'newsroom', enabled: true, retry_limit: 8 });
    expect(await read(webhook.id)).toEqual(webhook);
    const second = await created();
    expect((await ask('GET', path())).json()).toEqual([webhook, second]);
    const page = WebhookPage.parse((await ask('GET', `${path()}?limit=1&offset=1`)).json());
    expect(page).toMatchObject({ total: 2, next: null, data: [second] });
    // A client writes back what it read; what it may not change is ignored.
    const put = await ask('PUT', path(webhook.id), {
      ...webhook,
      id: 'x',
      retry_limit: 3,
      url: 'https://example.org/2',
    });
    expect(put.json()).toEqual({ ...webhook, url: 'https://example.org/2' });
    expect((await ask('PUT', path(webhook.id), body)).json()).toEqual({ ...webhook, description: '' });
    const patched = await ask('PATCH', path(webhook.id), { event: 'svc.export.on_started' });
    expect(patched.json()).toMatchObject({ ...body, event: 'svc.export.on_started' });
    expect((await ask('DELETE', path(webhook.id))).json()).toEqual({ message: `Webhook ${webhook.id} was deleted.` });
    for (const method of ['GET', 'DELETE'] as const) expect((await ask(method, path(webhook.id))).status).toBe(404);
    expect((await ask('DELETE', path())).status).toBe(405);
  });

  it('a webhook holds exactly one of the known events', async () => {
    for (const event of RESOURCE_EVENTS) expect((await created({ event })).event).toBe(event);
    expect((await ask('GET', path())).json()).toHaveLength(RESOURCE_EVENTS.length);
    for (const event of ['svc.nothing', '', 'job.on_completed', ['svc.export.on_started']]) {
      expect((await ask('POST', path(), { ...body, event })).status).toBe(400);
    }
  });

  it('an invalid webhook is refused with the place that is wrong', async () => {
    const pointer = async (sent: object): Promise<unknown> => {
      const reply = await ask('POST', path(), sent);
      expect(reply.status).toBe(400);
      return Problem.parse(reply.json()).errors.map((error) => error.pointer);
    };
    const { event, url, hmac_secret } = body;
    expect(await pointer({ event, url })).toEqual(['/hmac_secret']);
    expect(await pointer({ event, hmac_secret })).toEqual(['/url']);
    expect(await pointer({ url, hmac_secret })).toEqual(['/event']);
    expect(await pointer({ ...body, hmac_secret: '' })).toEqual(['/hmac_secret']);
    expect(await pointer({ ...body, hmac_secret: 'whsec_not base64' })).toEqual(['/hmac_secret']);
    expect(await pointer({ ...body, ulr: url })).toEqual(['/ulr']);
    for (const bad of [
      'ftp://example.org/',
      'nonsense',
      'http://example.org/',
      'https://10.0.0.1/',
      'https://0x7f000001/',
    ]) {
      expect([bad, await pointer({ ...body, url: bad })]).toEqual([bad, ['/url']]);
    }
    const { id } = await created();
    expect((await ask('PATCH', path(id), { url: 'https://[::ffff:127.0.0.1]/' })).status).toBe(400);
    expect((await read(id)).url).toBe(url);
  });

  it('shows its secret to those who may change it', async () => {
    const { id } = await created();
    const made = await ask('POST', '/api/v1/api-keys/', { name: 'a', role: 'owner' });
    const key = made.json<{ id: string; key: string }>();
    const headers = { authorization: `Key ${key.key}` };
    for (const [role, secret] of [
      ['owner', body.hmac_secret],
      ['admin', body.hmac_secret],
      ['reader', null],
      ['member', body.hmac_secret],
    ] as const) {
      expect((await ask('PATCH', `/api/v1/api-keys/${key.id}/`, { role })).status).toBe(200);
      const one = Webhook.parse((await ask('GET', path(id), undefined, headers)).json());
      const list = Webhook.array().parse((await ask('GET', path(), undefined, headers)).json());
      const page = WebhookPage.parse((await ask('GET', `${path()}?limit=1`, undefined, headers)).json());
      for (const shown of [one, ...list, ...page.data]) {
        expect([role, shown]).toEqual([role, { ...(await read(id)), hmac_secret: secret }]);
      }
    }
  });

  it('keeps the secret that a reader was not shown when what was read is sent back', async () => {
    const { id } = await created();
    expect((await ask('PATCH', path(id), { ...(await read(id)), hmac_secret: null })).status).toBe(200);
    expect(await row(id)).toMatchObject({ secret: body.hmac_secret, formerSecret: null });
  });

  it('a webhook is its workspace’s alone', async () => {
    const { id } = await created();
    const workspaceId = randomUUID();
    const key = 'another-workspace-key';
    const { manager } = gateway.db;
    await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
    const keyRow = {
      id: randomUUID(),
      workspaceId,
      name: 'k',
      prefix: 'a',
      hash: hashApiKey(key),
      role: 'admin' as const,
    };
    await manager.insert(ApiKeyEntity, keyRow);
    const headers = { authorization: `Key ${key}` };
    const asked = [
      ask('GET', path(id), undefined, headers),
      ask('PUT', path(id), body, headers),
      ask('PATCH', path(id), {}, headers),
      ask('DELETE', path(id), undefined, headers),
      ask('POST', path(id, 'test'), undefined, headers),
      ask('GET', path(id, 'attempts'), undefined, headers),
      ask('POST', path(id, 'attempts', randomUUID(), 'replay'), undefined, headers),
    ];
    for (const reply of asked) expect((await reply).status).toBe(404);
    expect((await ask('GET', path(), undefined, headers)).json()).toEqual([]);
  });

  it('a webhook is made once by a repeated request, whose reply is not kept', async () => {
    const headers = { 'idempotency-key': 'w1' };
    expect((await ask('POST', path(), body, headers)).status).toBe(200);
    expect((await ask('POST', path(), body, headers)).status).toBe(409);
    expect((await ask('GET', path())).json()).toHaveLength(1);
    const kept: unknown = await gateway.db.query('SELECT * FROM idempotency_keys');
    expect(JSON.stringify(kept)).not.toContain(body.hmac_secret);
  });

  it('keeps the secret before for a day', async () => {
    const { id } = await created();
    await ask('PATCH', path(id), { hmac_secret: body.hmac_secret });
    expect(await row(id)).toMatchObject({ secret: body.hmac_secret, formerSecret: null });
    await ask('PATCH', path(id), { hmac_secret: 'another' });
    const rotated = await row(id);
    expect(rotated).toMatchObject({ secret: 'another', formerSecret: body.hmac_secret });
    expect(rotated.formerSecretUntil!.getTime() - Date.now()).toBeGreaterThan(DAY - 60_000);
    expect(rotated.formerSecretUntil!.getTime() - Date.now()).toBeLessThanOrEqual(DAY);
  });
});

describe('the log of a webhook', () => {
  it('the log has every attempt, newest first, and a message can be sent again', async () => {
    const { id } = await created();
    const message = await tested(id);
    expect(message).toMatchObject({ event: 'svc.webhook.on_test', state: 'pending' });
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ id: message.message_id, url: body.url });
    expect(JSON.parse(delivery!.data)).toEqual({
      webhook: { id, event: body.event, url: body.url, description: '' },
    });
    const start = Date.now() + 60_000;
    expect(await sendAll('busy', new Date(start))).toBe(1);
    expect(await sendAll('busy', new Date(start + 60_000), true)).toBe(1);
    const { data, total } = await attemptsOf(id);
    expect(total).toBe(2);
    expect(data).toMatchObject([
      { id: `${message.message_id}.2`, attempt: 2, status: 503, error: 'busy', state: 'failed', time_next: null },
      { id: `${message.message_id}.1`, attempt: 1, message_id: message.message_id, event: message.event },
    ]);
    const replayed = await ask('POST', path(id, 'attempts', data[1]!.id, 'replay'));
    expect(replayed.json()).toEqual({ ...message, state: 'pending' });
    expect(await sendAll('ok', new Date(start + 120_000))).toBe(1);
    const after = await attemptsOf(id, '?limit=1');
    expect(after).toMatchObject({
      total: 3,
      data: [{ attempt: 3, status: 200, response: 'thanks', state: 'delivered' }],
    });
    // By the message's own id as well, and what was delivered too.
    expect((await ask('POST', path(id, 'attempts', message.message_id, 'replay'))).status).toBe(200);
    const other = await tested(id);
    expect(await sendAll('ok', new Date(start + 180_000))).toBe(2);
    expect((await attemptsOf(id, `?message_id=${other.message_id}`)).total).toBe(1);
    expect((await attemptsOf(id, '?message_id=nonsense')).total).toBe(0);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  it('a replay begins the schedule anew', async () => {
    const { id } = await created();
    const { message_id } = await tested(id);
    await sendAll('busy', new Date(Date.now() + 60_000), true);
    await ask('POST', path(id, 'attempts', message_id, 'replay'));
    const now = new Date(Date.now() + 1000);
    const options = { now, leaseUntil: new Date(now.getTime() + 30_000), limit: 9, perReceiver: 9, rooms: new Map() };
    expect(await claimDeliveries(gateway.db.manager, options)).toMatchObject([{ attempt: 2, tried: 1 }]);
    // It is being sent now: nobody gets it twice at a time.
    expect((await ask('POST', path(id, 'attempts', message_id, 'replay'))).status).toBe(409);
  });

  it('knows no attempt of another webhook', async () => {
    const [one, other] = [await created(), await created()];
    const { message_id } = await tested(other.id);
    for (const attempt of [message_id, `${message_id}.1`, randomUUID(), 'nonsense']) {
      expect((await ask('POST', path(one.id, 'attempts', attempt, 'replay'))).status).toBe(404);
    }
    await sendAll('ok');
    expect((await attemptsOf(one.id)).total).toBe(0);
  });

  it('the log goes with the webhook', async () => {
    const { id } = await created();
    await tested(id);
    await sendAll('busy');
    await ask('DELETE', path(id));
    expect(await deliveries()).toEqual([]);
    expect(await gateway.db.query('SELECT * FROM webhook_attempts')).toEqual([]);
  });

  it('waiting messages go to a new address', async () => {
    const { id } = await created();
    await tested(id);
    await ask('PATCH', path(id), { url: 'https://other.example.org:8443/x' });
    expect(await deliveries()).toMatchObject([
      { url: 'https://other.example.org:8443/x', receiver: 'https://other.example.org:8443' },
    ]);
  });
});

describe('a webhook whose receiver fails', () => {
  it('a webhook is disabled by a 410, and begins again when it is enabled', async () => {
    const { id } = await created();
    await tested(id);
    await sendAll('gone');
    expect(await read(id)).toMatchObject({ enabled: false, disabled_reason: expect.stringMatching(/410/) });
    for (const action of ['test', `attempts/${(await deliveries())[0]!.id}/replay`]) {
      const reply = await ask('POST', path(id, action));
      expect([reply.status, reply.text]).toEqual([409, expect.stringMatching(/enable it first/)]);
    }
    const enabled = (await ask('PATCH', path(id), { enabled: true })).json();
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null, time_disabled: null });
    await tested(id);
    expect(await sendAll('ok')).toBe(1);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['failed', 'delivered']);
  });

  it('a webhook is disabled after five days in which everything failed, with its waiting messages', async () => {
    const { id } = await created();
    const start = Date.now() + 60_000;
    await tested(id);
    expect(await sendAll('busy', new Date(start), true)).toBe(1);
    for (const days of [1, 4.9]) {
      await tested(id);
      await sendAll('busy', new Date(start + days * DAY), true);
      expect((await read(id)).enabled).toBe(true);
    }
    await tested(id);
    // While its attempts are not used up, the webhook has another chance.
    await sendAll('busy', new Date(start + 5.1 * DAY));
    expect((await read(id)).enabled).toBe(true);
    await tested(id);
    await gateway.db.query(`UPDATE webhook_deliveries SET due_at = $1 WHERE attempts = 0`, [new Date(start + 9 * DAY)]);
    await sendAll('busy', new Date(start + 5.2 * DAY), true);
    expect(await read(id)).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringMatching(/five days/),
      time_disabled: new Date(start + 5.2 * DAY).toISOString().replace('Z', '000Z'),
    });
    expect((await deliveries()).map(({ state }) => state)).toEqual(Array(5).fill('failed'));
  });

  it('the five days begin anew with every success', async () => {
    const { id } = await created();
    const start = Date.now() + 60_000;
    for (const [days, answer] of [
      [0, 'busy'],
      [3, 'ok'],
      [6, 'busy'],
      [10.9, 'busy'],
    ] as const) {
      await tested(id);
      await sendAll(answer, new Date(start + days * DAY), true);
    }
    expect(await read(id)).toMatchObject({ enabled: true });
    expect((await row(id)).failingSince).toEqual(new Date(start + 6 * DAY));
  });

  it('a client can disable it: what waits has failed and can be replayed', async () => {
    const { id } = await created();
    const { message_id } = await tested(id);
    expect((await ask('PATCH', path(id), { enabled: false })).json()).toMatchObject({
      enabled: false,
      disabled_reason: null,
      time_disabled: expect.any(String),
    });
    expect(await deliveries()).toMatchObject([{ state: 'failed' }]);
    await ask('PATCH', path(id), { enabled: true });
    expect((await ask('POST', path(id, 'attempts', message_id, 'replay'))).status).toBe(200);
    expect(await sendAll('ok')).toBe(1);
  });
});
