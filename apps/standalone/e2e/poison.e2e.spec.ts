/** @needs ffmpeg, weights, build, time */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sampleMedia } from '@adit/testing';
import type { Job } from '@adit/contracts';
import { EngineUnderTest } from './engine-under-test.js';
import { manTalking, mediaRoots } from './films.js';

const { groups } = sampleMedia();
const poison = groups['sample2']!;

describe('a picture that kills its process, by native code or an exception', () => {
  let engine: EngineUnderTest;
  let ended: Record<'poisoned' | 'film' | 'photos', Job>;

  beforeAll(async () => {
    const digest = createHash('sha256')
      .update(await readFile(poison))
      .digest('hex');
    engine = await EngineUnderTest.start({
      localRoots: await mediaRoots(),
      program: './poison-supervisor.ts',
      // Temporary files of a killed process stay in the system's folder for ever.
      env: { ADIT_TEST_POISON: digest, TMPDIR: '/no/such/folder' },
    });
    const posted = {
      // Three chunks, so that some are being decoded and others analysed whenever the engine dies.
      film: await engine.api.post({ sources: [await manTalking(30, 30)] }),
      photos: await engine.api.post({ sources: [groups['sample1']!, groups['sample5']!] }),
      poisoned: await engine.api.post({ sources: [poison] }),
    };
    ended = {
      poisoned: await engine.patient((api) => api.ended(posted.poisoned.id)),
      film: await engine.patient((api) => api.ended(posted.film.id)),
      photos: await engine.patient((api) => api.ended(posted.photos.id)),
    };
  });
  afterAll(() => engine?.close());

  it('fails its own job after three attempts, and says so', () => {
    expect(ended.poisoned.state).toBe('failed');
    expect(ended.poisoned.errors).toEqual([expect.stringContaining('given up after 3 attempts')]);
    expect(ended.poisoned.modules['face_recognition']).toMatchObject({ state: 'failed' });
  });

  /** @hardening overload: A server of sources ends the engine */
  it('kills the engine exactly as often, and the supervisor starts it again', async () => {
    expect((await engine.log()).match(/the engine died and is started again/g)).toHaveLength(3);
  });

  /** @hardening setup: A killed process leaves pictures behind */
  it('takes nothing from the jobs beside it', async () => {
    expect(ended.film).toMatchObject({ state: 'completed', errors: [] });
    expect(ended.photos).toMatchObject({ state: 'completed', errors: [] });
    expect(await engine.api.segments(ended.film.id)).toHaveLength(1);
    expect(await engine.api.segments(ended.photos.id)).toHaveLength(8);
    expect((await engine.api.mine({ sources: [groups['sample3']!] })).state).toBe('completed');
  });
});
