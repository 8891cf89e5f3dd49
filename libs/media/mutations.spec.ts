/** @needs ffmpeg, time */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEDIA_KINDS, tryMutations } from './testing/mutations.js';

/** Short run; `npm run fuzz -- mutations` tries a thousand of each. */
const CASES = 6;
/** Generous, because children that other code started and that end meanwhile count too. */
const CPU_SECONDS = 60;

/** @hardening overload: No damaged file may end a process */
describe('damaged files, probed and decoded', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'adit-mutations-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each(MEDIA_KINDS)('%s', async (kind) => {
    const outcomes = await tryMutations({ kind, cases: CASES, seed: 1, directory });
    expect(outcomes).toHaveLength(CASES);
    expect(outcomes.filter(({ fault }) => fault !== null)).toEqual([]);
    expect(outcomes.filter(({ cpuSeconds }) => cpuSeconds > CPU_SECONDS)).toEqual([]);
  });
});
