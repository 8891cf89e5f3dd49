/** @needs ffmpeg */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { transcode } from '@adit/testing';
import { ffmpegPath, openHead } from '../../index.js';
import { archiveRun } from './run-archive.js';
import { openEntry } from './run-entry.js';

const FORMATS = {
  nut: ['-f', 'nut'],
  mpegts: ['-f', 'mpegts'],
  mp4: ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_keyframe'],
} as const;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'run-entry-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** 30 s with B-frames, sound, a keyframe every 2 s and a clock that does not begin at 0. */
async function runBytes(container: keyof typeof FORMATS): Promise<Buffer> {
  const film = await transcode('run-entry.mov', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '30'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-sc_threshold', '0', '-bf', '2', '-c:a', 'aac'],
  ]);
  const args = ['-v', 'error', '-i', film, '-c', 'copy', '-output_ts_offset', '50', ...FORMATS[container], 'pipe:1'];
  const child = spawn(await ffmpegPath(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  await once(child, 'close');
  return Buffer.concat(pieces);
}

it.each(['nut', 'mpegts', 'mp4'] as const)(
  'who comes later reads %s from a place where that can begin, with the times of the run',
  async (container) => {
    const bytes = await runBytes(container);
    const run = { container, body: Readable.from([bytes]), isSegmented: true, statedTime: null, gap: null };
    const head = await openHead(run, { directory, signal: new AbortController().signal });
    head.body.destroy();
    const entry = openEntry(container);
    const later = await archiveRun(head, container);
    const starts: number[] = [];
    const reading = (async () => {
      for await (const { startUs, durationUs } of later.segments) starts.push(startUs / 1e6, durationUs / 1e6);
    })();
    let hasEntered = false;
    // Pieces of an odd length end within startcodes and heads of boxes.
    for (let at = 0; at < bytes.length; at += 4_999) {
      const piece = bytes.subarray(at, at + 4_999);
      const isLate = at > bytes.length / 3;
      const own = entry.take(piece, isLate && !hasEntered);
      if (own !== null) later.take(own);
      else if (hasEntered) later.take(piece);
      hasEntered ||= own !== null;
      await new Promise(setImmediate);
    }
    later.end();
    await reading;
    const [first = 0] = starts;
    expect(first).toBeGreaterThan(9);
    expect(first).toBeLessThan(17);
    // Keyframes come every 2 s from the first picture on.
    expect(first % 2).toBeCloseTo(0, 2);
    const length = starts.filter((_, i) => i % 2 === 1).reduce((sum, seconds) => sum + seconds, 0);
    expect(first + length).toBeCloseTo(30, 1);
  },
);

it('a run whose header is too long has no place to begin', () => {
  const entry = openEntry('nut');
  entry.take(Buffer.alloc(5 << 20), false);
  expect(entry.take(Buffer.from('4e4be4adeeca4569', 'hex'), true)).toBeNull();
});
