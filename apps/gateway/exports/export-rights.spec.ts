/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import {
  AccessKey,
  AccessScope,
  CreatedAccessKey,
  EXPORT_STRATEGIES,
  ExportPage,
  Problem,
  type ExportStrategy,
} from '@adit/contracts';
import { AccessKeyEntity, ExportEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { In } from 'typeorm';
import { World } from '../contract/world.js';
import type { Answer } from '../testing/gateway.js';

interface Exported {
  order: { strategy: ExportStrategy; config: object };
  exportId: string;
  artifactId: string;
}

let world: World;
/** The order of each strategy, and a finished export of it. */
let things: Record<ExportStrategy, Exported>;

beforeAll(async () => {
  world = await World.start();
  const [transcript, variant] = await world.transcript();
  const dataset = { dataset_id: await world.dataset() };
  things = {
    job_results_export: await exported('job_results_export', { job_id: await world.job() }),
    basic_dataset_export: await exported('basic_dataset_export', dataset),
    coco_export: await exported('coco_export', dataset),
    transcript_export: await exported('transcript_export', {
      transcript_id: transcript,
      variant_id: variant,
      format: 'srt',
    }),
    segments_export: await exported('segments_export', { job_id: await world.filmJob(), format: 'edl' }),
    clips_export: await exported('clips_export', { job_id: await world.filmJob(), labels: ['nobody is called so'] }),
  };
}, 600_000);
afterAll(() => world?.close());

async function exported(strategy: ExportStrategy, config: object): Promise<Exported> {
  const order = { strategy, config };
  return { order, ...(await world.exported(order)) };
}

const ask = (authorization: string, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  world.ask(method, `/api/v1/${path}`, body, { authorization, ...headers });
const asOwner = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  ask(`Key ${world.gateway.key}`, method, path, body, headers);
const codeOf = (answer: Answer): [number, string] => [answer.status, Problem.parse(answer.json()).code];

async function accessKey(scopes: AccessScope[], strategies?: ExportStrategy[]): Promise<CreatedAccessKey> {
  const made = await asOwner('POST', 'access-keys/', {
    name: 'a',
    scopes,
    ...(strategies === undefined ? {} : { export_strategies: strategies }),
  });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  return CreatedAccessKey.parse(made.json());
}

async function tokenOf({ key, secret }: { key: string; secret: string }): Promise<string> {
  const jwt = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret));
  return `Bearer ${key}.${jwt}`;
}

async function apiKey(role: string): Promise<string> {
  const made = await asOwner('POST', 'api-keys/', { name: role, role });
  return `Key ${made.json<{ key: string }>().key}`;
}

/** Who asks, and what of exports is theirs. */
interface Holder {
  authorization: () => Promise<string>;
  reads: boolean;
  writes: boolean;
  reached: readonly ExportStrategy[];
}

const ROLES: [string, Holder][] = ['owner', 'admin', 'member', 'reader'].map((role) => [
  `an API key of the role ${role}`,
  { authorization: () => apiKey(role), reads: true, writes: role !== 'reader', reached: EXPORT_STRATEGIES },
]);

const SCOPES: AccessScope[][] = [
  [],
  ...AccessScope.options.map((scope) => [scope]),
  ['export.read', 'export.write'],
  AccessScope.options,
];
const LISTS: (ExportStrategy[] | undefined)[] = [
  undefined,
  [],
  ...EXPORT_STRATEGIES.map((strategy) => [strategy]),
  [...EXPORT_STRATEGIES],
];
const TOKENS: [string, Holder][] = SCOPES.flatMap((scopes) =>
  LISTS.map((list): [string, Holder] => [
    `a token with [${scopes.join(', ')}] and ${list === undefined ? 'no list' : `[${list.join(', ')}]`}`,
    {
      authorization: async () => tokenOf(await accessKey(scopes, list)),
      reads: scopes.includes('export.read'),
      writes: scopes.includes('export.write'),
      reached: EXPORT_STRATEGIES.filter((each) => each === 'transcript_export' || list?.includes(each)),
    },
  ]),
);

describe('exports', () => {
  it.each([...ROLES, ...TOKENS])(
    'exports of all strategies, for %s',
    async (_, { authorization, reads, writes, reached }) => {
      const credential = await authorization();
      for (const strategy of EXPORT_STRATEGIES) {
        const { order, exportId, artifactId } = things[strategy];
        const isReached = reached.includes(strategy);
        const made = await ask(credential, 'POST', 'exports/', order);
        expect([strategy, made.status]).toEqual([strategy, writes && isReached ? 200 : 403]);
        const one = `exports/${exportId}`;
        for (const path of [`${one}/`, `${one}/artifacts/`, `${one}/artifacts/${artifactId}/file/`]) {
          const { status } = await ask(credential, 'GET', path);
          expect([strategy, path, status]).toEqual([strategy, path, reads ? (isReached ? 200 : 404) : 403]);
        }
      }
      const list = await ask(credential, 'GET', 'exports/?limit=1000');
      expect(list.status).toBe(reads ? 200 : 403);
      if (!reads) return;
      const { total, data } = ExportPage.parse(list.json());
      const there = await world.gateway.db.manager.countBy(ExportEntity, { strategy: In([...reached]) });
      expect([total, data.length]).toEqual([there, there]);
      expect(new Set(data.map(({ strategy }) => strategy))).toEqual(new Set(reached));
    },
  );

  it('exports out of a token’s reach are refused with a reason, and look like missing ones', async () => {
    const token = await tokenOf(await accessKey(['export.read', 'export.write']));
    const { order, exportId } = things.basic_dataset_export;
    const refused = await ask(token, 'POST', 'exports/', order);
    expect(codeOf(refused)).toEqual([403, 'FORBIDDEN']);
    for (const word of ['transcript_export', 'basic_dataset_export', 'export_strategies']) {
      expect(refused.json()['detail']).toContain(word);
    }
    const searching = await tokenOf(await accessKey(['export.write'], ['segments_export']));
    const search = { strategy: 'segments_export', config: { search: {}, format: 'csv' } };
    expect(codeOf(await ask(searching, 'POST', 'exports/', search))).toEqual([403, 'FORBIDDEN']);
    const nobodys = randomUUID();
    for (const path of ['/', '/artifacts/']) {
      const [hidden, absent] = [
        await ask(token, 'GET', `exports/${exportId}${path}`),
        await ask(token, 'GET', `exports/${nobodys}${path}`),
      ];
      expect(codeOf(hidden)).toEqual([404, 'NOT_FOUND']);
      expect(hidden.json()['detail']).toBe(String(absent.json()['detail']).replace(nobodys, exportId));
    }
  });

  it('exports are shown to nobody by the Idempotency-Key of another who made them', async () => {
    const token = await tokenOf(await accessKey(['export.write']));
    for (const strategy of EXPORT_STRATEGIES) {
      const { order } = things[strategy];
      const once = { 'idempotency-key': `once ${strategy}` };
      expect((await asOwner('POST', 'exports/', order, once)).status).toBe(200);
      const again = await ask(token, 'POST', 'exports/', order, once);
      expect([strategy, again.status, again.headers['idempotency-replayed']]).toEqual(
        strategy === 'transcript_export' ? [strategy, 200, 'true'] : [strategy, 403, undefined],
      );
    }
  });

  it('exports are reached as the access key says now, on replays too', async () => {
    const made = await accessKey(['export.read', 'export.write'], ['coco_export']);
    const token = await tokenOf(made);
    const url = `access-keys/${made.key}/`;
    const { order, exportId } = things.coco_export;
    const once = { 'idempotency-key': 'before the list was shorter' };
    const statuses = async (): Promise<number[]> => [
      (await ask(token, 'POST', 'exports/', order, once)).status,
      (await ask(token, 'GET', `exports/${exportId}/`)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    expect((await asOwner('PATCH', url, { export_strategies: [] })).status).toBe(200);
    expect(await statuses()).toEqual([403, 404]);
    expect((await asOwner('PATCH', url, { export_strategies: ['coco_export'] })).status).toBe(200);
    expect((await asOwner('PATCH', url, { name: 'b' })).status).toBe(200);
    expect(await statuses()).toEqual([200, 200]);
    expect((await asOwner('PUT', url, { name: 'b', scopes: made.scopes })).status).toBe(200);
    expect(await statuses()).toEqual([403, 404]);
  });
});

describe('export_strategies of an access key', () => {
  const shown = async (key: string): Promise<ExportStrategy[]> =>
    AccessKey.parse((await asOwner('GET', `access-keys/${key}/`)).json()).export_strategies;

  it('strategies are shown as they are reached, and can be sent back', async () => {
    expect((await accessKey([])).export_strategies).toEqual(['transcript_export']);
    const { secret: _, ...made } = await accessKey([], ['coco_export', 'job_results_export', 'coco_export']);
    const reached = ['job_results_export', 'coco_export', 'transcript_export'];
    expect(made.export_strategies).toEqual(reached);
    const url = `access-keys/${made.key}/`;
    for (const method of ['PUT', 'PATCH']) {
      expect(AccessKey.parse((await asOwner(method, url, made)).json())).toEqual(made);
      expect(await shown(made.key)).toEqual(reached);
    }
    const list = (await asOwner('GET', 'access-keys/')).json<AccessKey[]>();
    expect(list).toContainEqual(made);
  });

  it('strategies have to exist, and their list is limited', async () => {
    const { key } = await accessKey([]);
    for (const wrong of [['everything'], 'coco_export', Array(21).fill('coco_export')]) {
      const body = { name: 'a', scopes: [], export_strategies: wrong };
      for (const [method, path] of [
        ['POST', ''],
        ['PUT', `${key}/`],
        ['PATCH', `${key}/`],
      ] as const) {
        expect(codeOf(await asOwner(method, `access-keys/${path}`, body))).toEqual([400, 'VALIDATION']);
      }
    }
  });

  it('a key of an earlier build has no strategies, and one of a later build those known here', async () => {
    const { manager } = world.gateway.db;
    const key = randomUUID().replaceAll('-', '').slice(0, 20);
    const secret = 'of an earlier build';
    await manager.query(
      `INSERT INTO access_keys (key, workspace_id, name, secret, scopes) VALUES ($1, $2, 'a', $3, '["export.read"]')`,
      [key, world.gateway.workspaceId, secret],
    );
    expect(await shown(key)).toEqual(['transcript_export']);
    const token = await tokenOf({ key, secret });
    const statusOf = async (strategy: ExportStrategy): Promise<number> =>
      (await ask(token, 'GET', `exports/${things[strategy].exportId}/`)).status;
    expect([await statusOf('transcript_export'), await statusOf('coco_export')]).toEqual([200, 404]);
    const later = ['of_a_later_build', 'coco_export'];
    await manager.update(AccessKeyEntity, { key }, { exportStrategies: later });
    expect((await asOwner('PATCH', `access-keys/${key}/`, { name: 'b' })).status).toBe(200);
    expect((await manager.findOneByOrFail(AccessKeyEntity, { key })).exportStrategies).toEqual(later);
    expect([await statusOf('transcript_export'), await statusOf('coco_export')]).toEqual([200, 200]);
  });
});

describe('an export of segments', () => {
  it('an export of segments without times is refused, with an alternative', async () => {
    const config = { job_id: await world.job(), format: 'edl' };
    const answer = await asOwner('POST', 'exports/', { strategy: 'segments_export', config });
    expect(answer.status).toBe(400);
    expect(Problem.parse(answer.json())).toMatchObject({
      detail: expect.stringContaining('job_results_export writes what was found in pictures'),
      errors: [{ pointer: '/config/job_id', code: 'no_timeline' }],
    });
  });
  it.each([1, 10_000, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'is refused of source %i, which the job has not',
    async (source) => {
      const config = { job_id: await world.filmJob(), format: 'otio', source };
      const answer = await asOwner('POST', 'exports/', { strategy: 'segments_export', config });
      expect(codeOf(answer)).toEqual([400, 'VALIDATION']);
      expect(Problem.parse(answer.json())).toMatchObject({ errors: [{ pointer: '/config/source' }] });
      expect(
        (await asOwner('POST', 'exports/', { strategy: 'segments_export', config: { ...config, source: 0 } })).status,
      ).toBe(200);
    },
  );
});
