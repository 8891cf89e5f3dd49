/** @needs ffmpeg */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { ffmpegFindings } from './doctor-ffmpeg.js';

const real = process.env['ADIT_FFMPEG'];
let folder: string | undefined;

afterEach(async () => {
  if (real === undefined) delete process.env['ADIT_FFMPEG'];
  else process.env['ADIT_FFMPEG'] = real;
  if (folder !== undefined) await rm(folder, { recursive: true });
});

it('finds what is needed in a complete build of ffmpeg', async () => {
  const [first, ...others] = await ffmpegFindings();
  expect(first).toMatchObject({ state: 'good', what: expect.stringMatching(/^ffmpeg \S+ at /) });
  expect(others.filter(({ what }) => /has no|cannot decode/.test(what))).toEqual([]);
});

it('names what a build of ffmpeg lacks', async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-doctor-'));
  const program = join(folder, 'ffmpeg');
  await writeFile(program, `#!/bin/sh\n"${real ?? 'ffmpeg'}" "$@" | grep -vE ' (png|showwavespic|hevc|mp3) '\n`);
  await chmod(program, 0o755);
  process.env['ADIT_FFMPEG'] = program;
  const lacks = (await ffmpegFindings()).filter(({ what }) => /has no|cannot decode/.test(what));
  expect(lacks).toEqual([
    { state: 'bad', what: 'ffmpeg has no encoder png', advice: expect.stringMatching(/complete build.* zlib/) },
    { state: 'bad', what: 'ffmpeg has no filter showwavespic', advice: expect.stringMatching(/complete build/) },
    { state: 'warning', what: 'ffmpeg cannot decode hevc, mp3', advice: expect.stringMatching(/refused/) },
  ]);
});
