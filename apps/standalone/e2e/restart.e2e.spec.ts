/** @needs ffmpeg, weights, build */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreatedWorkspace, JobPage, type Job } from '@adit/contracts';
import { randomOf, sampleMedia } from '@adit/testing';
import { Api, type Order } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';
import { manTalking, manTwice, mediaRoots } from './films.js';
import { expectSameResults, placeOf } from './same-results.js';

/** The long form has 12 (ADIT_TEST_KILLS=12), every third of them before the engine answers. */
const KILLS = Number(process.env.ADIT_TEST_KILLS ?? 1);
/** Longest time an engine that answers is left alone, milliseconds. */
const LIFE = 1_000;
const { groups } = sampleMedia();
const seed = Number(process.env.ADIT_TEST_SEED ?? Date.now() % 1_000_000);

/** Up to eleven jobs of all sizes, by tag: those that kills meet, and two that are posted after the last one. */
async function batch(): Promise<Map<string, Order>> {
  const photo = (...numbers: number[]): Order => ({ sources: numbers.map((number) => groups[`sample${number}`]!) });
  const film = async (...starts: number[]): Promise<Order> => ({
    sources: await Promise.all(starts.map((start) => manTalking(start, 6))),
  });
  const orders = [
    { sources: [await manTwice()] },
    await film(20, 30),
    ...[photo(1), photo(2, 3), await film(40), photo(4)],
    ...[await film(50, 60, 70), photo(3), await film(80), photo(1, 2, 3, 4, 5, 6), photo(5)],
  ];
  return new Map(orders.slice(0, KILLS + 3).map((order, index) => [`job ${index}`, { ...order, tag: `job ${index}` }]));
}

describe(`an engine that is killed ${KILLS} times (ADIT_TEST_SEED=${seed})`, () => {
  let engine: EngineUnderTest;
  /** Results of a workspace without kills, which knows nothing of the other one. */
  let undisturbed: Api;
  let orders: Map<string, Order>;
  const jobs = new Map<string, Job>();
  /** Jobs that each life after the first found begun. */
  const unfinished: number[] = [];

  const listed = async (search: string, state?: string): Promise<Job[]> => {
    const query = new URLSearchParams({ search, limit: '100', ...(state !== undefined && { state }) });
    return (await engine.api.call(JobPage, 'GET', `/jobs/?${query.toString()}`)).data;
  };

  /** Posts what has no reply yet, as a client that lost it: only after looking whether it is there. */
  async function post(tags: string[]): Promise<void> {
    for (const tag of tags.filter((candidate) => !jobs.has(candidate))) {
      const known = (await listed(tag)).find((job) => job.tag === tag);
      jobs.set(tag, known ?? (await engine.api.post(orders.get(tag)!)));
    }
  }

  async function live(): Promise<void> {
    await engine.boot();
    unfinished.push((await listed('', 'waiting')).length + (await listed('', 'processing')).length);
  }

  beforeAll(async () => {
    orders = await batch();
    const localRoots = await mediaRoots();
    // A kill from outside looks like poison in whatever was running; so many in a row must not condemn it.
    const env = { ADIT_MAX_ATTEMPTS: '50' };
    engine = await EngineUnderTest.start({ localRoots, env });
    const random = randomOf(seed);
    const tags = [...orders.keys()];
    for (let kill = 0; kill < KILLS; kill++) {
      // Every third dies before it answers.
      if (kill % 3 === 2) {
        await engine.bootAndKill(random() * 2_000);
        continue;
      }
      if (kill > 0) await live();
      engine.prepare();
      // Its reply may take longer than a life has, on a busy machine: there is work from the first kill on.
      if (kill === 0) await post(tags.slice(0, 1));
      const posting = post(tags.slice(0, kill + 2)).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, random() * LIFE));
      await engine.kill();
      await posting;
    }
    await live();
    await post(tags);
    const { key } = await engine.api.call(CreatedWorkspace, 'POST', '/workspaces/', { name: 'undisturbed' });
    undisturbed = new Api(engine.api.url, key);
  });
  afterAll(() => engine?.close());

  it('ends every job, and has each of them once', async () => {
    for (const [tag, { id }] of jobs) {
      const job = await engine.api.ended(id);
      expect([tag, job.state, job.errors]).toEqual([tag, 'completed', []]);
    }
    expect((await listed('')).map(({ tag }) => tag).sort()).toEqual([...orders.keys()].sort());
    // Most kills met work, else this shows nothing.
    expect(unfinished.filter((count) => count > 0).length).toBeGreaterThan((unfinished.length * 5) / 8);
  });

  it('has no segment twice', async () => {
    for (const { id } of jobs.values()) {
      const places = (await engine.api.segments(id)).map(placeOf);
      expect(places).toEqual([...new Set(places)]);
      expect(places.length).toBeGreaterThan(0);
    }
  });

  it('has found what it finds when it is left alone', async () => {
    const posted = await Promise.all(
      [...orders].map(async ([tag, order]) => ({ tag, id: (await undisturbed.post(order)).id })),
    );
    for (const { tag, id } of posted) {
      const job = await undisturbed.ended(id);
      expect([tag, job.state]).toEqual([tag, 'completed']);
      const disturbed = jobs.get(tag)!;
      expectSameResults(await engine.api.segments(disturbed.id), await undisturbed.segments(id));
      expect((await engine.api.job(disturbed.id)).result.summary).toEqual(job.result.summary);
    }
  });
});
