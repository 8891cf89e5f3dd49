/** @needs ffmpeg */
import { beforeAll, describe, expect, it } from '@jest/globals';

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberedFilm, randomOf, transcode } from '@adit/testing';
import { probeMedia, sniffBytes } from './index.js';

const film = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 2 }), '-pix_fmt', 'yuv420p', '-c:v'];

describe('a damaged transport stream', () => {
  let stream: Buffer;
  beforeAll(async () => {
    stream = await readFile(await transcode('sniffed.ts', [...film, 'libx264', '-f', 'mpegts']));
  });

  /** @hardening media: A file is refused without its format's name */
  it.each([0, 1, 100, 300])('is recognised with a wrong byte at the beginning of packet %i', async (packet) => {
    const bytes = Buffer.from(stream);
    bytes[packet * 188] = 0x46;
    expect(await sniffBytes(bytes.subarray(0, 64 << 10))).toEqual({ kind: 'video', format: 'mpeg-ts' });
  });

  it('is recognised when a byte is missing, and when a tenth of all bytes are wrong', async () => {
    const short = Buffer.concat([stream.subarray(0, 30_000), stream.subarray(30_001)]);
    expect(await sniffBytes(short.subarray(0, 64 << 10))).toEqual({ kind: 'video', format: 'mpeg-ts' });
    const random = randomOf(7);
    const hurt = Buffer.from(stream.map((byte) => (random() < 0.1 ? Math.floor(random() * 256) : byte)));
    expect(await sniffBytes(hurt.subarray(0, 64 << 10))).toEqual({ kind: 'video', format: 'mpeg-ts' });
  });

  it('is mined', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-sniff-'));
    try {
      const path = join(folder, 'hurt.ts');
      const bytes = Buffer.from(stream);
      bytes[188 * 40] = 0;
      await writeFile(path, bytes);
      expect((await probeMedia(path)).facts).toMatchObject({ kind: 'video', container: 'mpegts' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is not recognised in noise', async () => {
    const random = randomOf(8);
    const noise = Buffer.from(Array.from({ length: 64 << 10 }, () => Math.floor(random() * 256)));
    expect((await sniffBytes(noise)).kind).toBe('unknown');
  });
});

describe('a common upload', () => {
  it('in RF64 is recognised as sound', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=d=1', '-rf64', 'always'];
    expect((await probeMedia(await transcode('rf64.wav', sound))).facts).toMatchObject({ kind: 'audio', duration: 1 });
  });

  it.each([
    ['bare.h264', ['libx264', '-f', 'h264'], /bare H.264 video.*put it into MP4/],
    ['bare.h265', ['libx265', '-x265-params', 'log-level=none', '-f', 'hevc'], /bare HEVC video/],
    ['other.flv', ['flv1'], /an FLV film/],
  ])('is refused with the name of its format: %s', async (name, codec, reason) => {
    const path = await transcode(name, [...film, ...codec]);
    await expect(probeMedia(path)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(reason),
    });
  });
});
