/** @needs ffmpeg, weights, build */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Job } from '@adit/contracts';
import { numberedFilm, transcode } from '@adit/testing';
import { EngineUnderTest } from './engine-under-test.js';

const SECONDS = 4;

describe('a transport stream with several programmes', () => {
  let engine: EngineUnderTest;
  let source: string;
  let other: string;
  beforeAll(async () => {
    const film = ['-f', 'lavfi', '-i', numberedFilm({ seconds: SECONDS })];
    source = await transcode('two-programmes.ts', [
      ...[...film, '-f', 'lavfi', '-i', `testsrc=size=160x120:rate=10:d=${SECONDS}`],
      ...['-map', '0', '-map', '1', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
      ...['-program', 'program_num=101:st=0', '-program', 'program_num=202:st=1'],
    ]);
    other = await transcode('plain.mp4', [...film, '-c:v', 'libx264']);
    engine = await EngineUnderTest.start({ localRoots: [dirname(source), dirname(other)] });
  });
  afterAll(() => engine?.close());

  const mined = async (program: number, of = source): Promise<Job> => {
    const body = { sources: [of], modules: { face_recognition: {} }, program };
    return engine.api.ended((await engine.api.call(Job, 'POST', '/jobs/', body)).id);
  };
  const frames = ({ result }: Job) => result.summary.map(({ info }) => [info.fps, info.total_frames]);

  it('is mined by the programme that the job names', async () => {
    const [first, second] = [await mined(101), await mined(202)];
    expect([first, second]).toMatchObject([
      { state: 'completed', errors: [], program: 101 },
      { state: 'completed', errors: [], program: 202 },
    ]);
    expect([frames(first), frames(second)]).toEqual([[[25, 25 * SECONDS]], [[10, 10 * SECONDS]]]);
  });

  it('and nothing else is', async () => {
    const [absent, film] = [await mined(1), await mined(1, other)];
    expect([absent.state, absent.errors.join()]).toEqual(['failed', expect.stringContaining('it has 101, 202')]);
    expect([film.state, film.errors.join()]).toEqual(['failed', expect.stringContaining('leave it out')]);
  });
});
