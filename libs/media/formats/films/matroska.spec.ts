/** @needs ffmpeg */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { cachedMedia, cutAt, ffmpegProgram, fpsMode, numberedFilm, transcode } from '@adit/testing';
import { expectExactFilms } from '../../testing/exact-films.js';

const run = promisify(execFile);
const SECONDS = 25;
const film = numberedFilm({ seconds: SECONDS });
const source = ['-f', 'lavfi', '-i', film];
const sound = ['-f', 'lavfi', '-i', `sine=d=${SECONDS}`];
const x264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast'];
const vp8 = ['-pix_fmt', 'yuv420p', '-c:v', 'libvpx', '-b:v', '600k', '-g', '60'];
const vp9 = ['-pix_fmt', 'yuv420p', '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '60'];
/** Written as by a browser that records: nothing behind can be noted in front, so no duration and no cues. */
const recorded = ['-f', 'webm', '-live', '1'];
const all = SECONDS * 25;

/** Two passes, since only a second one makes pictures that are stored and never shown. */
function withHiddenPictures(): Promise<string> {
  const args = [...source, ...vp8, '-auto-alt-ref', '1', '-lag-in-frames', '25'];
  return cachedMedia('hidden.webm', args, async (path) => {
    const log = `${path}.log`;
    const pass = (number: number) => [
      '-nostdin',
      '-v',
      'error',
      '-y',
      ...args,
      '-pass',
      String(number),
      '-passlogfile',
      log,
    ];
    await run(ffmpegProgram(), [...pass(1), '-f', 'null', '-']);
    await run(ffmpegProgram(), [...pass(2), path]);
    await rm(`${log}-0.log`, { force: true });
  });
}

expectExactFilms({
  'Matroska, H.264 with B-frames and PCM': {
    make: () => transcode('bframes.mkv', [...source, ...sound, ...x264, '-bf', '3', '-g', '50', '-c:a', 'pcm_s16le']),
    facts: {
      container: 'matroska,webm',
      codec: 'h264',
      fps: { num: 25, den: 1 },
      totalFrames: all,
      variableFrameRate: false,
      audioStreams: [{ stream: 1, codec: 'pcm_s16le', channels: 1, sampleRate: 44_100 }],
    },
  },
  'Matroska, HEVC with open GOPs': {
    make: () =>
      transcode('open-gop.mkv', [
        ...[...source, '-pix_fmt', 'yuv420p', '-c:v', 'libx265', '-preset', 'ultrafast'],
        ...['-x265-params', 'log-level=none:keyint=50:open-gop=1:bframes=3:scenecut=0'],
      ]),
    facts: { codec: 'hevc', totalFrames: all },
  },
  'Matroska with a varying frame rate': {
    make: () =>
      transcode('vfr.mkv', [
        ...['-f', 'lavfi', '-i', `${film},select='not(mod(n,5))+lt(mod(n,40),17)'`, ...fpsMode('vfr')],
        ...[...x264, '-g', '40', '-bf', '2'],
      ]),
    facts: { variableFrameRate: true },
  },
  'WebM, VP8 with pictures that are never shown': {
    make: withHiddenPictures,
    facts: { codec: 'vp8', totalFrames: all, fps: { num: 25, den: 1 } },
  },
  'WebM, VP9 with Opus': {
    make: () => transcode('opus.webm', [...source, ...sound, ...vp9, '-b:v', '600k', '-c:a', 'libopus']),
    facts: {
      codec: 'vp9',
      totalFrames: all,
      audioStreams: [{ stream: 1, codec: 'opus', channels: 1, sampleRate: 48_000 }],
    },
  },
  'WebM, AV1': {
    make: () =>
      transcode('av1.webm', [
        ...[...source, '-pix_fmt', 'yuv420p', '-c:v', 'libaom-av1', '-cpu-used', '8', '-g', '60'],
        ...['-crf', '25', '-b:v', '0'],
      ]),
    facts: { codec: 'av1', totalFrames: all },
  },
  'WebM as a browser records it, VP8 at any times': {
    make: () =>
      transcode('recorded.webm', [
        ...['-f', 'lavfi', '-i', `${film},select='not(mod(n,3))+lt(mod(n,50),20)'`, ...fpsMode('vfr')],
        ...[...vp8, '-deadline', 'realtime', '-cpu-used', '8', ...recorded],
      ]),
    facts: { codec: 'vp8', variableFrameRate: true },
  },
  'WebM as a browser records it, VP9 without cues': {
    make: () => transcode('recorded-vp9.webm', [...source, ...vp9, '-b:v', '600k', ...recorded]),
    facts: { codec: 'vp9', totalFrames: all, fps: { num: 25, den: 1 } },
  },
  'Matroska cut in the middle of a cluster': {
    make: async () => {
      const whole = await transcode('bframes.mkv', [...source, ...x264, '-bf', '3', '-g', '50']);
      return cachedMedia('cut.mkv', [whole, '0.93'], async (path) => {
        await writeFile(path, cutAt(await readFile(whole), 0.93));
      });
    },
    facts: { codec: 'h264' },
  },
});
