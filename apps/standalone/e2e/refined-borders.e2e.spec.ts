/** @needs ffmpeg, weights, build */
import { setTimeout as sleep } from 'node:timers/promises';
import { dirname } from 'node:path';
import { ArtifactPage, Export, isTerminal, JobPage } from '@adit/contracts';
import { sampleMedia, transcode } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EngineUnderTest } from './engine-under-test.js';

/** Frames in which the man is to be seen, both inclusive, of 75 at 25 a second: he comes and goes between two samples. */
const MAN = [20, 54] as const;

let engine: EngineUnderTest;
let film: string;
beforeAll(async () => {
  const black = 'color=black:s=400x300:r=25,format=yuv420p,setsar=1';
  film = await transcode('man-between-samples.mp4', [
    ...['-ss', '2', '-t', '3', '-i', sampleMedia().franck, '-filter_complex'],
    `[0:v]fps=25,scale=400:300,setsar=1,format=yuv420p,trim=end_frame=35[b];${black},trim=end_frame=20[a];` +
      `${black},trim=end_frame=20[c];[a][b][c]concat=n=3:v=1[out]`,
    ...['-map', '[out]', '-an', '-c:v', 'libx264', '-preset', 'veryfast', '-g', '50'],
  ]);
  engine = await EngineUnderTest.start({ localRoots: [dirname(film)] });
});
afterAll(() => engine?.close());

async function cutsOf(jobId: string, more: Record<string, unknown>) {
  const config = { job_id: jobId, format: 'csv', labels: ['person'], ...more };
  const jobs = new Set<number | undefined>();
  let made = await engine.api.call(Export, 'POST', '/exports/', { strategy: 'segments_export', config });
  for (; !isTerminal(made.state); await sleep(200)) {
    made = await engine.api.call(Export, 'GET', `/exports/${made.id}/`);
    jobs.add((await engine.api.call(JobPage, 'GET', '/jobs/')).total);
  }
  const { data } = await engine.api.call(ArtifactPage, 'GET', `/exports/${made.id}/artifacts/`);
  const file = await engine.api.request('GET', `/exports/${made.id}/artifacts/${data[0]?.id}/file/`);
  const rows = (await file.text()).trim().split(/\r?\n/).slice(1);
  return { made, jobs: [...jobs], rows: rows.map((row) => row.split(',').slice(2, 5)) };
}

it('a refined export begins and ends with the first and the last frame, by jobs that nobody sees', async () => {
  const { id } = await engine.api.mine({ sources: [film], modules: { object_scene_recognition: {} } });
  const sampled = await cutsOf(id, {});
  expect(Number(sampled.rows[0]?.[2])).toBeLessThan(MAN[1] - MAN[0]);
  const { made, jobs, rows } = await cutsOf(id, { refine: true });
  expect([made.notes, rows]).toEqual([[], [['00:00:00:20', '00:00:02:05', String(MAN[1] - MAN[0] + 1)]]]);
  expect(jobs).toEqual([1]);
});
