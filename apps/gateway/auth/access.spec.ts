/** @needs ffmpeg, weights, build */
import { createHmac } from 'node:crypto';
import { dirname } from 'node:path';
import { AccessKey, AccessKeyPage, AuditPage, Job, CreatedAccessKey, Problem } from '@adit/contracts';
import { AccessKeyEntity, ApiKeyEntity, AuditEntryEntity } from '@adit/database';
import { CLOCK_ALONE, sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { AuditLog } from '../audit/audit-log.js';
import { defineRoute, Route } from '../http/route.js';
import { startGateway, type Answer, type TestGateway } from '../testing/gateway.js';
import { CreatedApiKey } from '../keys/key-routes.js';

const photo = sampleMedia().groups['sample1'] as string;
const job = { sources: [photo], modules: { face_recognition: {} } };

const reply = z.strictObject({ ok: z.boolean() });
const probe = {
  path: '/v1/transcripts/probe/',
  summary: 'For this spec',
  description: 'For this spec',
  tag: 'Exports' as const,
  reply,
};

/** Beside the transcripts: the guard judges by method and path. */
@Controller()
class ProbeController {
  @Route(defineRoute({ ...probe, method: 'GET' }))
  read() {
    return { ok: true };
  }

  @Route(defineRoute({ ...probe, method: 'PUT' }))
  write() {
    return { ok: true };
  }
}
@Module({ controllers: [ProbeController] })
class ProbeModule {}

let gateway: TestGateway;
const probed = '/api/v1/transcripts/probe/';
const keysUrl = '/api/v1/access-keys/';

beforeAll(async () => {
  gateway = await startGateway({ localRoots: [dirname(photo)] }, [{ module: ProbeModule }]);
}, 600_000);
afterAll(() => gateway?.close());

const as = (authorization: string, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown) =>
  gateway.ask(method, url, body, { authorization });

async function accessKey(...scopes: string[]): Promise<z.infer<typeof CreatedAccessKey>> {
  const created = await gateway.ask('POST', keysUrl, { name: 'editor', type: 'jwt', scopes });
  expect(created.status).toBe(200);
  return CreatedAccessKey.parse(created.json());
}

function token({ key, secret }: { key: string; secret: string }, claims: object = {}): Promise<string> {
  const signed = new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret));
  return signed.then((jwt) => `${key}.${jwt}`);
}

async function apiKey(role: string, more: object = {}): Promise<z.infer<typeof CreatedApiKey>> {
  const created = await gateway.ask('POST', '/api/v1/api-keys/', { name: `a ${role}`, role, ...more });
  expect(created.status).toBe(200);
  return CreatedApiKey.parse(created.json());
}

const codeOf = (answer: Answer): [number, string] => [answer.status, Problem.parse(answer.json()).code];

describe('access keys', () => {
  it('access keys show their secret once, and are listed, read, replaced, changed and revoked', async () => {
    const { secret, ...made } = await accessKey('export.write', 'transcript.read', 'export.write');
    expect(made).toMatchObject({ name: 'editor', type: 'jwt', scopes: ['transcript.read', 'export.write'] });
    expect(secret.length).toBeGreaterThanOrEqual(43);
    const url = `${keysUrl}${made.key}`;
    const read = await gateway.ask('GET', url);
    expect(AccessKey.parse(read.json())).toEqual(made);
    const list = z.array(AccessKey).parse((await gateway.ask('GET', keysUrl)).json());
    expect(list).toContainEqual(made);
    expect(AccessKeyPage.parse((await gateway.ask('GET', `${keysUrl}?limit=1`)).json()).data).toHaveLength(1);
    const replaced = await gateway.ask('PUT', `${url}/`, { ...made, name: 'desk', scopes: [], time_created: 'never' });
    expect(AccessKey.parse(replaced.json())).toEqual({ ...made, name: 'desk', scopes: [] });
    const changed = await gateway.ask('PATCH', url, { scopes: ['export.read'] });
    expect(AccessKey.parse(changed.json())).toEqual({ ...made, name: 'desk', scopes: ['export.read'] });
    for (const [method, body] of [
      ['PUT', { name: 'x' }],
      ['PATCH', { scopes: ['all'] }],
      ['PATCH', { x: 1 }],
    ] as const) {
      expect(codeOf(await gateway.ask(method, url, body))).toEqual([400, 'VALIDATION']);
    }
    expect(codeOf(await gateway.ask('POST', keysUrl, { name: 'x', type: 'oauth', scopes: [] }))).toEqual([
      400,
      'VALIDATION',
    ]);
    expect((await gateway.ask('DELETE', url)).json()).toEqual({ message: `Access key ${made.key} was revoked.` });
    for (const method of ['GET', 'DELETE'] as const) {
      expect(codeOf(await gateway.ask(method, url))).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('access keys belong to their workspace', async () => {
    const { key } = await accessKey('export.read');
    await gateway.db.manager.update(AccessKeyEntity, { key }, { workspaceId: '00000000-0000-4000-8000-000000000000' });
    expect((await gateway.ask('GET', `${keysUrl}${key}/`)).status).toBe(404);
    expect((await gateway.ask('PATCH', `${keysUrl}${key}/`, { name: 'mine' })).status).toBe(404);
    expect((await gateway.ask('GET', keysUrl)).text).not.toContain(key);
    await gateway.db.manager.delete(AccessKeyEntity, { key });
  });
});

describe('tokens of access keys', () => {
  it('tokens reach what their scopes say, by header and by query, and nothing else', async () => {
    const reading = await token(await accessKey('transcript.read'));
    const writing = await token(await accessKey('transcript.write', 'export.read', 'export.write'));
    expect((await as(`Bearer ${reading}`, 'GET', probed)).json()).toEqual({ ok: true });
    expect((await as('', 'GET', `${probed}?token=${reading}`)).status).toBe(200);
    expect((await as(`bearer ${writing}`, 'PUT', probed, {})).status).toBe(200);
    const forbidden = [
      [reading, 'PUT', probed],
      [writing, 'GET', probed],
      [reading, 'GET', '/api/v1/jobs/'],
      [writing, 'POST', '/api/v1/jobs/'],
      [writing, 'GET', keysUrl],
      [writing, 'POST', keysUrl],
      [writing, 'GET', '/api/v1/api-keys/'],
      [writing, 'GET', '/api/v1/audit-log/'],
      [writing, 'GET', '/api/v1/storage/'],
    ] as const;
    for (const [given, method, url] of forbidden) {
      const answer = await as(`Bearer ${given}`, method, url, method === 'GET' ? undefined : {});
      expect([method, url, ...codeOf(answer)]).toEqual([method, url, 403, 'FORBIDDEN']);
    }
  });

  it('tokens are refused when anything is wrong with them', async () => {
    const held = await accessKey('transcript.read');
    const other = await accessKey('transcript.read');
    const good = await token(held);
    const jwt = good.slice(held.key.length + 1);
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const mac = (input: string, hash = 'sha256') => createHmac(hash, held.secret).update(input).digest('base64url');
    const signed = (head: object, body: unknown, hash?: string) => {
      const input = `${b64(head)}.${b64(body)}`;
      return `${held.key}.${input}.${mac(input, hash)}`;
    };
    const now = Math.floor(Date.now() / 1000);
    // An unknown key is as slow as a wrong signature, because it is held to this.
    const unknown = (claims: object) => token({ key: 'a'.repeat(20), secret: '\0'.repeat(32) }, claims);
    // By hand as any library does it, so that what is refused below is refused for its own reason.
    expect((await as(`Bearer ${signed({ alg: 'HS256' }, {})}`, 'GET', probed)).status).toBe(200);
    const wrong: Record<string, string> = {
      'no algorithm': `${held.key}.${b64({ alg: 'none' })}.${payload}.`,
      'no algorithm, signed all the same': signed({ alg: 'none' }, {}),
      'capitals in none': `${held.key}.${b64({ alg: 'nOnE' })}.${payload}.`,
      'another algorithm': signed({ alg: 'HS512' }, {}, 'sha512'),
      'an algorithm that is not what signed': signed({ alg: 'RS256' }, {}),
      'a key of its own in the header': signed({ alg: 'HS384', jwk: { kty: 'oct', k: b64('x') } }, {}, 'sha384'),
      'an extension nobody knows': signed({ alg: 'HS256', crit: ['x'], x: 1 }, {}),
      'another payload': `${held.key}.${header}.${b64({ sub: 'admin' })}.${signature}`,
      'a shorter signature': good.slice(0, -4),
      'no signature': `${held.key}.${header}.${payload}.`,
      'another key': `${other.key}.${jwt}`,
      'an unknown key': `aaaaaaaaaaaaaaaaaaaa.${jwt}`,
      'an unknown key, under the secret of nobody': await unknown({}),
      'an unknown key, under the secret of nobody, whose time is over': await unknown({ exp: now - 1 }),
      'no key': jwt,
      'a list for payload': signed({ alg: 'HS256' }, []),
      'text for exp': signed({ alg: 'HS256' }, { exp: 'tomorrow' }),
      'its time over': await token(held, { exp: now - 1 }),
      'its time not come': await token(held, { nbf: now + 60 }),
      'a huge one': await token(held, { x: 'x'.repeat(9_000) }),
      nothing: '',
    };
    for (const [what, bad] of Object.entries(wrong)) {
      for (const answer of [
        await as(`Bearer ${bad}`, 'GET', probed),
        await as('', 'GET', `${probed}?token=${encodeURIComponent(bad)}`),
      ]) {
        expect([what, ...codeOf(answer)]).toEqual([what, 401, 'UNAUTHENTICATED']);
        // Other faults of a token are not shown to its bearer.
        expect([what, answer.text.includes('Its time is over')]).toEqual([what, what.startsWith('its time')]);
        expect(answer.headers['www-authenticate']).toBe('Key realm="adit", Bearer realm="adit"');
      }
    }
    expect((await as('', 'GET', `${probed}?token=${good}&token=${good}`)).status).toBe(401);
    // A header that is there decides, even when the query has a good token.
    expect((await as('Key adit_wrong', 'GET', `${probed}?token=${good}`)).status).toBe(401);
    const timely = await token(held, { exp: now + 60, nbf: now - 60, sub: 'anybody' });
    expect((await as(`Bearer ${timely}`, 'GET', probed)).status).toBe(200);
  });

  it('tokens follow their access key at once: its scopes, and its end', async () => {
    const held = await accessKey('transcript.read');
    const bearer = `Bearer ${await token(held)}`;
    expect((await as(bearer, 'GET', probed)).status).toBe(200);
    await gateway.ask('PATCH', `${keysUrl}${held.key}/`, { scopes: ['transcript.write'] });
    expect((await as(bearer, 'GET', probed)).status).toBe(403);
    expect((await as(bearer, 'PUT', probed, {})).status).toBe(200);
    await gateway.ask('DELETE', `${keysUrl}${held.key}/`);
    expect((await as(bearer, 'PUT', probed, {})).status).toBe(401);
  });
});

describe('API keys', () => {
  it('a reader’s key reads and changes nothing; a member’s does all but keys and the audit log', async () => {
    const reader = `Key ${(await apiKey('reader')).key}`;
    const member = `Key ${(await apiKey('member')).key}`;
    for (const url of ['/api/v1/jobs/', '/api/v1/dictionaries/', keysUrl]) {
      expect((await as(reader, 'GET', url)).status).toBe(200);
    }
    expect(codeOf(await as(reader, 'POST', '/api/v1/jobs/', job))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await as(reader, 'POST', keysUrl, { name: 'x', scopes: [] }))).toEqual([403, 'FORBIDDEN']);
    expect((await as(member, 'POST', '/api/v1/jobs/', job)).status).toBe(200);
    for (const url of ['/api/v1/api-keys/', '/api/v1/audit-log/', '/api/v1/signing-secret/']) {
      for (const key of [reader, member]) expect(codeOf(await as(key, 'GET', url))).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('keys are rotated: the new one is good at once, the old one as long as it was given', async () => {
    const first = await apiKey('member', { requests_per_second: 500, jobs_per_day: 9 });
    const url = `/api/v1/api-keys/${first.id}`;
    const rotated = CreatedApiKey.parse(
      (await gateway.ask('POST', `${url}/rotate/`, { overlap_seconds: 3600 })).json(),
    );
    expect(rotated).toMatchObject({ name: first.name, role: 'member', requests_per_second: 500, jobs_per_day: 9 });
    expect(rotated.id).not.toBe(first.id);
    for (const { key } of [first, rotated]) expect((await as(`Key ${key}`, 'GET', '/api/v1/jobs/')).status).toBe(200);
    expect((await gateway.ask('GET', url)).json()['time_expires']).not.toBeNull();
    await gateway.db.manager.update(ApiKeyEntity, { id: first.id }, { timeExpires: new Date(Date.now() - 1) });
    // Without a body the old one ends at once.
    const again = await gateway.ask('POST', `/api/v1/api-keys/${rotated.id}/rotate`);
    expect((await as(`Key ${CreatedApiKey.parse(again.json()).key}`, 'GET', '/api/v1/jobs/')).status).toBe(200);
    expect((await as(`Key ${rotated.key}`, 'GET', '/api/v1/jobs/')).status).toBe(401);
    expect(codeOf(await gateway.ask('POST', `${url}/rotate`))).toEqual([409, 'CONFLICT']);
  });

  it('keys are rotated by a gateway whose clock is behind, and are as good as those of any other', async () => {
    const first = await apiKey('member');
    jest.useFakeTimers({ now: Date.now() - 20 * 60_000, doNotFake: [...CLOCK_ALONE] });
    await gateway.ask('POST', `/api/v1/api-keys/${first.id}/rotate/`, { overlap_seconds: 600 });
    jest.useRealTimers();
    expect((await as(`Key ${first.key}`, 'GET', '/api/v1/jobs/')).status).toBe(200);
  });

  it('a workspace keeps one admin, whatever is changed, rotated or revoked', async () => {
    const list = (await gateway.ask('GET', '/api/v1/api-keys/?limit=100')).json<{
      data: { id: string; role: string }[];
    }>();
    const admins = list.data.filter(({ role }) => role === 'owner');
    expect(admins).toHaveLength(1);
    const url = `/api/v1/api-keys/${admins[0]?.id}/`;
    expect(codeOf(await gateway.ask('PATCH', url, { role: 'reader' }))).toEqual([409, 'CONFLICT']);
    expect(codeOf(await gateway.ask('DELETE', url))).toEqual([409, 'CONFLICT']);
    const leaving = await apiKey('admin');
    await gateway.ask('POST', `/api/v1/api-keys/${leaving.id}/rotate/`, { overlap_seconds: 60 });
    const renamed = await gateway.ask('PATCH', url, { name: 'operator' });
    expect(renamed.json()).toMatchObject({ name: 'operator', role: 'owner' });
  });

  it('keys have limits of their own, with the remaining budget in the headers', async () => {
    const { id, key } = await apiKey('member', { requests_per_second: 1, jobs_per_day: 1 });
    const bearer = `Key ${key}`;
    const posted = await as(bearer, 'POST', '/api/v1/jobs/', { ...job, modules: { nothing: {} } });
    // A request that made no job costs none, and a dry run makes none.
    expect([posted.status, posted.headers['ratelimit-policy']]).toEqual([
      400,
      '"requests";q=10;w=10, "jobs";q=1;w=86400',
    ]);
    const far = { ...job, sources: ['https://example.org/film.mp4'] };
    expect((await as(bearer, 'POST', '/api/v1/jobs?dry_run=true', far)).status).toBe(200);
    expect((await as(bearer, 'POST', '/api/v1/jobs/', job)).status).toBe(200);
    const refused = await as(bearer, 'POST', '/api/v1/jobs/', job);
    expect(codeOf(refused)).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    const answers = [];
    for (let i = 0; i < 30; i += 1) answers.push(await as(bearer, 'GET', '/api/v1/modules/'));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0' });
    await gateway.ask('PATCH', `/api/v1/api-keys/${id}/`, { requests_per_second: 0, jobs_per_day: null });
    const free = await as(bearer, 'GET', '/api/v1/modules/');
    expect([free.status, free.headers['ratelimit-policy']]).toEqual([200, undefined]);
  });

  it('a known caller costs no statement', async () => {
    const posted = Job.parse((await gateway.ask('POST', '/api/v1/jobs/', job)).json());
    const held = await accessKey('transcript.read');
    const bearer = `Bearer ${await token(held)}`;
    const statements = async (ask: () => Promise<Answer>): Promise<number> => {
      const counts = [];
      // The first may look the key up and note its use, as may any that comes a second late on a busy machine.
      for (let i = 0; i < 6; i += 1) counts.push(await statementsOnce(ask));
      return Math.min(...counts);
    };
    const statementsOnce = async (ask: () => Promise<Answer>): Promise<number> => {
      const query = gateway.db.query.bind(gateway.db) as (...args: unknown[]) => Promise<unknown>;
      const create = gateway.db.createQueryRunner.bind(gateway.db);
      let counted = 0;
      gateway.db.query = ((...args: unknown[]) => ((counted += 1), query(...args))) as typeof gateway.db.query;
      gateway.db.createQueryRunner = (...args) => ((counted += 1), create(...args));
      try {
        expect((await ask()).status).toBe(200);
      } finally {
        gateway.db.query = query as typeof gateway.db.query;
        gateway.db.createQueryRunner = create;
      }
      return counted;
    };
    expect(await statements(() => as(bearer, 'GET', probed))).toBe(0);
    expect(await statements(() => gateway.ask('GET', '/api/v1/modules/'))).toBe(0);
    // Its own one, without a query runner.
    expect(await statements(() => gateway.ask('GET', `/api/v1/jobs/${posted.id}/`))).toBe(1);
  });
});

describe('the audit log', () => {
  const entries = async (query: string) => {
    await gateway.app.get(AuditLog).flush();
    return AuditPage.parse((await gateway.ask('GET', `/api/v1/audit-log/?${query}`)).json());
  };

  it('says who changed what, and holds no secret', async () => {
    const admin = await apiKey('admin');
    const held = CreatedAccessKey.parse(
      (await as(`Key ${admin.key}`, 'POST', keysUrl, { name: 'audited', scopes: ['transcript.write'] })).json(),
    );
    await as(`Key ${admin.key}`, 'PATCH', `${keysUrl}${held.key}`, { name: 'audited still' });
    await as(`Bearer ${await token(held)}`, 'PUT', probed, { text: 'of nobody’s business' });
    await as(`Key ${admin.key}`, 'DELETE', `${keysUrl}${held.key}`);
    const actor = { kind: 'api-key', id: admin.id, name: 'a admin' };
    const { data } = await entries('limit=5');
    expect(data).toMatchObject([
      // Credentials are written at once, all else a moment later.
      {
        actor: { kind: 'access-key', id: held.key, name: 'audited still' },
        action: 'replaced',
        resource: 'transcripts/probe',
        fields: ['text'],
      },
      { actor, action: 'deleted', resource: 'access-keys', resource_id: held.key, fields: [] },
      { actor, action: 'changed', resource: 'access-keys', resource_id: held.key, fields: ['name'] },
      { actor, action: 'created', resource: 'access-keys', resource_id: held.key, fields: ['name', 'scopes'] },
      { action: 'created', resource: 'api-keys', resource_id: admin.id, fields: ['name', 'role'] },
    ]);
    const rows = JSON.stringify(await gateway.db.manager.find(AuditEntryEntity));
    for (const secret of [admin.key, held.secret, gateway.key, 'nobody']) expect(rows).not.toContain(secret);
    expect((await entries(`actor_id=${admin.id}`)).total).toBe(3);
    expect((await entries(`actor_id=${admin.id}&action=changed`)).total).toBe(1);
    expect((await entries(`resource=access-keys&resource_id=${held.key}`)).total).toBe(3);
    expect((await entries(`time_start=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).total).toBe(
      0,
    );
  });

  it('the audit log has commands by their names, and neither refusals, reads, replays nor the work itself', async () => {
    const before = (await entries('limit=1')).total;
    const { id } = Job.parse((await gateway.ask('POST', '/api/v1/jobs/', job)).json());
    await gateway.ask('GET', `/api/v1/jobs/${id}/`);
    await gateway.ask('POST', '/api/v1/jobs/nothing/stop/');
    expect((await entries('limit=1')).total).toBe(before);
    const once = { 'idempotency-key': 'stop once', authorization: `Key ${gateway.key}` };
    for (const replayed of [undefined, 'true']) {
      const stopped = await gateway.ask('POST', `/api/v1/jobs/${id}/stop/`, undefined, once);
      expect([stopped.status, stopped.headers['idempotency-replayed']]).toEqual([200, replayed]);
    }
    const { total, data } = await entries('limit=1');
    expect([total, data[0]]).toEqual([
      before + 1,
      expect.objectContaining({ action: 'stop', resource: 'jobs', resource_id: id }),
    ]);
  });
});
