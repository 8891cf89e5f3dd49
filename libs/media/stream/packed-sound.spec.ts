/** @needs ffmpeg */
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { entry, HlsServer, playlistOf } from './hls/testing/hls-server.js';
import { decodeLive } from './live-decoder.js';
import { openHead } from './live-head.js';
import type { LiveOptions, LiveRun } from './live-run.js';
import { openLive } from './open-live.js';
import { findPackedSound, id3Tag } from './packed-sound.js';
import type { LiveSound } from './sound-cutter.js';
import { soundDistance } from './sound-distance.js';
import { beeps, beepsIn, timeTag } from './testing/beeps.js';

const FORMATS = {
  aac: ['-c:a', 'aac', '-b:a', '96k', '-f', 'adts'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '128k', '-write_xing', '0', '-id3v2_version', '0', '-f', 'mp3'],
} as const;
type Kind = keyof typeof FORMATS;

let directory: string;
let server: HlsServer;
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'packed-sound-'))));
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => void (server = await HlsServer.start()));
afterEach(() => server.stop());

/** Hears a stream of sound alone to its end. */
async function listen(path: string): Promise<{ runs: LiveRun[]; sounds: LiveSound[]; error: AditError | null }> {
  const { signal } = new AbortController();
  const policy = { localRoots: [], allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] };
  const options: LiveOptions = { ...policy, idleTimeoutSeconds: 20, signal };
  const [runs, sounds]: [LiveRun[], LiveSound[]] = [[], []];
  try {
    for await (const run of openLive(server.at(path), options)) {
      runs.push(run);
      const head = await openHead(run, { directory, signal, soundAlone: true });
      const [stream] = head.sounds;
      expect(stream).toBeDefined();
      const sound = { stream: stream!, fromUs: 0, onSound: (part: LiveSound) => void sounds.push(part) };
      const place = () => ({ frame: 0, us: 0, endUs: 0 });
      const decoding = { ...{ head, container: run.container, specs: [], pieceSeconds: 1, directory, signal }, place };
      for await (const piece of decodeLive({ ...decoding, isSegmented: true, sound })) expect(piece).toBeDefined();
    }
    return { runs, sounds, error: null };
  } catch (error) {
    return { runs, sounds, error: AditError.from(error) };
  }
}

function expectBeeps(found: readonly number[], least: number): void {
  expect(found.length).toBeGreaterThanOrEqual(least);
  for (const [i, at] of found.entries()) if (i > 0) expect(at - found[i - 1]!).toBeCloseTo(2, 1);
}

describe.each(['aac', 'mp3'] as const)('a radio station that sends %s over HTTP', (kind: Kind) => {
  it('is heard from the middle of a frame on, whatever it says that it is', async () => {
    const bytes = await beeps(12, FORMATS[kind]);
    const send = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      expect(request.headers['icy-metadata']).toBeUndefined();
      response.writeHead(200, { 'content-type': 'text/html' });
      for (let at = 1001; at < bytes.length; at += 9000) {
        response.write(bytes.subarray(at, at + 9000));
        await wait(20);
      }
      // What a stream of sound alone is, is told after seconds.
      await wait(8000);
      response.end();
    };
    server.pages.set('/radio', (request, response) => void send(request, response));
    const { runs, sounds, error } = await listen('/radio');
    expect(runs.map(({ container }) => container)).toEqual([kind]);
    expectBeeps(beepsIn(sounds), 4);
    // It broke off.
    expect(error?.code).toBe('SOURCE_UNAVAILABLE');
  });

  it('is heard over HLS in packed segments, with and without tags', async () => {
    const bytes = await beeps(12, FORMATS[kind]);
    const names = Array.from({ length: 12 }, (_, at) => `${at}.bin`);
    const frameAt = (at: number): number => at + (findPackedSound(bytes.subarray(at))?.at ?? 0);
    const cuts = names.map((_, at) => frameAt(Math.floor((at * bytes.length) / 12)));
    for (const [at, name] of names.entries()) {
      const own = bytes.subarray(cuts[at], cuts[at + 1]);
      server.pages.set(
        `/${name}`,
        at % 3 === 1 ? own : Buffer.concat([timeTag(100 + at, at === 2 ? 300_000 : 0), own]),
      );
    }
    const live = playlistOf(names.slice(0, 3).map((name) => entry(name)));
    server.pages.set('/radio.m3u8', live);
    setTimeout(
      () =>
        server.pages.set(
          '/radio.m3u8',
          playlistOf(
            names.map((name) => entry(name)),
            { end: true },
          ),
        ),
      500,
    );
    const { runs, sounds, error } = await listen('/radio.m3u8');
    expect(error).toBeNull();
    expect(runs).toMatchObject([{ container: kind, clockOffset: -100, gap: null }]);
    expectBeeps(beepsIn(sounds), 5);
  });
});

describe('packed sound', () => {
  it('is not found in other bytes, nor in a document', async () => {
    const noise = Buffer.from(Array.from({ length: 8192 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) & 255));
    expect(findPackedSound(noise)).toBeNull();
    expect(findPackedSound(Buffer.alloc(8192, 0xff))).toBeNull();
    expect(findPackedSound(Buffer.from('<html>'))).toBeNull();
    server.pages.set('/radio', (_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.end(Buffer.concat([noise, noise]));
    });
    expect((await listen('/radio')).error).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringMatching(/no MPEG-TS, MP3 or AAC/),
    });
  });

  it('states its time in its tag, on the clock of the pictures', () => {
    const tag = timeTag(9.5);
    expect(id3Tag(tag)).toEqual({ length: tag.length, seconds: 9.5 });
    expect(id3Tag(tag.subarray(0, 40))).toEqual({ length: tag.length, seconds: null });
    expect(id3Tag(Buffer.from('ID3\u0004\0\0\xff\xff\xff\xff', 'latin1'))).toBeNull();
    // 33 bits of the number count.
    expect(id3Tag(timeTag(9.5 + 2 ** 33 / 90_000))?.seconds).toBe(9.5);
    const pictures = { start: 10, statedTime: null };
    expect(soundDistance({ start: 0, statedTime: null, clockOffset: -9.5 }, pictures, 0)).toBe(-0.5);
  });

  it('with endless tags is refused', async () => {
    const endless = Buffer.alloc(2 << 20);
    for (let at = 0; at + 10 < endless.length; at += 10) endless.write('ID3\u0004', at, 'latin1');
    server.pages.set('/0.bin', endless);
    server.pages.set('/radio.m3u8', playlistOf([entry('0.bin')]));
    expect((await listen('/radio.m3u8')).error).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringMatching(/of ID3 tags/),
    });
  });
});
