/** @needs ffmpeg */
import { transcode } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { probeMedia } from './index.js';

const [LARGE, SMALL] = ['320x240', '160x120'];

it.each([
  ['first', LARGE, SMALL, [{ stream: 1, channels: 1 }]],
  ['second', SMALL, LARGE, [{ stream: 3, channels: 2 }]],
])('a film that is the %s of two programmes has no sound of the other', async (_which, one, other, sounds) => {
  const path = await transcode(`programmes-${one}.ts`, [
    ...['-f', 'lavfi', '-i', `testsrc=size=${one}:rate=25:d=2`, '-f', 'lavfi', '-i', 'sine=440:d=2'],
    ...['-f', 'lavfi', '-i', `testsrc=size=${other}:rate=25:d=2`, '-f', 'lavfi', '-i', 'sine=880:d=2'],
    ...[
      '-map',
      '0',
      '-map',
      '1',
      '-map',
      '2',
      '-map',
      '3',
      '-c:v',
      'mpeg2video',
      '-c:a',
      'mp2',
      '-ac:a:0',
      '1',
      '-ac:a:1',
      '2',
    ],
    ...['-program', 'program_num=1:st=0:st=1', '-program', 'program_num=2:st=2:st=3'],
  ]);
  const { facts } = await probeMedia(path);
  expect(facts).toMatchObject({ width: 320, audioStreams: sounds });
});
