/** @needs ffmpeg */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VideoFacts } from '@adit/contracts';
import { numberedFilm, transcode } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { decodeInterval, ffmpegInfo, makeThumbnail, planGrid, probeMedia, type FrameIndex } from '../index.js';

it('ffmpeg is asked for its features once, with options that every version supports', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adit-asked-'));
  const before = process.env['ADIT_FFMPEG'];
  try {
    const path = await transcode('asked.mp4', [
      '-f',
      'lavfi',
      '-i',
      numberedFilm({ seconds: 2 }),
      '-pix_fmt',
      'yuv420p',
    ]);
    const [program, log] = [join(folder, 'ffmpeg'), join(folder, 'log')];
    await writeFile(program, `#!/bin/sh\necho "$*" >> "${log}"\nexec "${before ?? 'ffmpeg'}" "$@"\n`);
    await chmod(program, 0o755);
    process.env['ADIT_FFMPEG'] = program;
    const probed = await probeMedia(path);
    const [facts, index] = [probed.facts as VideoFacts, probed.index as FrameIndex];
    const request = { path, facts, index, interval: planGrid(index)[0]!, specs: [{ rate: 1, shorterSide: 48 }] };
    await decodeInterval(request);
    await decodeInterval(request);
    const asked = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '' && !line.includes('-i '));
    expect(asked.toSorted()).toEqual(['-hide_banner -filters', '-hide_banner -h long', '-hide_banner -version']);
    expect([...(await ffmpegInfo()).filters]).toEqual(
      expect.arrayContaining(['select', 'scale', 'colorspace', 'bwdif']),
    );
  } finally {
    if (before === undefined) delete process.env['ADIT_FFMPEG'];
    else process.env['ADIT_FFMPEG'] = before;
    await rm(folder, { recursive: true, force: true });
  }
});

it.each([
  ['png', 'encoder'],
  ['image2', 'muxer'],
  ['thumbnail', 'filter'],
])('a build of ffmpeg without %s is no fault of the media', async (name, part) => {
  const folder = await mkdtemp(join(tmpdir(), 'adit-lacking-'));
  const before = process.env['ADIT_FFMPEG'];
  try {
    const path = await transcode('lacking.mp4', ['-f', 'lavfi', '-i', numberedFilm({ seconds: 1 })]);
    const program = join(folder, 'ffmpeg');
    // The real one is asked for a name that it does not have.
    const renamed = `args=$(printf '%s\\n' "$@" | sed -E 's/(^|])${name}($|=)/\\1absent_${name}\\2/')`;
    await writeFile(program, `#!/bin/sh\n${renamed}\nIFS='\n'\nset -f\nexec "${before ?? 'ffmpeg'}" $args\n`);
    await chmod(program, 0o755);
    process.env['ADIT_FFMPEG'] = program;
    await expect(makeThumbnail({ path, directory: folder })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining(`ffmpeg has no ${part} absent_${name}:`),
    });
  } finally {
    if (before === undefined) delete process.env['ADIT_FFMPEG'];
    else process.env['ADIT_FFMPEG'] = before;
    await rm(folder, { recursive: true, force: true });
  }
});
