import { columns, JobEntity, SegmentEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

describe('face indexes', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 600_000);
  afterAll(() => world?.close());

  it('indexes are made once by a name, and listed in pages when asked', async () => {
    const name = await world.collection();
    const again = await world.ask('POST', '/api/v1/index-collection/', { name });
    expect([again.status, again.json()]).toMatchObject([409, { errors: [{ pointer: '/name' }] }]);
    expect((await world.ask('POST', '/api/v1/index-collection/', { name: 'default_index' })).status).toBe(409);
    const all = (await world.ask('GET', '/api/v1/index-collection/')).json<{ name: string }[]>();
    expect(all.map((one) => one.name)).toEqual(expect.arrayContaining(['default_index', name]));
    const page = (await world.ask('GET', '/api/v1/index-collection/?limit=1&offset=1')).json();
    expect(page).toMatchObject({ total: all.length, data: [{ name: all[1]?.name }] });
    await world.ask('DELETE', `/api/v1/index-collection/${encodeURIComponent(name)}`);
    expect((await world.ask('GET', `/api/v1/index-collection/${encodeURIComponent(name)}/`)).status).toBe(404);
    expect((await world.ask('POST', '/api/v1/index-collection/', { name })).status).toBe(200);
  });

  it('a name that was given later is shown wherever a job is read', async () => {
    const { jobId } = await world.minedJob();
    const [collection, indexId] = await world.identity();
    const { manager } = world.gateway.db;
    const meta = { person: 'unknown', closest_person: 'Bob', indexed_identity: null };
    await manager.update(SegmentEntity, { jobId }, columns<SegmentEntity>({ label: 'unknown', meta, indexId }));
    const item = { type: 'face', label: 'unknown', module: 'face_recognition', index_id: indexId };
    const summary = [{ source: 'a.jpg', media_type: 'image' as const, info: {}, items: [item] }];
    await manager.update(JobEntity, { id: jobId }, columns<JobEntity>({ summary }));
    const read = async () => {
      const results = (await world.ask('GET', `/api/v1/jobs/${jobId}/detailed-results/`)).json<{ data: object[] }>();
      const job = (await world.ask('GET', `/api/v1/jobs/${jobId}/`)).json<{ result: { summary: object[] } }>();
      return [results.data[0], job.result.summary[0]];
    };
    expect(await read()).toMatchObject([
      { meta: { person: 'unknown', indexed_identity: { index_id: indexId, label: '' } } },
      { items: [{ type: 'face', label: 'unknown', module: 'face_recognition' }] },
    ]);
    const one = `/api/v1/index-collection/${encodeURIComponent(collection)}/identities/`;
    await world.ask('PUT', one, { index_id: indexId, label: 'Ada' });
    expect(await read()).toMatchObject([
      { meta: { person: 'Ada', indexed_identity: { index_id: indexId, label: 'Ada' } } },
      { items: [{ type: 'face', label: 'Ada', module: 'face_recognition' }] },
    ]);
    const byLabel = await world.ask('GET', `/api/v1/jobs/${jobId}/detailed-results/?label=ada`);
    expect(byLabel.json()).toMatchObject({ total: 1 });
    expect((await world.ask('GET', `${one}?search=ad&limit=5`)).json()).toMatchObject({ total: 1 });
    expect((await world.ask('GET', `${one}?search=bob&limit=5`)).json()).toMatchObject({ total: 0 });
    const named = async (query: string) => (await world.ask('GET', `${one}?named=${query}`)).json<object[]>().length;
    expect([await named('true'), await named('false'), await named('true&search=bob')]).toEqual([1, 0, 0]);
    expect((await world.ask('GET', `${one}?named=false&limit=5`)).json()).toMatchObject({ total: 0, data: [] });
    await world.ask('DELETE', `${one}${indexId}/`);
    expect(await read()).toMatchObject([{ meta: { person: 'unknown', indexed_identity: null } }, {}]);
  });

  it('indexes list all their people, the oldest first, as in pages', async () => {
    const [collection, indexId] = await world.identity();
    // Some came at the same moment; more than are read together.
    await world.gateway.db.query(
      `INSERT INTO index_identities SELECT r.* FROM index_identities i, generate_series(1, 1200) n,
         jsonb_populate_record(i, jsonb_build_object('index_id', 3000000000 + n, 'label', 'person ' || n,
           'time_created', i.time_created + interval '0.1 millisecond' * (n / 700))) r
        WHERE i.index_id = $1`,
      [indexId],
    );
    await world.gateway.db.query('UPDATE index_collections SET size = size + 1200 WHERE name = $1', [collection]);
    const path = `/api/v1/index-collection/${encodeURIComponent(collection)}/identities/`;
    const ids = (list: { index_id: string }[]) => list.map(({ index_id }) => index_id);
    const whole = ids((await world.ask('GET', path)).json<{ index_id: string }[]>());
    expect(whole).toHaveLength(1201);
    const paged: string[] = [];
    for (const offset of [0, 1000]) {
      const page = (await world.ask('GET', `${path}?limit=1000&offset=${offset}`)).json<{
        total: number;
        data: { index_id: string }[];
      }>();
      expect(page.total).toBe(1201);
      paged.push(...ids(page.data));
    }
    expect(whole).toEqual(paged);
    expect(ids((await world.ask('GET', `${path}?search=person%2011`)).json<{ index_id: string }[]>())).toHaveLength(
      111,
    );
    const elsewhere = await world.ask('GET', '/api/v1/index-collection/nowhere/identities/');
    expect(elsewhere.status).toBe(404);
  });

  it('an index is found again by a request whose process died before it had answered', async () => {
    const post = (name: string) =>
      world.ask('POST', '/api/v1/index-collection/', { name }, { 'idempotency-key': 'collection' });
    const first = await post('once');
    await world.gateway.db.query(
      `UPDATE idempotency_keys SET status = NULL, time_expires = now() WHERE key = 'collection'`,
    );
    const second = await post('once');
    expect([second.status, second.json()]).toEqual([200, first.json()]);
    expect((await world.ask('POST', '/api/v1/index-collection/', { name: 'once' })).status).toBe(409);
  });

  it('indexes are named by jobs, which are refused where they cannot be used', async () => {
    const [collection] = await world.identity();
    const post = (index_collection: string) =>
      world.ask('POST', '/api/v1/jobs/', {
        ...world.order,
        modules: { face_recognition: { index_unknowns: true, index_collection } },
      });
    expect((await post('default_index')).status).toBe(200);
    const pointer = '/modules/face_recognition/index_collection';
    for (const [name, code] of [
      ['nowhere', 'unknown_collection'],
      [collection, 'other_embedding'],
    ] as const) {
      const answer = await post(name);
      expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ pointer, code }] }]);
    }
  });
});
