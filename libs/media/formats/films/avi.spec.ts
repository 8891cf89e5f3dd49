/** @needs ffmpeg, time */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedMedia, fpsMode, numberedFilm, transcode } from '@adit/testing';
import { decodeAudio, probeMedia, type FrameIndex } from '../../index.js';
import { expectExactFilms } from '../../testing/exact-films.js';

const SECONDS = 25;
const all = SECONDS * 25;
const film = numberedFilm({ seconds: SECONDS });
const source = ['-f', 'lavfi', '-i', film];
const x264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '50'];
const mpeg4 = ['-pix_fmt', 'yuv420p', '-c:v', 'mpeg4', '-q:v', '3', '-g', '50'];
const mjpeg = ['-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', '-q:v', '4'];
const varying = ['-f', 'lavfi', '-i', `${film},select='not(mod(n,5))+lt(mod(n,40),17)'`, ...fpsMode('vfr')];

/** The first nine tenths of a film's packets, without the index that lies behind them. */
async function withoutIndex(name: string, args: string[]): Promise<string> {
  const whole = await transcode(name, args);
  return cachedMedia(`cut-${name}`, [whole, '0.9'], async (path) => {
    const bytes = await readFile(whole);
    await writeFile(path, bytes.subarray(0, bytes.lastIndexOf('00dc', bytes.length * 0.9)));
  });
}

expectExactFilms({
  'AVI, Motion JPEG with MP3': {
    make: () => transcode('mjpeg.avi', [...source, '-f', 'lavfi', '-i', `sine=d=${SECONDS}`, ...mjpeg, '-c:a', 'mp3']),
    facts: {
      container: 'avi',
      codec: 'mjpeg',
      fps: { num: 25, den: 1 },
      totalFrames: all,
      audioStreams: [{ stream: 1, codec: 'mp3', channels: 1, sampleRate: 44_100 }],
    },
  },
  'AVI, Motion JPEG with pictures left out': {
    make: () => transcode('vfr-mjpeg.avi', [...varying, ...mjpeg]),
    facts: { codec: 'mjpeg', variableFrameRate: true },
  },
  'AVI, MPEG-4 part 2': {
    make: () => transcode('plain.avi', [...source, ...mpeg4]),
    facts: { codec: 'mpeg4', totalFrames: all },
  },
  'AVI, MPEG-4 part 2 with B-frames': {
    make: () => transcode('bframes-mpeg4.avi', [...source, ...mpeg4, '-bf', '2']),
    facts: { codec: 'mpeg4', totalFrames: all, fps: { num: 25, den: 1 } },
  },
  'AVI, H.264 with B-frames': {
    make: () => transcode('bframes.avi', [...source, ...x264]),
    facts: { codec: 'h264', totalFrames: all, fps: { num: 25, den: 1 } },
  },
  'AVI, H.264 with B-frames and pictures left out': {
    make: () => transcode('vfr.avi', [...varying, ...x264]),
    facts: { codec: 'h264', variableFrameRate: true },
  },
  'AVI, DV': {
    make: () => transcode('dv.avi', ['-f', 'lavfi', '-i', `${film},scale=720:576,setsar=16/15`, '-c:v', 'dvvideo']),
    facts: { codec: 'dvvideo', totalFrames: all },
  },
  'AVI without an index, Motion JPEG': {
    make: () => withoutIndex('mjpeg-alone.avi', [...source, ...mjpeg]),
    facts: { codec: 'mjpeg' },
  },
  'AVI without an index, H.264 with B-frames': {
    make: () => withoutIndex('bframes.avi', [...source, ...x264]),
    facts: { codec: 'h264' },
  },
});

describe('an AVI film', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-avi-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function indexOf(path: string): Promise<FrameIndex> {
    const { index } = await probeMedia(path);
    if (index === null) throw new Error('It is no film.');
    return index;
  }

  it('shows a picture until the next one that is there, also where pictures are reordered', async () => {
    const stated = await indexOf(await transcode('vfr-mjpeg.avi', [...varying, ...mjpeg]));
    const counted = await indexOf(await transcode('vfr.avi', [...varying, ...x264]));
    expect([stated.hints.timing, counted.hints.timing]).toEqual(['stated', 'counted']);
    // Nothing tells when the last two are shown, for which no packets follow.
    const times = ({ pts, startPts }: FrameIndex) => [...pts.subarray(0, -2)].map((time) => time - startPts);
    expect(times(counted)).toEqual(times(stated));
    expect(counted.duration).toBeGreaterThan(SECONDS - 1);
  });

  it('that is only sound is sound', async () => {
    const path = await transcode('sound.avi', ['-f', 'lavfi', '-i', 'sine=d=4', '-c:a', 'pcm_s16le']);
    const { facts } = await probeMedia(path);
    expect(facts).toMatchObject({ kind: 'audio', codec: 'pcm_s16le', duration: 4 });
    const target = join(folder, 'sound');
    const { samples } = await decodeAudio({ path, facts, format: { sampleRate: 16_000, channels: 1 }, target });
    expect(samples).toBe(64_000);
  });

  const hostile: [string, (bytes: Buffer) => void][] = [
    ['no time base', (bytes) => void bytes.fill(0, bytes.indexOf('strh') + 28, bytes.indexOf('strh') + 36)],
    ['the longest time base', (bytes) => void bytes.fill(0xff, bytes.indexOf('strh') + 28, bytes.indexOf('strh') + 36)],
    [
      'pictures of 2³¹ pixels a side',
      (bytes) => void bytes.fill(0x7f, bytes.indexOf('strf') + 12, bytes.indexOf('strf') + 20),
    ],
    ['a list larger than the file', (bytes) => void bytes.writeUInt32LE(0xffff_fff0, bytes.indexOf('LIST', 20) + 4)],
    [
      'an index of four billion entries',
      (bytes) => void bytes.writeUInt32LE(0xffff_ffff, bytes.lastIndexOf('idx1') + 4),
    ],
    [
      'packets larger than the file',
      (bytes) => {
        for (let at = bytes.indexOf('00dc'); at >= 0; at = bytes.indexOf('00dc', at + 4))
          bytes.writeUInt32LE(0x7fff_ffff, at + 4);
      },
    ],
    ['a header that goes on for ever', (bytes) => void bytes.writeUInt32LE(0, bytes.indexOf('hdrl') - 4)],
  ];

  /** @hardening media: Lists of an AVI file lie about their number, size or time */
  it.each(hostile)('with %s is read or refused within seconds', async (name, damage) => {
    const bytes = Buffer.from(await readFile(await transcode('small.avi', [...source, '-t', '2', ...mjpeg])));
    damage(bytes);
    const path = join(folder, `${name.replace(/\W+/g, '-')}.avi`);
    await writeFile(path, bytes);
    const began = performance.now();
    const outcome = await probeMedia(path, { timeoutSeconds: 30 }).catch((error: unknown) => error);
    expect(outcome).toMatchObject(outcome instanceof Error ? { code: 'MEDIA_INVALID' } : { facts: { kind: 'video' } });
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
