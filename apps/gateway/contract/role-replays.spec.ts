/** @needs weights, build, time */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Problem } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { takesIdempotencyKey } from '../openapi/refusals.js';
import { allRoutes } from '../resources.js';
import type { Answer } from '../testing/gateway.js';
import { World } from './world.js';

/** A request that an owner may make and an admin of the same workspace may not. */
interface Order {
  /** Values for the variables of the path. */
  ids?: string[];
  body?: unknown;
}

/** By the paths of the routes. Exports, which tokens reach in part, are tried by `exports/export-rights.spec.ts`. */
const OWNERS: Record<string, () => Promise<Order>> = {
  '/v1/models/': async () => ({ body: await network() }),
  '/v1/models/:modelId/versions/:version/promote/': async () => ({ ids: [await versions(), '1'] }),
  '/v1/models/:modelId/versions/:version/retire/': async () => ({ ids: [await versions(), '1'] }),
  '/v1/models/:modelId/canary/': async () => ({ ids: [await versions()], body: { version: 1, share: 0.5 } }),
  '/v1/models/:modelId/canary/promote/': async () => ({ ids: [await tried()] }),
  '/v1/models/:modelId/canary/drop/': async () => ({ ids: [await tried()] }),
  '/v1/api-keys/': async () => ({ body: { name: 'another owner', role: 'owner' } }),
  '/v1/api-keys/:keyId/rotate/': async () => ({ ids: [(await apiKey('owner')).id], body: { overlap_seconds: 60 } }),
};
const EXPORTS = '/v1/exports/';

let world: World;
let admin: string;

beforeAll(async () => {
  world = await World.start();
  admin = (await apiKey('admin')).key;
}, 600_000);
afterAll(() => world?.close());

async function succeeded(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([answer.status, '']);
  return answer;
}

async function apiKey(role: string): Promise<{ id: string; key: string }> {
  return (await succeeded(world.ask('POST', '/api/v1/api-keys/', { name: role, role }))).json();
}

/** A model of all workspaces, unless `scope` says otherwise. */
async function network(scope = 'installation', name = `helmets-${randomUUID().slice(0, 8)}`) {
  return { ...(await world.graph()), name, scope };
}

/** A model with two versions, of which its name means the second. */
async function versions(scope?: string): Promise<string> {
  const fields = await network(scope);
  const added = await succeeded(world.ask('POST', '/api/v1/models/', fields));
  const labels = fields.labels.replaceAll('thing', 'helmet');
  await succeeded(world.ask('POST', '/api/v1/models/', { ...fields, labels }));
  return added.json<{ id: string }>().id;
}

/** A model of which a version is tried. */
async function tried(): Promise<string> {
  const id = await versions();
  await succeeded(world.ask('POST', `/api/v1/models/${id}/canary/`, { version: 1, share: 0.5 }));
  return id;
}

function post(path: string, { ids = [], body }: Order, once: string, key = world.gateway.key): Promise<Answer> {
  let next = 0;
  const url = `/api${path.replace(/:\w+/g, () => encodeURIComponent(ids[next++] ?? ''))}`;
  return world.ask('POST', url, body, { authorization: `Key ${key}`, 'idempotency-key': once });
}

const key = (): string => `made by an owner ${randomUUID()}`;
const said = (answer: Answer): [number, string, string] => {
  const { code, detail } = Problem.parse(answer.json());
  return [answer.status, code, detail];
};

const routes = allRoutes()
  .map(({ route }) => route)
  .filter(takesIdempotencyKey);

describe('a stored reply', () => {
  it('every POST that only some callers of its route may make is tried', () => {
    const judging = routes.filter((route) => route.refuses !== undefined || route.errors?.includes('FORBIDDEN'));
    expect([...Object.keys(OWNERS), EXPORTS].sort()).toEqual(judging.map(({ path }) => path).sort());
  });

  it.each(Object.entries(OWNERS))(
    'a stored reply of POST %s is not given to a caller who may not make it',
    async (path, order) => {
      const [given, once] = [await order(), key()];
      const isSecret = routes.find((route) => route.path === path)?.secret === true;
      await succeeded(post(path, given, once));
      const refused = await post(path, given, key(), admin);
      expect(said(refused).slice(0, 2)).toEqual([403, 'FORBIDDEN']);
      const again = await post(path, given, once, admin);
      expect(said(again)).toEqual(said(refused));
      expect(again.headers['idempotency-replayed']).toBeUndefined();
      const owners = await post(path, given, once);
      expect([owners.status, owners.headers['idempotency-replayed']]).toEqual(
        isSecret ? [409, undefined] : [200, 'true'],
      );
    },
  );

  it('a stored reply about a model that is gone is given to a caller who could have made it', async () => {
    const [given, once] = [await network(), key()];
    const { id } = (await succeeded(world.ask('POST', '/api/v1/models/', given))).json<{ id: string }>();
    const [path, order] = ['/v1/models/:modelId/versions/:version/retire/', { ids: [id, '1'] }];
    const made = await succeeded(post(path, order, once));
    const refused = await post(path, order, key(), admin);
    expect(refused.status).toBe(404);
    expect(said(await post(path, order, once, admin))).toEqual(said(refused));
    expect((await succeeded(post(path, order, once))).text).toBe(made.text);
  });

  it('a stored reply of a request that another role may make is given to that role', async () => {
    const id = await versions('workspace');
    const promoting: Order = { ids: [id, '1'] };
    const [path, once] = ['/v1/models/:modelId/versions/:version/promote/', key()];
    const made = await succeeded(post(path, promoting, once));
    const again = await succeeded(post(path, promoting, once, admin));
    expect([again.headers['idempotency-replayed'], again.json()]).toEqual(['true', made.json()]);
  });
});
