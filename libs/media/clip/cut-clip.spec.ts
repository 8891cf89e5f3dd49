/** @needs ffmpeg, time */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MediaFacts } from '@adit/contracts';
import { ffmpegProgram, fpsMode, numberedFilm, playedNumbers, quarterTurned, transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cutClip, probeMedia, type ClipSpan, type FrameIndex } from '../index.js';

const run = promisify(execFile);
const SECONDS = 25;
/** Beeps of 0.2 s, the n-th at n × 2 s. */
const BEEPS = 'aevalsrc=lt(mod(t\\,2)\\,0.2)*sin(880*2*PI*t):s=48000:d=25';
const source = ['-f', 'lavfi', '-i', numberedFilm({ seconds: SECONDS }), '-f', 'lavfi', '-i', BEEPS];
const x264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-g', '50'];
const openGop = ['-x264-params', 'open-gop=1:bframes=3:keyint=60:min-keyint=60:scenecut=0'];
const mpeg2 = ['-pix_fmt', 'yuv420p', '-c:v', 'mpeg2video', '-b:v', '1500k', '-bf', '2'];
const ntsc = ['-f', 'lavfi', '-i', numberedFilm({ seconds: SECONDS, rate: '30000/1001' }), '-f', 'lavfi', '-i', BEEPS];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'adit-clips-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Opened {
  path: string;
  facts: MediaFacts;
  index: FrameIndex | null;
}

async function opened(path: string): Promise<Opened> {
  return { path, ...(await probeMedia(path)) };
}

/** Cuts a clip; nothing is left beside it. */
async function clipOf({ path, facts, index }: Opened, span: Partial<ClipSpan>, exact: boolean): Promise<string> {
  const folder = await mkdtemp(join(directory, 'clip-'));
  const target = join(folder, 'clip');
  const whole = { frames: null, timeStart: 0, timeEnd: 0, handles: 0, ...span };
  await cutClip({ path, facts, index, span: whole, exact, target });
  expect(await readdir(folder)).toEqual(['clip']);
  return target;
}

it.each([false, true])('more bytes than a clip may have are too large (exact: %s)', async (exact) => {
  const { path, facts, index } = await opened(await transcode('large.mp4', [...source, ...x264, '-c:a', 'aac']));
  const folder = await mkdtemp(join(directory, 'large-'));
  const span = { frames: { first: 0, last: 600 }, timeStart: 0, timeEnd: 24, handles: 0 };
  const request = { path, facts, index, span, exact, target: join(folder, 'clip'), maxBytes: 20_000 };
  await expect(cutClip(request)).rejects.toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining('GiB') });
  expect(await readdir(folder)).toEqual([]);
});

/** Seconds at which a beep begins, of the first track of sound. */
async function beepsOf(path: string): Promise<number[]> {
  const rate = 8000;
  const { stdout } = await run(
    ffmpegProgram(),
    [
      '-v',
      'fatal',
      '-i',
      path,
      '-map',
      '0:a:0',
      '-af',
      'aresample=async=1:first_pts=0',
      '-ac',
      '1',
      '-ar',
      `${rate}`,
    ].concat(['-f', 's16le', '-']),
    { encoding: 'buffer', maxBuffer: 1 << 26 },
  );
  const starts: number[] = [];
  let silentSince = -rate;
  for (let at = 0; at < stdout.length / 2; at += 1) {
    if (Math.abs(stdout.readInt16LE(at * 2)) < 3000) continue;
    if (at - silentSince > rate / 2) starts.push(at / rate);
    silentSince = at;
  }
  return starts;
}

const films: Record<string, { make: () => Promise<string>; turned?: 90; fps?: number; refused?: RegExp }> = {
  'MP4 with B-frames': { make: () => transcode('clip-b.mp4', [...source, ...x264]) },
  'MP4 with open GOPs': { make: () => transcode('clip-open.mp4', [...source, ...x264, ...openGop]) },
  'a film at 29.97': { make: () => transcode('clip-ntsc.mp4', [...ntsc, ...x264]), fps: 30_000 / 1001 },
  'a transport stream': { make: () => transcode('clip.ts', [...source, ...x264]) },
  'a transport stream whose clock wraps': {
    make: () => transcode('clip-wrap.ts', [...source, ...x264, '-output_ts_offset', '95430', '-f', 'mpegts']),
  },
  'a program stream': {
    make: () => transcode('clip.mpg', [...source, ...mpeg2, '-g', '15', '-f', 'vob']),
    refused: /carry times to cut at: ask for exact=true/,
  },
  'Matroska with Opus': { make: () => transcode('clip.mkv', [...source, ...x264, '-c:a', 'libopus']) },
  'MXF with PCM': {
    make: () => transcode('clip.mxf', [...source, ...mpeg2, '-c:a', 'pcm_s16le']),
  },
  'a film that is turned': {
    make: async () => transcode('clip-turned.mp4', quarterTurned(await transcode('clip-b.mp4', [...source, ...x264]))),
    turned: 90,
  },
};

const COPIED = 'a copied one begins at the keyframe before, and sounds as the film does';

describe.each(Object.entries(films))('a clip of %s', (_, { make, turned, fps = 25, refused }) => {
  let film: Opened;
  let truth: number[];
  beforeAll(async () => {
    const path = await make();
    film = await opened(path);
    truth = await playedNumbers(path, film.facts.kind === 'video' ? film.facts.stream : 0, turned);
  }, 300_000);

  it.each([
    [0, 0],
    [237, 301],
    [250, 250],
  ])('frames %i to %i are all that an exact one shows', async (first, last) => {
    const clip = await clipOf(film, { frames: { first, last }, timeStart: first / fps, timeEnd: last / fps }, true);
    expect(await playedNumbers(clip, 0, turned)).toEqual(truth.slice(first, last + 1));
  });

  it('an exact one goes on to the last frame, and sounds as the film does', async () => {
    const first = Math.round(9.6 * fps);
    const clip = await clipOf(film, { frames: { first, last: truth.length - 1 }, timeStart: 9.6, timeEnd: 25 }, true);
    expect(await playedNumbers(clip, 0, turned)).toEqual(truth.slice(first));
    const [beep = NaN] = await beepsOf(clip);
    expect(Math.abs(beep - (10 - first / fps))).toBeLessThan(0.05);
  });

  it(refused === undefined ? COPIED : 'a copied one is refused', async () => {
    const [first, last] = [237, 301];
    const span = { frames: { first, last }, timeStart: first / fps, timeEnd: last / fps };
    if (refused !== undefined) return expect(clipOf(film, span, false)).rejects.toThrow(refused);
    const clip = await clipOf(film, span, false);
    const shown = await playedNumbers(clip, 0, turned);
    const begin = truth.indexOf(shown[0] ?? NaN);
    expect(film.index?.keyFrames.includes(begin)).toBe(true);
    expect(begin).toBeLessThanOrEqual(first);
    expect(begin).toBeGreaterThan(first - 62);
    expect(shown.slice(0, last + 1 - begin)).toEqual(truth.slice(begin, last + 1));
    expect(shown.length).toBeLessThan(last + 10 - begin);
    const beep = Math.ceil(begin / fps / 2) * 2 - begin / fps;
    const [heard = NaN] = await beepsOf(clip);
    expect(Math.abs(heard - beep)).toBeLessThan(0.08);
  });
});

describe('a span', () => {
  let film: Opened;
  beforeAll(async () => {
    film = await opened(await transcode('clip-b.mp4', [...source, ...x264]));
  });

  it.each([
    [2, [187, 351]],
    [30, [0, 624]],
  ])('handles of %i s are added on both sides, within the film', async (handles, [first = 0, last = 0]) => {
    const span = { frames: { first: 237, last: 301 }, timeStart: 9.48, timeEnd: 12.04, handles };
    const shown = await playedNumbers(await clipOf(film, span, true), 0);
    expect([shown[0], shown.at(-1)]).toEqual([first, last]);
  });

  it('is found by time where there are no frames', async () => {
    const clip = await clipOf(film, { timeStart: 9.5, timeEnd: 10.1 }, true);
    const shown = await playedNumbers(clip, 0);
    expect([shown[0], shown.at(-1)]).toEqual([237, 252]);
  });

  it('of a film without sound has none, and its pictures keep their distances', async () => {
    const silent = await transcode('clip-vfr.mkv', [
      ...['-f', 'lavfi', '-i', `${numberedFilm({ seconds: SECONDS })},select='not(mod(n,3))+lt(n,200)'`],
      ...[...x264, ...fpsMode('vfr')],
    ]);
    const varying = await opened(silent);
    const truth = await playedNumbers(silent, 0);
    for (const exact of [true, false]) {
      const clip = await clipOf(varying, { frames: { first: 150, last: 230 }, timeStart: 6, timeEnd: 11 }, exact);
      const { facts, index } = await opened(clip);
      expect(facts).toMatchObject({ kind: 'video', audioStreams: [] });
      const shown = await playedNumbers(clip, 0);
      const begin = truth.indexOf(shown[0] ?? NaN);
      const seconds = (of: FrameIndex | null, frame: number) => of?.seconds(of.ptsOf(frame)) ?? NaN;
      const zero = seconds(varying.index, begin);
      for (let frame = 0; frame <= 230 - begin; frame += 1)
        expect(seconds(index, frame)).toBeCloseTo(seconds(varying.index, begin + frame) - zero, 2);
    }
  });

  it('pictures that an MP4 does not hold are encoded anew, or refused', async () => {
    const prores = await opened(await transcode('clip.mov', [...source, '-c:v', 'prores_ks', '-t', '4']));
    const span = { frames: { first: 20, last: 40 }, timeStart: 0.8, timeEnd: 1.6 };
    await expect(clipOf(prores, span, false)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    expect(await playedNumbers(await clipOf(prores, span, true), 0)).toHaveLength(21);
  });
});

describe('a clip of sound', () => {
  it.each([
    ['clip.wav', ['-c:a', 'pcm_s16le']],
    ['clip.m4a', ['-c:a', 'aac']],
    ['clip-vbr.mp3', ['-c:a', 'libmp3lame', '-q:a', '4']],
    ['clip.flac', ['-c:a', 'flac']],
    ['clip.ogg', ['-c:a', 'libvorbis']],
  ])('%s is cut where it is asked for', async (name, codec) => {
    const sound = await opened(await transcode(name, ['-f', 'lavfi', '-i', BEEPS, ...codec]));
    for (const exact of [true, false]) {
      const clip = await clipOf(sound, { timeStart: 9.5, timeEnd: 11, handles: 0.5 }, exact);
      const [beep = NaN, ...others] = await beepsOf(clip);
      expect(Math.abs(beep - 1)).toBeLessThan(0.06);
      expect(others).toEqual([]);
      expect((await probeMedia(clip)).facts).toMatchObject({ kind: 'audio' });
    }
  });
});
