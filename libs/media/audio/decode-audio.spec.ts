/** @needs ffmpeg */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fpsMode, transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAudioPackBuffer } from './audio-pack.js';
import { planAudioGrid, PLANNING_RATE } from './audio-plan.js';
import { cutAudio } from './cut-audio.js';
import { audioPieces, decodeAudio, type DecodedAudio } from './decode-audio.js';
import { probeMedia } from '../probe.js';

/** Clicks at 1.0, 2.5 and 4.0 s. */
const CLICKS = "aevalsrc='if(lt(mod(t-1,1.5),0.0005)*gte(t,1)*lt(t,4.2),0.9,0)':s=48000:d=5";
const TIMES = [1, 2.5, 4];
const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=25:d=5'];
const SOUND = ['-f', 'lavfi', '-i', CLICKS];
const FILM = ['-map', '0:v', '-map', '1:a', '-pix_fmt', 'yuv420p'];

describe('decoding sound', () => {
  let folder: string;
  let decoded = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-audio-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const decode = async (path: string, sampleRate = PLANNING_RATE, channels: 1 | 2 = 1): Promise<DecodedAudio> => {
    const { facts } = await probeMedia(path);
    const target = join(folder, String(decoded++));
    return decodeAudio({ path, facts, format: { sampleRate, channels }, target });
  };
  const clicksOf = async (path: string): Promise<number[]> => {
    const clicks: number[] = [];
    let at = 0;
    for await (const piece of audioPieces(await decode(path))) {
      for (const sample of piece) {
        const time = at++ / PLANNING_RATE;
        if (Math.abs(sample) > 0.2 && time - (clicks.at(-1) ?? -1) > 0.1) clicks.push(time);
      }
    }
    return clicks;
  };

  // MP2 and ADTS do not state how many priming samples the encoder added.
  it.each([
    ['clicks.wav', [...SOUND]],
    ['clicks.flac', [...SOUND]],
    ['clicks.mp3', [...SOUND]],
    ['clicks.ogg', [...SOUND]],
    ['clicks.m4a', [...SOUND]],
    ['clicks.mp4', [...PICTURES, ...SOUND, ...FILM]],
    ['clicks.ts', [...PICTURES, ...SOUND, ...FILM, '-c:v', 'mpeg2video', '-c:a', 'mp2']],
    ['clicks-early.mp4', ['-itsoffset', '0.4', ...PICTURES, ...SOUND, ...FILM, ...fpsMode('passthrough')], -0.4],
    ['clicks-late.mp4', [...PICTURES, '-itsoffset', '0.7', ...SOUND, ...FILM], 0.7],
  ] as [string, string[], number?][])('puts every sample of %s where it is heard', async (name, args, shift = 0) => {
    const clicks = await clicksOf(await transcode(name, args));
    const expected = TIMES.map((time) => time + shift).filter((time) => time > 0);
    expect(clicks).toHaveLength(expected.length);
    // Containers state times in milliseconds.
    for (const [at, time] of expected.entries()) expect(Math.abs(clicks[at]! - time)).toBeLessThan(0.0015);
  });

  it('gives a chunk the very samples that the whole has there, and its overlap', async () => {
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=64:c=pink:r=44100:seed=3', '-ac', '2', '-c:a', 'aac'];
    const path = await transcode('noise.m4a', noise);
    const grid = await planAudioGrid(audioPieces(await decode(path)));
    expect(grid.length).toBeGreaterThan(2);
    for (const [sampleRate, channels, overlapSeconds] of [
      [16_000, 1, 3],
      [44_100, 2, 0.5],
    ] as const) {
      const spec = { sampleRate, channels, overlapSeconds };
      const audio = await decode(path, sampleRate, channels);
      const whole = await readFile((await decode(path, sampleRate, channels)).path);
      expect(audio.samples).toBe(whole.length / 4 / channels);
      let end = 0;
      for (const interval of grid) {
        const pack = await openAudioPackBuffer(await cutAudio(audio, interval, spec));
        expect(pack.ownStart).toBe(end);
        end = pack.ownEnd;
        expect(pack.start).toBe(Math.max(0, pack.ownStart - overlapSeconds * sampleRate));
        expect(pack.end).toBe(Math.min(audio.samples, pack.ownEnd + overlapSeconds * sampleRate));
        const samples = await pack.samples(pack.start, pack.end);
        const same = whole.subarray(pack.start * channels * 4, pack.end * channels * 4);
        expect(Buffer.from(samples.buffer).equals(same)).toBe(true);
      }
      expect(end).toBe(audio.samples);
    }
  });

  it('gives every chunk the same excerpts of the whole, evenly spread, and all of a short source', async () => {
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=64:c=pink:r=44100:seed=3', '-ac', '2', '-c:a', 'aac'];
    const path = await transcode('noise.m4a', noise);
    const audio = await decode(path, PLANNING_RATE, 1);
    const whole = await readFile(audio.path);
    const cut = async (startMs: number, count: number, seconds: number): Promise<Buffer> => {
      const spec = { sampleRate: PLANNING_RATE, channels: 1 as const, overlapSeconds: 0, excerpts: { count, seconds } };
      const pack = await openAudioPackBuffer(await cutAudio(audio, { startMs, endMs: startMs + 20_000 }, spec));
      const length = Math.min(count * seconds * PLANNING_RATE, audio.samples);
      expect(pack).toMatchObject({ start: 0, ownStart: 0, end: length, ownEnd: length });
      return Buffer.from((await pack.samples(0, length)).buffer);
    };
    const bytes = (samples: number): number => Math.floor(samples) * 4;
    const [of, second] = [audio.samples, 2 * PLANNING_RATE];
    const first = whole.subarray(bytes(of / 4 - second / 2), bytes(of / 4 - second / 2) + bytes(second));
    const other = whole.subarray(bytes((3 * of) / 4 - second / 2), bytes((3 * of) / 4 - second / 2) + bytes(second));
    expect((await cut(0, 2, 2)).equals(Buffer.concat([first, other]))).toBe(true);
    expect((await cut(40_000, 2, 2)).equals(Buffer.concat([first, other]))).toBe(true);
    expect((await cut(20_000, 8, 10)).equals(whole)).toBe(true);
  });

  (existsSync('/dev/full') ? it : it.skip)('does not blame the media when the disk is full', async () => {
    const path = await transcode('clicks.wav', [...SOUND]);
    const { facts } = await probeMedia(path);
    const target = join(folder, 'full');
    await symlink('/dev/full', `${target}.part`);
    const request = { path, facts, format: { sampleRate: PLANNING_RATE, channels: 1 as const }, target };
    await expect(decodeAudio(request)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(existsSync(target)).toBe(false);
  });

  it('refuses media without sound', async () => {
    const path = await transcode('mute.mp4', [...PICTURES, '-pix_fmt', 'yuv420p']);
    await expect(decode(path)).rejects.toMatchObject({ code: 'MEDIA_INVALID', message: /no sound/ });
  });
});
