/** @needs ffmpeg */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { decodeAudio, ffmpegPath, probeMedia } from '../index.js';
import { decodeLive, type SoundWanted } from './live-decoder.js';
import { openHead } from './live-head.js';
import type { LiveSound } from './sound-cutter.js';

const RATE = 16_000;

let directory: string;
let film: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'live-sound-'));
  // Its sound begins before its first picture, as that of a stream that is joined does.
  film = await transcode('live-sound.ts', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-i', sampleMedia().kennedy],
    ...['-filter_complex', '[1:a]aresample=48000,aformat=channel_layouts=stereo,volume=0.5[a]'],
    ...['-map', '0:v', '-map', '[a]', '-t', '11', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-c:a', 'aac'],
    ...['-output_ts_offset', '40'],
  ]);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const FORMATS = {
  mpegts: ['-f', 'mpegts'],
  nut: ['-f', 'nut'],
  mp4: ['-bsf:a', 'aac_adtstoasc', '-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_keyframe'],
} as const;

async function bytesOf(container: keyof typeof FORMATS, more: readonly string[] = []): Promise<Buffer> {
  const args = ['-v', 'error', '-copyts', '-i', film, '-c', 'copy', ...more, ...FORMATS[container], 'pipe:1'];
  const child = spawn(await ffmpegPath(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  await once(child, 'close');
  return Buffer.concat(pieces);
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7_000) {
    yield bytes.subarray(at, at + 7_000);
    await new Promise(setImmediate);
  }
}

/** Decodes a run, and returns its sound and the number of its pieces with pictures. */
async function heard(
  container: keyof typeof FORMATS,
  bytes: Buffer,
  { place = { frame: 0, us: 0, endUs: 0 }, fromUs = 0 } = {},
): Promise<{ sounds: LiveSound[]; pieces: number }> {
  const { signal } = new AbortController();
  const run = { container, body: Readable.from(inPieces(bytes)), isSegmented: true, statedTime: null, gap: null };
  const head = await openHead(run, { directory, signal, soundAlone: true });
  const sounds: LiveSound[] = [];
  const [stream] = head.sounds;
  const sound: SoundWanted | undefined = stream && { stream, fromUs, onSound: (part) => sounds.push(part) };
  const decoding = {
    head,
    container,
    isSegmented: true,
    specs: [],
    pieceSeconds: 1,
    directory,
    signal,
    place: () => place,
  };
  let pieces = 0;
  for await (const { pictures } of decodeLive({ ...decoding, ...(sound && { sound }) })) {
    expect(pictures.size).toBe(0);
    pieces++;
  }
  return { sounds, pieces };
}

/** The parts of a stream joined, which go on from each other. */
function joined(sounds: readonly LiveSound[]): { startMs: number; samples: Float32Array } {
  const parts = sounds.map(({ interval, start, samples }) =>
    samples.subarray(interval.startMs * 16 - start, interval.endMs * 16 - start),
  );
  for (const [i, { interval }] of sounds.entries()) {
    if (i > 0) expect(interval.startMs).toBe(sounds[i - 1]!.interval.endMs);
  }
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return { startMs: sounds[0]!.interval.startMs, samples };
}

function levelOf(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, each) => sum + each * each, 0) / samples.length);
}

/** The sound of a file as the chunks of a film have it. */
async function filmSound(path: string): Promise<Float32Array> {
  const { facts } = await probeMedia(path);
  const format = { sampleRate: RATE, channels: 1 as const };
  const { path: decoded } = await decodeAudio({ path, facts, format, target: join(directory, 'whole') });
  const bytes = await readFile(decoded);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

describe('the sound of a live run', () => {
  it.each(['mpegts', 'mp4'] as const)(
    'has the samples of the same film at the same times, by %s',
    async (container) => {
      const bytes = await bytesOf(container);
      const path = join(directory, `film.${container === 'mp4' ? 'mp4' : 'ts'}`);
      await writeFile(path, bytes);
      const whole = await filmSound(path);
      const { sounds, pieces } = await heard(container, bytes);
      expect(pieces).toBe(11);
      const { startMs, samples } = joined(sounds);
      expect(startMs).toBeLessThan(60);
      expect(samples.length / RATE).toBeGreaterThan(10.9);
      const same = whole.subarray(startMs * 16, startMs * 16 + samples.length);
      expect(Buffer.from(samples.buffer).equals(Buffer.from(Float32Array.from(same).buffer))).toBe(true);
    },
  );

  it('comes in parts of 3 to 6 s that are cut in pauses, each with the sound around it', async () => {
    const { sounds } = await heard('nut', await bytesOf('nut'));
    expect(sounds.length).toBeGreaterThanOrEqual(2);
    for (const { interval, start, samples } of sounds.slice(0, -1)) {
      const { startMs, endMs } = interval;
      expect(endMs - startMs).toBeGreaterThanOrEqual(3000);
      expect(endMs - startMs).toBeLessThanOrEqual(6000);
      expect(start).toBeLessThanOrEqual(sounds[0]!.interval.startMs * 16);
      expect(start + samples.length).toBeCloseTo(endMs * 16 + 1.2 * RATE, -3);
      const pause = samples.subarray(endMs * 16 - start - 2400, endMs * 16 - start + 2400);
      expect(levelOf(pause)).toBeLessThan(levelOf(samples) / 4);
    }
  });

  it('goes on from the place in the stream, without what was heard before', async () => {
    const place = { frame: 500, us: 20_000_000, endUs: 22_000_000 };
    const { sounds } = await heard('nut', await bytesOf('nut'), { place, fromUs: 23_500_000 });
    expect(sounds[0]!.interval.startMs).toBe(23_500);
    expect(sounds.at(-1)!.interval.endMs / 1000).toBeCloseTo(31, 0);
  });

  it('is missing where the run has none, and its pictures are there', async () => {
    expect(await heard('mpegts', await bytesOf('mpegts', ['-an']))).toEqual({ sounds: [], pieces: 11 });
  });

  it.each(['mpegts', 'nut', 'mp4'] as const)(
    'tells the time itself where there are no pictures, by %s',
    async (container) => {
      const alone = await bytesOf(container, ['-vn']);
      const { sounds, pieces } = await heard(container, alone, { place: { frame: 0, us: 5_000_000, endUs: 0 } });
      // Its last packet may reach into the next second.
      expect([11, 12]).toContain(pieces);
      const { startMs, samples } = joined(sounds);
      expect(Math.abs(startMs - 5000)).toBeLessThan(60);
      expect(samples.length / RATE).toBeGreaterThan(10.9);
      // The same as beside pictures.
      const beside = joined((await heard(container, await bytesOf(container))).sounds);
      expect(Math.abs(levelOf(samples) / levelOf(beside.samples) - 1)).toBeLessThan(0.01);
    },
  );

  it('is not enough for those who want pictures, which is said', async () => {
    const body = Readable.from(inPieces(await bytesOf('nut', ['-vn'])));
    const run = { container: 'nut', body, isSegmented: true, statedTime: null, gap: null } as const;
    const { signal } = new AbortController();
    await expect(openHead(run, { directory, signal })).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: 'The stream has sound and no pictures.',
    });
  });
});
