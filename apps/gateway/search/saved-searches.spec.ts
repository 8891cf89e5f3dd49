/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { inTransaction } from '@adit/database';
import { MAX_SAVED_SEARCHES } from '@adit/search';
import { raiseResourceEvents } from '@adit/webhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';

interface Saved {
  id: string;
  name: string;
  link: string;
  alert: boolean;
}

let world: World;
beforeAll(async () => {
  world = await World.start();
}, 600_000);
afterAll(() => world?.close());

const save = (body: object) => world.ask('POST', '/api/v1/searches/', body);

describe('saved searches', () => {
  it('are kept as they were asked, replaced and deleted', async () => {
    const asked = { name: 'Cars', q: 'car NOT "red car"', when: '2026-11-21', together: 5 };
    const reply = await save(asked);
    expect(reply.status).toBe(200);
    const saved = reply.json<Saved>();
    expect(saved).toMatchObject({ ...asked, alert: true });
    const one = `/api/v1/searches/${saved.id}/`;
    expect((await world.ask('GET', one)).json()).toEqual(saved);
    // What a reply carries may be sent back.
    const put = await world.ask('PUT', one, { ...saved, name: 'Buses', q: 'bus', when: null, alert: false });
    expect([put.status, put.json()]).toMatchObject([200, { id: saved.id, name: 'Buses', q: 'bus', alert: false }]);
    expect(put.json()).not.toHaveProperty('when');
    const list = await world.ask('GET', '/api/v1/searches/?limit=100');
    expect(list.json<{ data: Saved[] }>().data.map(({ name }) => name)).toContain('Buses');
    const found = new URL(put.json<Saved>().link);
    expect([...found.searchParams]).toEqual([
      ['fuzzy', 'false'],
      ['q', 'bus'],
      ['together', '5'],
    ]);
    expect((await world.ask('GET', `${found.pathname}${found.search}`)).status).toBe(200);
    expect((await world.ask('DELETE', one)).status).toBe(200);
    expect((await world.ask('GET', one)).status).toBe(404);
    expect((await world.ask('PUT', one, asked)).status).toBe(404);
  });

  it.each([
    [{ q: 'car AND (' }, '/q', 'character 10'],
    [{ said: 'NOT car' }, '/said', 'excludes'],
    [{ when: 'yesterday' }, '/when', '2026-11-21T07:00:00Z'],
    [{ box: '1,2,3' }, '/box', 'south,west,north,east'],
    [{ together: -1 }, '/together', '0'],
    [{}, '/q', 'asks for something'],
    [{ fuzzy: true, together: 3 }, '/q', 'asks for something'],
    [{ q: 'car', colour: 'red' }, '/colour', 'colour'],
  ])('refuse %j, with its place', async (question, pointer, words) => {
    const reply = await save({ name: 'Wrong', ...question });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(words)]);
    expect(reply.json<{ errors: { pointer: string }[] }>().errors.map((error) => error.pointer)).toContain(pointer);
  });

  it('say what they found, the newest first, while its job is there', async () => {
    const [{ id }, { id: other }] = [
      (await save({ name: 'Cars', what: 'car' })).json<Saved>(),
      (await save({ name: 'Buses', what: 'bus' })).json<Saved>(),
    ];
    const jobs = [await world.job(), await world.job(), await world.job()];
    const { db, workspaceId } = world.gateway;
    const match = { module: 'object_scene_recognition', type: 'object', source_index: 0, time_start: 1, time_end: 2 };
    for (const [number, jobId] of jobs.entries()) {
      // Whatever a newer build says of it, too.
      const matches = [{ ...match, number, exact: true, colour: 'red' }];
      const alert = { search: { id, name: 'Cars' }, job_id: jobId, matches, mood: 'calm' };
      const event = { event: 'svc.search.on_match' as const, id, data: alert };
      await inTransaction(db, (manager) => raiseResourceEvents(manager, { id: jobId, workspaceId, jobId }, [event]));
    }
    await world.ask('DELETE', `/api/v1/jobs/${jobs[1]}/`);
    const read = (query = '', of = id) => world.ask('GET', `/api/v1/searches/${of}/matches/${query}`);
    const all = (await read()).json<{ total: number; data: { job_id: string; time_created: string }[] }>();
    const found = (number: number) => ({ job_id: jobs[number], matches: [{ ...match, number, exact: true }] });
    expect(all).toMatchObject({ total: 2, next: null });
    expect(all.data.map(({ time_created: _, ...rest }) => rest)).toEqual([found(2), found(0)]);
    const first = (await read('?limit=1&cursor=')).json<{ data: unknown[]; next: string }>();
    expect(first.data).toEqual(all.data.slice(0, 1));
    const second = await world.ask('GET', first.next.slice(world.base.length));
    expect(second.json<{ data: unknown[] }>().data).toEqual(all.data.slice(1));
    expect((await read('', other)).json()).toMatchObject({ total: 0, data: [] });
    expect((await read('', randomUUID())).status).toBe(404);
  });

  it('are no more than a workspace may have', async () => {
    const there = (await world.ask('GET', '/api/v1/searches/')).json<{ total: number }>().total;
    for (let count = there; count < MAX_SAVED_SEARCHES; count += 1) {
      expect((await save({ name: `Search ${count}`, tag: 'evening' })).status).toBe(200);
    }
    const reply = await save({ name: 'One more', q: 'car' });
    expect([reply.status, reply.text]).toEqual([409, expect.stringContaining('100 saved searches')]);
  });
});
