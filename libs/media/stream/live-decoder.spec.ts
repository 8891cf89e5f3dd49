/** @needs ffmpeg */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AditError, type FrameSpec, type PackedFrame, type VideoFacts } from '@adit/contracts';
import { transcode } from '@adit/testing';
import {
  decodeInterval,
  ffmpegPath,
  openFramePackBuffer,
  packFrames,
  planGrid,
  probeMedia,
  type FrameIndex,
} from '../index.js';
import { decodeLive, type LivePiece } from './live-decoder.js';
import { openHead } from './live-head.js';
import type { LiveRun } from './live-run.js';

const SPECS: FrameSpec[] = [
  { rate: 2, shorterSide: 90 },
  { rate: 3, shorterSide: 90 },
  { rate: 1, shorterSide: 'native' },
];

let directory: string;
let film: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'live-decoder-'));
  film = await transcode('live-decoder.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-f', 'lavfi', '-i', 'sine=r=48000', '-t', '6.4'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-bf', '2', '-c:a', 'aac'],
  ]);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const FORMATS = {
  nut: ['-f', 'nut'],
  mpegts: ['-f', 'mpegts'],
  mp4: ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_keyframe'],
} as const;

async function bytesOf(path: string, container: keyof typeof FORMATS, more: string[] = []): Promise<Buffer> {
  const args = ['-v', 'error', ...more, '-i', path, '-c', 'copy', ...FORMATS[container], 'pipe:1'];
  const child = spawn(await ffmpegPath(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  await once(child, 'close');
  return Buffer.concat(pieces);
}

function runOf(container: keyof typeof FORMATS, body: Readable): LiveRun {
  // A file comes faster than it was filmed.
  return { container, body, isSegmented: true, statedTime: null, gap: null };
}

/** The bytes in small pieces. */
async function* inPieces(bytes: Buffer, end?: AditError): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7_000) {
    yield bytes.subarray(at, at + 7_000);
    await new Promise(setImmediate);
  }
  if (end !== undefined) throw end;
}

interface Decoded {
  pieces: LivePiece[];
  frames: Map<string, PackedFrame[]>;
  error: unknown;
}

async function decoded(
  run: LiveRun,
  place = { frame: 0, us: 0, endUs: 0 },
  { signal = new AbortController().signal, onPiece = (): void => undefined } = {},
): Promise<Decoded> {
  const pieces: LivePiece[] = [];
  const frames = new Map<string, PackedFrame[]>();
  let error: unknown = null;
  try {
    const head = await openHead(run, { directory, signal });
    const { container, isSegmented } = run;
    const decoding = { head, container, isSegmented, specs: SPECS, pieceSeconds: 1, directory, signal };
    for await (const piece of decodeLive({ ...decoding, place: () => place })) {
      pieces.push(piece);
      onPiece();
      for (const [spec, pictures] of piece.pictures) {
        frames.set(spec, [...(frames.get(spec) ?? []), ...pictures.frames]);
      }
    }
  } catch (caught) {
    error = caught;
  }
  return { pieces, frames, error };
}

describe('a live run', () => {
  it.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])(
    'shows the samples of the same film, pixel by pixel, by %s',
    async (container) => {
      const { facts, index } = (await probeMedia(film)) as { facts: VideoFacts; index: FrameIndex };
      const grid = planGrid(index);
      expect(grid).toHaveLength(1);
      const packs = await decodeInterval({ path: film, facts, index, interval: grid[0]!, specs: SPECS });
      const live = await decoded(runOf(container, Readable.from(inPieces(await bytesOf(film, container)))));
      expect(live.error).toBeNull();
      for (const [spec, pack] of packs) {
        const wanted = await openFramePackBuffer(pack);
        const found = live.frames.get(spec)!;
        expect(found.map(({ frame, width, height }) => [frame, width, height])).toEqual(
          wanted.frames.map(({ frame, width, height }) => [frame, width, height]),
        );
        // Milliseconds in some containers.
        for (const [i, { time }] of found.entries()) expect(time).toBeCloseTo(wanted.frames[i]!.time, 2);
      }
      const pixels = async (pack: Buffer): Promise<Buffer> =>
        Buffer.from((await (await openFramePackBuffer(pack)).picture(0)).data);
      for (const [spec, { frames, jpegs }] of live.pieces[0]!.pictures)
        expect(await pixels(packFrames(frames, jpegs))).toEqual(await pixels(packs.get(spec)!));
      expect(live.pieces.map(({ interval }) => [interval.frameStart, interval.frameEnd])).toEqual([
        ...[0, 1, 2, 3, 4, 5].map((at) => [at * 25, at * 25 + 25]),
        [150, 160],
      ]);
      for (const [i, { interval }] of live.pieces.entries()) {
        expect(interval.ptsStart).toBe(live.pieces[i - 1]?.interval.ptsEnd ?? 0);
      }
      expect(await readdir(directory)).toEqual([]);
    },
  );

  it('goes on from the place in the stream, without what was read before', async () => {
    const bytes = await bytesOf(film, 'nut');
    const live = await decoded(runOf('nut', Readable.from(inPieces(bytes))), {
      frame: 500,
      us: 20_000_000,
      endUs: 22_000_000,
    });
    expect(live.pieces[0]?.interval).toMatchObject({ frameStart: 500, frameEnd: 525, ptsStart: 22_000_000 });
    expect(live.frames.get('r1-snative')?.map(({ time }) => time)).toEqual([22, 23, 24, 25, 26]);
  });

  it('is read beside others of the process', async () => {
    const bytes = await bytesOf(film, 'nut');
    const all = await Promise.all([1, 2, 3].map(() => decoded(runOf('nut', Readable.from(inPieces(bytes))))));
    expect(all.map(({ error, pieces }) => [error, pieces.length])).toEqual(Array(3).fill([null, 7]));
  });

  it('gives all that arrived before its connection broke, and then the reason', async () => {
    const bytes = await bytesOf(film, 'mpegts');
    const broke = new AditError('SOURCE_UNAVAILABLE', 'gone');
    const live = await decoded(runOf('mpegts', Readable.from(inPieces(bytes.subarray(0, bytes.length * 0.6), broke))));
    expect(live.error).toBe(broke);
    expect(live.pieces.length).toBeGreaterThanOrEqual(3);
  });

  it('ends at once when it is stopped, and leaves no picture', async () => {
    const bytes = await bytesOf(film, 'nut');
    const stop = new AbortController();
    const endless = async function* (): AsyncGenerator<Buffer> {
      yield* inPieces(bytes);
      await once(stop.signal, 'abort');
    };
    let left = 5;
    const onPiece = (): void => {
      if (--left === 0) stop.abort(new AditError('CONFLICT', 'stopped'));
    };
    const live = await decoded(runOf('nut', Readable.from(endless())), undefined, { signal: stop.signal, onPiece });
    expect(live.error).toMatchObject({ message: 'stopped' });
    expect(live.pieces.length).toBeGreaterThanOrEqual(5);
    expect(await readdir(directory)).toEqual([]);
  });

  it('is refused without pictures, and where it ends before its first', async () => {
    const sound = await bytesOf(film, 'mpegts', ['-vn']);
    const tries = [
      [sound, 'MEDIA_INVALID'],
      [Buffer.from('no media at all'), 'SOURCE_UNAVAILABLE'],
      [(await readFile(film)).subarray(0, 100), 'SOURCE_UNAVAILABLE'],
    ] as const;
    for (const [bytes, code] of tries) {
      const { error } = await decoded(runOf('mpegts', Readable.from(inPieces(bytes))));
      expect(error).toMatchObject({ code });
    }
  });
});
