/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, type VideoFacts } from '@adit/contracts';
import { transcode } from '@adit/testing';
import { DEFAULT_FILM_LIMITS, frameCheck } from './film-limits.js';
import { readHead } from './ffmpeg/head-frames.js';
import { listPackets } from './video/index-frames.js';
import { planGrid, probeMedia, type FrameIndex } from './index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-limits-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** 200 pictures, 10 s apart, of the same size each. */
const sparse = () =>
  transcode('sparse.mov', [
    '-f',
    'lavfi',
    '-i',
    'color=s=32x32:r=1/10:d=2000',
    '-c:v',
    'mjpeg',
    '-pix_fmt',
    'yuvj420p',
  ]);

describe('the limits of a film', () => {
  /** @hardening overload: A film has 100,000 frames, 10 s apart */
  it('cover its seconds, pictures and chunks, and the error names the setting', async () => {
    const path = await sparse();
    const { facts, index } = (await probeMedia(path)) as { facts: VideoFacts; index: FrameIndex };
    expect(facts).toMatchObject({ totalFrames: 200, duration: 2000, fps: { num: 1, den: 10 } });
    expect(planGrid(index)).toHaveLength(200);
    const limited = (limits: Partial<typeof DEFAULT_FILM_LIMITS>) =>
      probeMedia(path, { film: { ...DEFAULT_FILM_LIMITS, ...limits } });
    const refusal = (setting: string) => ({
      code: 'TOO_LARGE',
      retryable: false,
      message: expect.stringContaining(setting),
    });
    await expect(limited({ maxFilmSeconds: 1999 })).rejects.toMatchObject(refusal('ADIT_MAX_FILM_SECONDS'));
    await expect(limited({ maxFilmFrames: 199 })).rejects.toMatchObject(refusal('ADIT_MAX_FILM_FRAMES'));
    expect(() => planGrid(index, { ...DEFAULT_FILM_LIMITS, maxFilmChunks: 199 })).toThrow(
      expect.objectContaining(refusal('ADIT_MAX_FILM_CHUNKS')),
    );
  });

  it('on seconds are checked while packets are listed, without listing the rest', async () => {
    const path = await sparse();
    const { facts } = (await probeMedia(path)) as { facts: VideoFacts };
    const { stream: index, timeBase, container, codec } = facts;
    const run = { containers: [container] };
    const limits = { ...DEFAULT_FILM_LIMITS, maxFilmSeconds: 1500 };
    const stream = {
      index,
      timeBase,
      container,
      codec,
      limits,
      checkCount: () => undefined,
      decoding: <T>(work: () => Promise<T>) => work(),
    };
    // Simulates a film with so many packets that its beginning is decoded long before they are listed.
    const heading = Promise.resolve(await readHead(path, index, run));
    await expect(listPackets(path, stream, heading, run)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('lasts 1510 s or more'),
    });
  });

  /** @hardening overload: A film announces two million frames */
  it('cover what the bytes of the file can hold, whatever it announces', async () => {
    const bytes = Buffer.from(await readFile(await sparse()));
    // ISO/IEC 14496-12, 8.7.3.2: size of every sample, then their number. Where sizes differ they are listed.
    const stsz = bytes.indexOf('stsz', bytes.lastIndexOf('moov'), 'latin1');
    expect(bytes.readUInt32BE(stsz + 12)).toBe(200);
    bytes.writeUInt32BE(2_000_000, stsz + 12);
    const stts = bytes.indexOf('stts', bytes.lastIndexOf('moov'), 'latin1');
    bytes.writeUInt32BE(2_000_000, stts + 12);
    const path = join(folder, 'announced.mov');
    await writeFile(path, bytes);
    await expect(probeMedia(path)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      retryable: false,
      message: expect.stringContaining(`than its ${bytes.length} bytes can hold`),
    });
  });

  it('are checked while pictures are counted', () => {
    const check = frameCheck(80_000, DEFAULT_FILM_LIMITS);
    check(20_000);
    expect(() => check(20_002)).toThrow(AditError);
    const ofMany = frameCheck(1e12, { ...DEFAULT_FILM_LIMITS, maxFilmFrames: 1000 });
    // Each picture comes in two packets.
    ofMany(2000);
    expect(() => ofMany(2001)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
  });
});
