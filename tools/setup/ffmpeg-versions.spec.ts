import { TRIED_FFMPEG } from '../../libs/media/ffmpeg/tried-ffmpeg.js';
import { expect, it } from '@jest/globals';
import { Step } from './step.mjs';
import { ensureFfmpegVersion, NEWEST, VERSIONS } from './steps/ffmpeg-versions.mjs';

const majorOf = (version: string) => Number(version.split('.', 1)[0]);

it('fetches what is said to have been tried', () => {
  const fetched = Object.keys(VERSIONS).map(Number);
  // 5.1 is that of Debian 12, which the tests run on anyway.
  expect(TRIED_FFMPEG.map(majorOf)).toEqual([5, ...fetched]);
  expect(NEWEST).toBe(fetched.at(-1));
});

it.each([undefined, '5', '10', 'constructor', 'latest'])('says what there is instead of %s', async (version) => {
  await expect(ensureFfmpegVersion(new Step(), version)).rejects.toThrow(/^--ffmpeg takes 7, 8, 9 or newest, not "/);
});
