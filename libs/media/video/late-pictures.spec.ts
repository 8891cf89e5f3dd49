/** @needs ffmpeg */
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import type { VideoFacts } from '@adit/contracts';
import { cachedMedia, numberedFilm, readNumber, rgbLuminance, transcode } from '@adit/testing';
import sharp from 'sharp';
import { decodeInterval, FrameIndex, makeThumbnail, openFramePackBuffer, planGrid, probeMedia } from '../index.js';

/** A transport stream of sound whose pictures begin after the given seconds. */
function late(seconds: number): Promise<string> {
  return transcode(`late-${seconds}.ts`, [
    ...['-f', 'lavfi', '-i', `sine=440:d=${seconds + 6}`],
    ...['-itsoffset', String(seconds), '-f', 'lavfi', '-i', numberedFilm({ seconds: 6 }), '-map', '0', '-map', '1'],
    ...['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-g', '50', '-c:a', 'mp2', '-max_interleave_delta', '0'],
    ...['-f', 'mpegts'],
  ]);
}

describe('a film whose first picture comes after sound', () => {
  it.each([11, 75])('of %i s is mined', async (seconds) => {
    const path = await late(seconds);
    const probed = (await probeMedia(path)) as { facts: VideoFacts; index: FrameIndex };
    const { facts } = probed;
    expect(facts).toMatchObject({ kind: 'video', totalFrames: 150, fps: { num: 25, den: 1 } });
    expect(facts.audioStreams).toHaveLength(1);
    // The stored index states how far ffmpeg has to read.
    const index = FrameIndex.decode(probed.index.encode());
    const specs = [{ rate: 1, shorterSide: 'native' as const }];
    const packs = await decodeInterval({ path, facts, index, interval: planGrid(index)[0]!, specs });
    const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
    expect(pack.frames).toHaveLength(6);
    for (const [at, { frame }] of pack.frames.entries()) {
      expect(readNumber(rgbLuminance(await pack.picture(at)))).toBe(frame);
    }
    const { width, height } = await sharp(await makeThumbnail({ path, directory: tmpdir() })).metadata();
    // A poster has the size of the pictures; a waveform would be larger.
    expect([width, height]).toEqual([facts.width, facts.height]);
  });

  it('is sound where the pictures never come', async () => {
    const path = await late(11);
    const silent = await cachedMedia('never.ts', path, async (target) => {
      const bytes = await readFile(path);
      const picture = 0x101;
      const packets = Array.from({ length: bytes.length / 188 }, (_, at) => bytes.subarray(at * 188, at * 188 + 188));
      const isPicture = (packet: Buffer) => (packet.readUInt16BE(1) & 0x1fff) === picture;
      expect(packets.some(isPicture)).toBe(true);
      // The stream is announced, and its first packets carry nothing that identifies them.
      const noise = packets.map((packet) => (isPicture(packet) ? Buffer.from(packet).fill(0xaa, 60) : packet));
      await writeFile(target, Buffer.concat(noise));
    });
    expect((await probeMedia(silent)).facts).toMatchObject({ kind: 'audio', codec: 'mp2', sampleRate: 44_100 });
    expect((await sharp(await makeThumbnail({ path: silent, directory: tmpdir() })).metadata()).width).toBe(320);
  });
});
