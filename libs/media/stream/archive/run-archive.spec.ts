/** @needs ffmpeg */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transcode } from '@adit/testing';
import { ffmpegPath, openHead } from '../../index.js';
import type { LiveHead } from '../live-head.js';
import { packetHashes } from '../testing/received.js';
import { archiveRun, unrecordable, type ArchivedSegment } from './run-archive.js';

const FORMATS = {
  nut: ['-f', 'nut'],
  mpegts: ['-f', 'mpegts'],
  mp4: ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_keyframe'],
} as const;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-archive-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** 21 s with B-frames and a keyframe every 2 s. */
const film = (sound: readonly string[] = ['-c:a', 'aac']) =>
  transcode(`run-archive${sound.join('')}.mov`, [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '21'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-sc_threshold', '0', '-bf', '2', ...sound],
  ]);

async function bytesOf(path: string, container: keyof typeof FORMATS, more: string[] = []): Promise<Buffer> {
  const args = ['-v', 'error', ...more, '-i', path, '-c', 'copy', ...FORMATS[container], 'pipe:1'];
  const child = spawn(await ffmpegPath(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  await once(child, 'close');
  return Buffer.concat(pieces);
}

async function headOf(bytes: Buffer, container: keyof typeof FORMATS): Promise<Pick<LiveHead, 'facts' | 'start'>> {
  const run = { container, body: Readable.from([bytes]), isSegmented: true, statedTime: null, gap: null };
  const head = await openHead(run, { directory, signal: new AbortController().signal });
  head.body.destroy();
  return head;
}

async function archived(
  bytes: Buffer,
  head: Pick<LiveHead, 'facts' | 'start'>,
  container: keyof typeof FORMATS,
): Promise<ArchivedSegment[]> {
  const archive = await archiveRun(head, container);
  const segments: ArchivedSegment[] = [];
  const reading = (async () => {
    for await (const segment of archive.segments) segments.push(segment);
  })();
  for (let at = 0; at < bytes.length; at += 7_000) {
    expect(archive.take(bytes.subarray(at, at + 7_000))).toBe(true);
    await new Promise(setImmediate);
  }
  archive.end();
  await reading;
  return segments;
}

/** What ffprobe says of a part of the recording as a file of its own. */
async function probed(parts: Buffer[]): Promise<{ codecs: string[]; frames: number; keyframeFirst: boolean }> {
  const path = join(directory, 'part.mp4');
  await writeFile(path, Buffer.concat(parts));
  const probe = join((await ffmpegPath()).replace(/ffmpeg([^/]*)$/, 'ffprobe$1'));
  const show = ['-count_packets', '-show_entries', 'stream=codec_name,nb_read_packets:packet=flags,codec_type'];
  const { stdout } = await promisify(execFile)(probe, ['-v', 'error', ...show, '-of', 'json', path]);
  const found = JSON.parse(stdout) as {
    streams: { codec_name: string; nb_read_packets: string }[];
    packets: { codec_type: string; flags: string }[];
  };
  return {
    codecs: found.streams.map((stream) => stream.codec_name),
    frames: Number(found.streams[0]?.nb_read_packets),
    keyframeFirst: found.packets.find((packet) => packet.codec_type === 'video')?.flags.startsWith('K') === true,
  };
}

describe('the archive of a run', () => {
  it.each(['nut', 'mpegts', 'mp4'] as const)(
    'copies every packet of %s into segments of 4 s that begin with a keyframe',
    async (container) => {
      const path = await film();
      const bytes = await bytesOf(path, container);
      const segments = await archived(bytes, await headOf(bytes, container), container);
      expect(segments.map(({ startUs }) => startUs / 1e6)).toEqual([0, 4, 8, 12, 16, 20]);
      expect(segments.map(({ durationUs }) => durationUs / 1e6)).toEqual([4, 4, 4, 4, 4, 1]);
      const [{ init }] = segments as [ArchivedSegment];
      for (const { init: own, bytes: part, durationUs } of segments) {
        expect(own).toEqual(init);
        expect(await probed([init, part])).toEqual({
          codecs: ['h264', 'aac'],
          frames: (durationUs / 1e6) * 25,
          keyframeFirst: true,
        });
      }
      const whole = join(directory, `${container}.mp4`);
      await writeFile(whole, Buffer.concat([init, ...segments.map((segment) => segment.bytes)]));
      const [before, after] = [await packetHashes(path, 'h264'), await packetHashes(whole, 'h264')];
      expect(after.video).toEqual(before.video);
      expect(after.audio.length).toBeGreaterThanOrEqual(before.audio.length - 1);
    },
  );

  it('encodes the sound of cameras, which no browser plays, and marks H.265 as browsers want it', async () => {
    const path = await film(['-c:a', 'pcm_alaw', '-ar', '8000', '-ac', '1']);
    const bytes = await bytesOf(path, 'nut');
    const [first] = await archived(bytes, await headOf(bytes, 'nut'), 'nut');
    expect(await probed([first!.init, first!.bytes])).toMatchObject({ codecs: ['h264', 'aac'], frames: 100 });
    const hevc = await transcode('run-archive-hevc.mp4', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25', '-t', '3'],
      ...['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'keyint=25:log-level=none'],
    ]);
    const own = await bytesOf(hevc, 'mpegts');
    const [high] = await archived(own, await headOf(own, 'mpegts'), 'mpegts');
    expect(high!.init.includes('hvc1')).toBe(true);
    expect(await probed([high!.init, high!.bytes])).toMatchObject({ codecs: ['hevc'], frames: 75 });
  });

  it('begins at the first keyframe of a stream that is joined in the middle', async () => {
    const whole = await bytesOf(await film(), 'mpegts');
    const from = Math.floor(whole.length / 3 / 188) * 188;
    const bytes = whole.subarray(from);
    const segments = await archived(bytes, await headOf(bytes, 'mpegts'), 'mpegts');
    expect(segments[0]!.startUs).toBe(0);
    expect((await probed([segments[0]!.init, segments[0]!.bytes])).keyframeFirst).toBe(true);
    const seconds = segments.reduce((sum, { durationUs }) => sum + durationUs, 0) / 1e6;
    expect(seconds % 2).toBeCloseTo(1);
  });

  it('refuses pictures that browsers do not play, by the name of their codec', async () => {
    const { facts } = await headOf(await bytesOf(await film(), 'nut'), 'nut');
    expect(unrecordable(facts)).toBeNull();
    expect(unrecordable({ ...facts, codec: 'mjpeg' })).toContain('mjpeg');
  });

  it('never waits: beyond what may wait for ffmpeg it takes no more', async () => {
    const bytes = await bytesOf(await film(), 'nut');
    const archive = await archiveRun(await headOf(bytes, 'nut'), 'nut');
    const filler = Buffer.alloc(1 << 20);
    let taken = 0;
    // In one turn nothing reaches the child.
    while (archive.take(filler)) if (++taken > 100) throw new Error('It holds everything.');
    expect(taken).toBeLessThanOrEqual(17);
    expect(archive.take(filler)).toBe(false);
    archive.stop();
    for await (const _ of archive.segments) throw new Error('Zeros are no film.');
  });

  it('names why what is no media cannot be copied', async () => {
    const bytes = await bytesOf(await film(), 'nut');
    const archive = await archiveRun(await headOf(bytes, 'nut'), 'nut');
    archive.take(Buffer.alloc(100_000));
    archive.end();
    await expect(archive.segments.next()).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});
