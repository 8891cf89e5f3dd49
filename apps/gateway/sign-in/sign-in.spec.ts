/** @needs build */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvitationEntity, MemberEntity, SessionEntity } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FailedLogins } from '../auth/failed-logins.js';
import { Sessions } from '../auth/sessions.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { plantMember } from '../members/testing/members.js';
import { startGateway, type TestGateway } from '../testing/gateway.js';
import { ExpiredSignIns } from './expired-sign-ins.js';
import { CLIENT, freePort, startProvider, UserAgent, type TestProvider } from './testing/provider.js';

const CSRF = { 'x-adit-csrf': '1' };
const LOCAL = { oidcAllowHttp: true, oidcAllowAddresses: ['127.0.0.1/32'] };

let provider: TestProvider;
let gateway: TestGateway;
let base: string;
let newsroom: { id: string; key: string };

beforeAll(async () => {
  const port = await freePort();
  // Another site than the provider's, as it would be.
  base = `http://localhost:${port}`;
  provider = await startProvider(`${base}/console/oidc/callback`);
  const signIn = { oidcIssuer: provider.issuer, ...CLIENT, ...LOCAL, publicUrl: base };
  gateway = await startGateway({ ...signIn, oidcContact: 'desk@example.org' });
  await gateway.app.listen(port, '127.0.0.1');
  newsroom = (await gateway.ask('POST', '/api/v1/workspaces/', { name: 'newsroom' })).json();
  Object.assign(gateway.app.get<GatewayConfig>(GATEWAY_CONFIG), {
    oidcRoles: { desk: { role: 'member', workspace: newsroom.id }, chiefs: { role: 'admin', workspace: newsroom.id } },
  });
  provider.accounts.set('ann', { email: 'Ann@example.org', name: 'Ann', groups: [] });
  provider.accounts.set('bob', { email: 'bob@example.org', name: 'Bob', groups: [] });
}, 600_000);
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});
beforeEach(async () => {
  for (const entity of [MemberEntity, InvitationEntity, SessionEntity]) await gateway.db.manager.clear(entity);
});

async function invited(email: string, role = 'member'): Promise<string> {
  const made = await gateway.ask('POST', '/api/v1/invitations/', { email, role });
  expect([made.status, made.text]).toEqual([200, expect.stringContaining(`${base}/console/#/invitation?token=`)]);
  return made.json<{ link: string }>().link.split('token=')[1] ?? '';
}

/** Somebody who is signed in. */
async function signedIn(login: string, role = 'member'): Promise<UserAgent> {
  const agent = new UserAgent(base);
  const email = provider.accounts.get(login)?.email ?? '';
  expect(await agent.signIn(login, await invited(email, role))).toBe('#/jobs');
  return agent;
}

const me = async (agent: UserAgent): Promise<{ status: number } & Record<string, unknown>> => {
  const reply = await agent.fetch(`${base}/api/v1/me/`);
  return { status: reply.status, ...((await reply.json()) as Record<string, unknown>) };
};
const members = async () =>
  (await gateway.ask('GET', '/api/v1/members/')).json<{ data: { id: string; email: string; role: string }[] }>().data;

describe('signing in', () => {
  it('by an invitation makes a member, once', async () => {
    const token = await invited('ann@example.org', 'reader');
    const [ann, bob] = [new UserAgent(base), new UserAgent(base)];
    expect(await bob.signIn('bob', token)).toBe('#/sign-in?fault=address');
    provider.accounts.set('mallory', { email: 'ann@example.org', email_verified: false });
    expect(await new UserAgent(base).signIn('mallory', token)).toBe('#/sign-in?fault=unverified');
    expect(await ann.signIn('ann', token)).toBe('#/jobs');
    expect(await me(ann)).toMatchObject({
      ...{ status: 200, role: 'reader', key: null, member: { name: 'Ann' } },
      workspace: { id: gateway.workspaceId },
    });
    expect(await members()).toMatchObject([{ email: 'Ann@example.org', role: 'reader', source: 'invitation' }]);
    expect(await new UserAgent(base).signIn('ann', token)).toBe('#/sign-in?fault=invitation');
    // From then on without one.
    expect(await new UserAgent(base).signIn('ann')).toBe('#/jobs');
    const lines = (await gateway.ask('GET', '/api/v1/audit-log/?limit=4')).json<{ data: Record<string, unknown>[] }>();
    expect(lines.data.map(({ action, resource }) => `${String(action)} ${String(resource)}`)).toEqual([
      ...['created sessions', 'created sessions', 'created members', 'created invitations'],
    ]);
    expect(lines.data[0]).toMatchObject({ actor: { kind: 'member', name: 'Ann' } });
  });

  /** @hardening privacy: An invitation that was left open undoes a removal or a demotion */
  it('by another invitation changes no role, and none is left that undoes what becomes of a member', async () => {
    const [first, second] = [await invited('ann@example.org', 'reader'), await invited('ANN@example.org', 'admin')];
    const agent = new UserAgent(base);
    expect(await agent.signIn('ann', first)).toBe('#/jobs');
    expect(await agent.signIn('ann', second)).toBe('#/sign-in?fault=invitation');
    expect(await agent.signIn('ann', await invited('ann@example.org', 'admin'))).toBe('#/jobs');
    const [{ id, role } = { id: '', role: '' }] = await members();
    expect(role).toBe('reader');
    const lines = (await gateway.ask('GET', '/api/v1/audit-log/?limit=2')).json<{ data: { resource: string }[] }>();
    expect(lines.data.map(({ resource }) => resource)).toEqual(['sessions', 'invitations']);
    for (const [method, body] of [['PATCH', { role: 'reader' }], ['DELETE']] as const) {
      const left = await invited('Ann@Example.org', 'admin');
      expect((await gateway.ask(method, `/api/v1/members/${id}/`, body)).status).toBe(200);
      expect(await new UserAgent(base).signIn('ann', left)).toBe('#/sign-in?fault=invitation');
    }
    expect(await members()).toEqual([]);
  });

  it('is refused for whom nobody has let in', async () => {
    const agent = new UserAgent(base);
    expect(await agent.signIn('bob')).toBe('#/sign-in?fault=stranger');
    expect(agent.cookie('adit-session')).toBeUndefined();
    const offered = await agent.fetch(`${base}/console/session`);
    expect(await offered.json()).toEqual({
      ...{ signed_in: false, provider: { name: new URL(provider.issuer).host, contact: 'desk@example.org' } },
    });
  });

  it('follows the claims of each sign-in', async () => {
    provider.accounts.set('cleo', { name: 'cleo@example.org', groups: ['desk', 'chiefs', 'others'] });
    const agent = new UserAgent(base);
    expect(await agent.signIn('cleo')).toBe('#/jobs');
    expect(await me(agent)).toMatchObject({ role: 'admin', member: { name: 'cleo' }, workspace: { id: newsroom.id } });
    const [cleo] = await gateway.db.manager.find(MemberEntity);
    const asChief = { authorization: `Key ${newsroom.key}` };
    const changed = await gateway.ask('PATCH', `/api/v1/members/${cleo?.id}/`, { role: 'reader' }, asChief);
    expect(changed.status).toBe(409);
    provider.accounts.set('cleo', { name: 'Cleo', groups: ['desk'] });
    expect(await new UserAgent(base).signIn('cleo')).toBe('#/jobs');
    expect((await me(agent)).role).toBe('member');
    provider.accounts.set('cleo', { name: 'Cleo' });
    expect(await new UserAgent(base).signIn('cleo')).toBe('#/sign-in?fault=claim');
    expect((await me(agent)).role).toBe('member');
    provider.accounts.set('cleo', { name: 'Cleo', groups: [] });
    expect(await new UserAgent(base).signIn('cleo')).toBe('#/sign-in?fault=stranger');
    expect((await me(agent)).status).toBe(401);
  });

  /** @hardening privacy: Somebody is signed in by a forged or replayed answer of a provider */
  it('takes nothing but what was asked for', async () => {
    const agent = await signedIn('ann');
    const callback = await agent.toCallback('ann');
    const other = new UserAgent(base);
    expect(await other.page(callback)).toBe('#/sign-in?fault=failed');
    const forged = new URL(callback);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect(await agent.page(forged.href)).toBe('#/sign-in?fault=failed');
    const fresh = await agent.toCallback('ann');
    const kept = agent.cookie('adit-sign-in');
    expect(await agent.page(fresh)).toBe('#/jobs');
    // The same code with what the browser had kept.
    const replayed = await fetch(fresh, { headers: { cookie: `adit-sign-in=${kept}` }, redirect: 'manual' });
    expect(replayed.headers.get('location')).toBe(`${base}/console/#/sign-in?fault=failed`);
    const elsewhere = await fetch(`${base}/console/oidc/start`, {
      method: 'POST',
      headers: { origin: 'http://x.test' },
    });
    expect(elsewhere.status).toBe(403);
  });
});

/** @hardening overload: A page of somebody else empties the allowance of an address, or an ailing provider does */
it('takes from the allowance of an address for what came back wrong alone', async () => {
  const logins = gateway.app.get(FailedLogins);
  const [taken, given] = [jest.spyOn(logins, 'failed'), jest.spyOn(logins, 'forgiven')];
  const left = () => [taken.mock.calls.length, given.mock.calls.length];
  expect(await new UserAgent(base).page(`${base}/console/oidc/callback?code=x`)).toBe('#/sign-in?fault=failed');
  const agent = await signedIn('ann');
  expect(left()).toEqual([1, 1]);
  await gateway.db.createQueryBuilder().update(SessionEntity).set({ timeExpires: new Date() }).execute();
  gateway.app.get(Sessions).forget((await members())[0]?.id ?? '');
  expect((await me(agent)).status).toBe(401);
  const callback = await agent.toCallback('ann');
  provider.ails = true;
  expect(await agent.page(callback)).toBe('#/sign-in?fault=unavailable');
  provider.ails = false;
  expect(left()).toEqual([2, 2]);
  expect(await agent.page((await agent.toCallback('ann')).replace(/code=[^&]*/, 'code=x'))).toContain('failed');
  expect(left()).toEqual([3, 2]);
});

describe('a session', () => {
  /** @hardening privacy: A page of another site acts for whoever is signed in */
  it('is a cookie that no script reads, and whose changes need a header', async () => {
    const agent = await signedIn('ann');
    const fresh = await agent.fetch(await agent.toCallback('ann'));
    const [cookie] = fresh.headers.getSetCookie().filter((line) => line.startsWith('adit-session'));
    expect(cookie).toMatch(/^adit-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const post = async (headers: Record<string, string>) =>
      (
        await agent.fetch(`${base}/api/v1/batches/`, {
          ...{ method: 'POST', body: '{"name":"a"}' },
          headers: { 'content-type': 'application/json', ...headers },
        })
      ).status;
    expect(await post({})).toBe(403);
    expect(await post({ ...CSRF, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await post(CSRF)).toBe(200);
    expect((await agent.fetch(`${base}/api/v1/members/`)).status).toBe(403);
  });

  it('ends with its time, and without use', async () => {
    const ends: Partial<SessionEntity>[] = [
      { timeExpires: new Date() },
      { timeLastUsed: new Date(Date.now() - 61 * 60_000) },
    ];
    for (const end of ends) {
      const agent = await signedIn('ann');
      await gateway.db.createQueryBuilder().update(SessionEntity).set(end).execute();
      gateway.app.get(Sessions).forget((await members())[0]?.id ?? '');
      expect((await me(agent)).status).toBe(401);
      expect(await (await agent.fetch(`${base}/console/session`)).json()).toMatchObject({ signed_in: false });
      expect(agent.cookie('adit-session')).toBeUndefined();
    }
    const sweeper = gateway.app.get(ExpiredSignIns);
    sweeper.nudge();
    await sweeper.idle();
    expect(await gateway.db.manager.count(SessionEntity)).toBe(1);
  });

  it('is gone with its member and invitations where an older gateway erased the workspace', async () => {
    await plantMember({ db: gateway.db, workspaceId: randomUUID() });
    const sweeper = gateway.app.get(ExpiredSignIns);
    sweeper.nudge();
    await sweeper.idle();
    const counts = [MemberEntity, InvitationEntity, SessionEntity].map((entity) => gateway.db.manager.count(entity));
    expect(await Promise.all(counts)).toEqual([0, 0, 0]);
  });

  it('is not used by a stream that is open, and opens nothing where sign-in is off', async () => {
    const token = (await signedIn('ann')).cookie('adit-session') ?? '';
    const before = new Date(Date.now() - 120_000);
    await gateway.db.createQueryBuilder().update(SessionEntity).set({ timeLastUsed: before }).execute();
    expect(await gateway.app.get(Sessions).now(token)).toMatchObject({ kind: 'member' });
    expect(await gateway.db.manager.find(SessionEntity)).toMatchObject([{ timeLastUsed: before }]);
    const config = gateway.app.get<GatewayConfig>(GATEWAY_CONFIG);
    for (const off of [{ console: false }, { oidcClientId: undefined }, { oidcAllowAddresses: ['x'] }]) {
      const sessions = new Sessions(gateway.db, { ...config, ...off });
      expect([sessions.tokenIn(`adit-session=${token}`), await sessions.now(token)]).toEqual([null, null]);
    }
  });

  /** @hardening privacy: Another tab moved the session, and this one writes into a workspace that it does not show */
  it('changes nothing in another workspace than its page shows', async () => {
    const agent = await signedIn('ann');
    const shown = async (workspace: string) => {
      const headers = { ...CSRF, 'x-adit-workspace': workspace, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: '{"name":"of a page"}' };
      return (await agent.fetch(`${base}/api/v1/batches/`, sent)).status;
    };
    expect([await shown(newsroom.id), await shown(gateway.workspaceId)]).toEqual([409, 200]);
  });

  /** @hardening privacy: A member who was removed goes on, or something of them is kept */
  it('ends with the member, of whom nothing is left', async () => {
    const [ann, chief] = [await signedIn('ann'), await signedIn('bob', 'admin')];
    const [{ id } = { id: '' }] = (await members()).filter(({ email }) => email === 'Ann@example.org');
    const path = `${base}/api/v1/members/${id}/`;
    const headers = { ...CSRF, 'content-type': 'application/json' };
    const changed = await chief.fetch(path, { method: 'PATCH', headers, body: '{"role":"reader"}' });
    expect([changed.status, (await me(ann)).role]).toEqual([200, 'reader']);
    expect((await chief.fetch(path, { method: 'DELETE', headers: CSRF })).status).toBe(200);
    expect((await me(ann)).status).toBe(401);
    const rows: { text: string }[] = await gateway.db.query(
      'SELECT m::text AS text FROM members m UNION ALL SELECT i::text FROM invitations i',
    );
    expect(rows.filter(({ text }) => text.includes('Ann@example.org'))).toEqual([]);
    expect(await new UserAgent(base).signIn('ann')).toBe('#/sign-in?fault=stranger');
  });

  it('is known to every gateway of the database, and ended by an admin for all', async () => {
    const agent = await signedIn('ann');
    const other = new Sessions(gateway.db, gateway.app.get(GATEWAY_CONFIG));
    const token = agent.cookie('adit-session') ?? '';
    expect(await other.find(token)).toMatchObject({ kind: 'member', role: 'member' });
    const { data } = (await gateway.ask('GET', '/api/v1/sessions/')).json<{ data: { id: string }[] }>();
    expect(data).toMatchObject([{ member: { name: 'Ann' }, is_own: false }]);
    expect((await gateway.ask('DELETE', `/api/v1/sessions/${data[0]?.id}/`)).status).toBe(200);
    expect((await me(agent)).status).toBe(401);
    await sleep(1_050);
    expect(await other.find(token)).toBeNull();
  });

  it('is ended by signing out, with the links that it asked for', async () => {
    const agent = await signedIn('ann');
    const { link } = await linkOf(agent);
    const open = async () => (await fetch(`${base}/api/v1/media/?link=${link}`)).status;
    // The upload is no media that there are bytes of; who asks is looked at first.
    expect(await open()).not.toBe(401);
    const end = (headers: Record<string, string>) =>
      agent.fetch(`${base}/console/session/end`, { method: 'POST', headers });
    expect((await end({})).status).toBe(403);
    expect((await end(CSRF)).status).toBe(200);
    expect([(await me(agent)).status, await open()]).toEqual([401, 401]);
    const byKey = await gateway.ask('POST', '/console/session/end');
    expect(byKey.status).toBe(409);
  });

  it('moves between the workspaces of its person, and to no other', async () => {
    provider.accounts.set('dan', { name: 'Dan', email: 'dan@example.org', groups: ['desk'] });
    const dan = await signedIn('dan', 'reader');
    expect(await me(dan)).toMatchObject({
      ...{ role: 'reader', workspace: { id: gateway.workspaceId } },
      workspaces: [{ name: 'default' }, { name: 'newsroom' }],
    });
    const move = async (agent: UserAgent, id: string) =>
      (await agent.fetch(`${base}/console/session/workspaces/${id}`, { method: 'POST', headers: CSRF })).status;
    expect(await move(dan, newsroom.id)).toBe(200);
    expect(await me(dan)).toMatchObject({ role: 'member', workspace: { id: newsroom.id } });
    expect([await move(dan, 'x'), await move(await signedIn('ann'), newsroom.id)]).toEqual([404, 404]);
  });
});

/** @hardening privacy: Somebody who was removed goes on by keys that they made, or that these made */
it('revokes the keys of a member with them where that is asked for, or does nothing', async () => {
  const { key: first } = (await gateway.ask('POST', '/api/v1/workspaces/', { name: 'desk' })).json<{ key: string }>();
  const by =
    (key: string) =>
    async <T>(
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path: string,
      body?: object,
    ): Promise<{ status: number } & T> => {
      const reply = await gateway.ask(method, `/api/v1/${path}`, body, { authorization: `Key ${key}` });
      return { status: reply.status, ...reply.json<T>() };
    };
  const { link } = await by(first)<{ link: string }>('POST', 'invitations/', {
    email: 'ann@example.org',
    role: 'admin',
  });
  const ann = new UserAgent(base);
  expect(await ann.signIn('ann', link.split('token=')[1])).toBe('#/jobs');
  const make = async (path: string, body: object) => {
    const headers = { ...CSRF, 'content-type': 'application/json' };
    const sent = await ann.fetch(`${base}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await succeeded(sent)) as { id: string; key: string };
  };
  const own = await make('api-keys/', { name: 'own', role: 'admin' });
  const access = await make('access-keys/', { name: 'editor', scopes: [] });
  const second = await by(own.key)<{ id: string }>('POST', 'api-keys/', { name: 'made by the key' });
  const [member] = (await by(first)<{ data: { id: string }[] }>('GET', 'members/')).data;
  const found = async (kind: string) =>
    (await by(first)<{ data: { id: string; key: string }[] }>('GET', `${kind}/?limit=9&member_id=${member?.id}`)).data;
  expect((await found('api-keys')).map(({ id }) => id)).toEqual([own.id, second.id]);
  expect((await found('access-keys')).map(({ key }) => key)).toEqual([access.key]);

  const keys = (await by(first)<{ data: { id: string }[] }>('GET', 'api-keys/')).data;
  const [other] = keys.filter(({ id }) => id !== own.id && id !== second.id);
  const remove = (key: string) => by(key)('DELETE', `members/${member?.id}/?revoke_keys=true`);
  await by(own.key)('PATCH', `api-keys/${other?.id}/`, { role: 'reader' });
  expect(await remove(own.key)).toMatchObject({ status: 409, detail: expect.stringContaining('last admin key') });
  expect([(await me(ann)).status, (await found('access-keys')).length]).toEqual([200, 1]);
  await by(own.key)('PATCH', `api-keys/${other?.id}/`, { role: 'admin' });
  expect((await remove(first)).status).toBe(200);
  expect([(await me(ann)).status, (await by(own.key)('GET', 'me/')).status]).toEqual([401, 401]);
  expect([await found('api-keys'), await found('access-keys')]).toEqual([[], []]);
  const lines = (await by(first)<{ data: { action: string; resource: string }[] }>('GET', 'audit-log/?limit=4')).data;
  expect(lines.map(({ action, resource }) => `${action} ${resource}`)).toEqual([
    ...['deleted members', 'deleted access-keys', 'deleted api-keys', 'deleted api-keys'],
  ]);
});

/** A link to a source of a job, as a player asks for it. */
async function linkOf(agent: UserAgent): Promise<{ link: string }> {
  const form = new FormData();
  form.set('file', new Blob(['bytes'], { type: 'image/jpeg' }), 'a.jpg');
  const sent = await agent.fetch(`${base}/api/v1/storage/?folder=/`, { method: 'POST', headers: CSRF, body: form });
  const { url } = (await succeeded(sent)) as { url: string };
  const made = await agent.fetch(`${base}/api/v1/jobs/`, {
    ...{ method: 'POST', headers: { ...CSRF, 'content-type': 'application/json' } },
    body: JSON.stringify({ sources: [url], modules: { face_recognition: {} } }),
  });
  const { id } = (await succeeded(made)) as { id: string };
  return (await succeeded(await agent.fetch(`${base}/api/v1/jobs/${id}/media/`))) as { link: string };
}

async function succeeded(reply: Response): Promise<unknown> {
  const text = await reply.text();
  expect([reply.status, text]).toEqual([200, text]);
  return JSON.parse(text);
}
