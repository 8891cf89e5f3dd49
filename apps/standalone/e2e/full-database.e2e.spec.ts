/** @needs ffmpeg, weights, build, servers */
import { setTimeout as sleep } from 'node:timers/promises';
import { Job } from '@adit/contracts';
import { onSmallDisk, ownServer, sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Order, Refused } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';
import { manTwice, mediaRoots } from './films.js';
import { expectSameResults } from './same-results.js';

const own = await ownServer('postgres');
const disk = 'reason' in own ? own : await onSmallDisk(own, 'data/base', '128m');
const missing = 'reason' in disk ? ` (skipped: no postgres: ${disk.reason})` : '';
/** Limit of posts until the database is full: rows that fit into existing pages are accepted. */
const MAX_POSTS = 2_000;

(missing === '' ? describe : describe.skip)(`an engine whose database is full${missing}`, () => {
  let engine: EngineUnderTest;
  let film: Order;
  const photo: Order = { sources: [sampleMedia().groups['sample1']!] };
  beforeAll(async () => {
    if ('reason' in own) return;
    film = { sources: [await manTwice()] };
    const env = { DATABASE_DRIVER: 'postgres', DATABASE_URL: own.url };
    engine = await EngineUnderTest.start({ localRoots: await mediaRoots(), env });
  });
  afterAll(async () => {
    await engine?.close();
    if ('unmount' in disk) await disk.unmount();
    if (!('reason' in own)) await own.remove();
  });

  it('answers 507 with the reason, is not ready, lets jobs wait, and goes on with all of them when there is room', async () => {
    if ('reason' in disk) throw new Error('never: the suite is skipped');
    const undisturbed = await engine.api.mine(film);
    const accepted = [await engine.api.post(film)];
    await disk.fill();
    let refusal: Refused | null = null;
    while (refusal === null && accepted.length < MAX_POSTS) {
      // As large as a tag may be: they use up the pages sooner.
      await engine.api.post({ ...photo, tag: 'x'.repeat(100) }).then(
        (job) => accepted.push(job),
        (error: Refused) => (refusal = error),
      );
    }
    expect(refusal).toMatchObject({
      status: 507,
      problem: { code: 'STORAGE_FULL', detail: expect.stringMatching(/^The database is full \(.*No space left/) },
    });
    const ready = await fetch(`${engine.api.url}/readyz`);
    expect(await ready.text()).toContain('The database is full');
    expect(await engine.api.metric('adit_database_full')).toBe(1);
    // Reading goes on; what was accepted neither ends nor fails for want of room.
    await sleep(5_000);
    const waiting = await Promise.all(accepted.map(({ id }) => engine.api.call(Job, 'GET', `/jobs/${id}/`)));
    expect(waiting.flatMap(({ state, errors }) => (state === 'failed' ? errors : []))).toEqual([]);
    expect(waiting.filter(({ state }) => state !== 'completed').length).toBeGreaterThan(0);

    await disk.clear();
    const cleared = performance.now();
    const [first, ...others] = await Promise.all(accepted.map(({ id }) => engine.api.ended(id)));
    process.stderr.write(`${accepted.length} jobs ended ${Math.round((performance.now() - cleared) / 1000)} s after\n`);
    expect([first, ...others].map((job) => job?.state)).toEqual(accepted.map(() => 'completed'));
    expectSameResults(await engine.api.segments(first!.id), await engine.api.segments(undisturbed.id));
    await engine.api.mine(photo);
  });
});
