/** @needs ffmpeg */
import { createCipheriv, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { afterEach, beforeAll, afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiveOptions, LiveRun } from '../live-run.js';
import { openHls } from './open-hls.js';
import { numbersIn, segmentedFilm, type SegmentedFilm } from './testing/hls-media.js';
import { entry, HlsServer, playlistOf, ranged } from './testing/hls-server.js';

let folder: string;
let server: HlsServer;
let ts: SegmentedFilm;
let mp4: SegmentedFilm;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-hls-'));
  ts = await segmentedFilm('mpegts', 10);
  mp4 = await segmentedFilm('fmp4', 10);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  server = await HlsServer.start();
  ts.segments.forEach((bytes, at) => server.pages.set(`/${at}.ts`, bytes));
  mp4.segments.forEach((bytes, at) => server.pages.set(`/${at}.m4s`, bytes));
  server.pages.set('/init.mp4', mp4.map);
});
afterEach(() => server.stop());

interface ReadRun extends Omit<LiveRun, 'body'> {
  bytes: Buffer;
}

/** Reads a stream to its end. What broke it is the last element, in place of the run that was broken. */
async function read(path: string, more: Partial<LiveOptions> = {}): Promise<(ReadRun | AditError)[]> {
  const runs: (ReadRun | AditError)[] = [];
  const stream = openHls(server.at(path), options(more));
  try {
    for await (const { body, ...run } of stream) runs.push({ ...run, bytes: await buffer(body) });
  } catch (error) {
    if (!(error instanceof AditError)) throw error;
    runs.push(error);
  }
  return runs;
}

function options(more: Partial<LiveOptions> = {}): LiveOptions {
  return {
    localRoots: [],
    allowHttp: true,
    allowPrivateAddresses: ['127.0.0.1/32'],
    idleTimeoutSeconds: 3,
    signal: new AbortController().signal,
    ...more,
  };
}

/** Shows one playlist after the other, each `milliseconds` after the one before, and the last for good. */
function show(path: string, playlists: readonly string[], milliseconds: number): void {
  playlists.forEach((playlist, at) => {
    if (at === 0) server.pages.set(path, playlist);
    else setTimeout(() => server.pages.set(path, playlist), at * milliseconds);
  });
}

const entries = (from: number, to: number, kind = 'ts', tags: Record<number, string[]> = {}): string[] =>
  Array.from({ length: to - from }, (_, at) => entry(`${from + at}.${kind}`, ...(tags[from + at] ?? [])));

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

const joined = (film: SegmentedFilm, from: number, to: number): Buffer =>
  Buffer.concat([film.map, ...film.segments.slice(from, to)]);

describe('a live stream over HLS', () => {
  it('is read from the third segment from the end, each segment once, through a sliding window', async () => {
    const windows = Array.from({ length: 6 }, (_, at) => playlistOf(entries(at, at + 5), { first: at, end: at === 5 }));
    show('/live.m3u8', windows, 600);
    const [run, ...others] = await read('/live.m3u8');
    expect(others).toEqual([]);
    expect(run).toMatchObject({ container: 'mpegts', gap: null, statedTime: null });
    expect((run as ReadRun).bytes).toEqual(joined(ts, 2, 10));
    expect(await numbersIn((run as ReadRun).bytes, folder)).toEqual(numbers(50, 250));
    for (const at of numbers(2, 10)) expect(server.timesAsked(`/${at}.ts`)).toBe(1);
    // Once a second while something is new, twice while nothing is.
    expect(server.timesAsked('/live.m3u8')).toBeLessThanOrEqual(9);
  });

  it('begins fragmented MP4 with the initialisation section, and says the wall clock', async () => {
    const head = '#EXT-X-PROGRAM-DATE-TIME:2026-11-29T10:00:00.000+0100\n#EXT-X-MAP:URI="init.mp4"';
    server.pages.set('/live.m3u8', playlistOf(entries(0, 5, 'm4s'), { head }));
    setTimeout(() => server.pages.set('/live.m3u8', playlistOf(entries(0, 7, 'm4s'), { head, end: true })), 500);
    const [run] = await read('/live.m3u8');
    expect(run).toMatchObject({ container: 'mp4', gap: null, statedTime: Date.parse('2026-11-29T09:00:02Z') });
    expect((run as ReadRun).bytes).toEqual(joined(mp4, 2, 7));
    expect(await numbersIn((run as ReadRun).bytes, folder)).toEqual(numbers(50, 175));
  });

  it('takes MPEG-TS with an initialisation section for what it is', async () => {
    const [first = Buffer.alloc(0)] = ts.segments;
    // The tables of its programme, which begin every segment anyway.
    server.pages.set('/tables.ts', first.subarray(0, 3 * 188));
    const live = playlistOf(entries(0, 2), { head: '#EXT-X-MAP:URI="tables.ts"' });
    show('/live.m3u8', [live, `${live}#EXT-X-ENDLIST\n`], 300);
    const [run] = (await read('/live.m3u8')) as ReadRun[];
    expect(run?.container).toBe('mpegts');
    expect(await numbersIn(run!.bytes, folder)).toEqual(numbers(0, 50));
  });

  it('names what was lost: segments that are missing, marked as gaps, or gone from the window', async () => {
    server.pages.delete('/2.ts');
    const tags = { 5: ['#EXT-X-GAP'] };
    const whole = playlistOf(entries(0, 7, 'ts', tags));
    show('/live.m3u8', [playlistOf(entries(0, 4)), whole, playlistOf(entries(8, 10), { first: 8, end: true })], 2500);
    const runs = (await read('/live.m3u8')) as ReadRun[];
    expect(runs.map(({ gap }) => gap)).toEqual([
      null,
      'could not be read: 1 segment (about 1 s)',
      'marked as gaps by the server: 1 segment (about 1 s)',
      'no longer listed when their turn came: 1 segment (about 1 s)',
    ]);
    const parts = [joined(ts, 1, 2), joined(ts, 3, 5), joined(ts, 6, 7), joined(ts, 8, 10)];
    expect(runs.map(({ bytes }) => bytes)).toEqual(parts);
    expect(server.timesAsked('/2.ts')).toBe(3);
    expect(server.timesAsked('/5.ts')).toBe(0);
  });

  it('begins a run at a discontinuity, at another initialisation section, and where the stream restarted', async () => {
    const tags = { 2: ['#EXT-X-DISCONTINUITY'] };
    const clock = '#EXT-X-PROGRAM-DATE-TIME:2026-11-29T10:00:00Z';
    const first = playlistOf(entries(1, 4, 'ts', tags), { first: 101, head: clock });
    show('/live.m3u8', [first, playlistOf(entries(7, 9), { first: 0, end: true })], 700);
    const runs = (await read('/live.m3u8')) as ReadRun[];
    expect(runs.map(({ gap, statedTime }) => [gap, statedTime])).toEqual([
      [null, Date.parse('2026-11-29T10:00:00Z')],
      [null, Date.parse('2026-11-29T10:00:01Z')],
      ['the stream restarted', null],
    ]);
    expect(runs.map(({ bytes }) => bytes)).toEqual([joined(ts, 1, 2), joined(ts, 2, 4), joined(ts, 7, 9)]);

    server.pages.set('/init2.mp4', mp4.map);
    const maps = { 2: ['#EXT-X-MAP:URI="init.mp4"'], 3: ['#EXT-X-MAP:URI="init2.mp4"'] };
    const live = playlistOf(entries(2, 5, 'm4s', maps));
    show('/maps.m3u8', [live, `${live}#EXT-X-ENDLIST\n`], 300);
    const changed = (await read('/maps.m3u8')) as ReadRun[];
    expect(changed.map(({ gap, bytes }) => [gap, bytes])).toEqual([
      [null, joined(mp4, 2, 3)],
      [null, joined(mp4, 3, 5)],
    ]);
  });

  it('decrypts AES-128, by the IV that is stated and by the number of the segment', async () => {
    const key = randomBytes(16);
    const iv = randomBytes(16);
    const numbered = Buffer.alloc(16);
    numbered.writeUInt32BE(8, 12);
    const encrypted = (bytes: Buffer | undefined, by: Buffer): Buffer => {
      const cipher = createCipheriv('aes-128-cbc', key, by);
      return Buffer.concat([cipher.update(bytes ?? ''), cipher.final()]);
    };
    server.pages.set('/key', key);
    server.pages.set('/a.bin', encrypted(ts.segments[0], iv));
    server.pages.set('/b.bin', encrypted(ts.segments[1], numbered));
    const list = [
      entry('a.bin', `#EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x${iv.toString('hex')}`),
      entry('b.bin', '#EXT-X-KEY:METHOD=AES-128,URI="key"'),
      entry('2.ts', '#EXT-X-KEY:METHOD=NONE'),
    ];
    const live = playlistOf(list, { first: 7 });
    show('/live.m3u8', [live, `${live}#EXT-X-ENDLIST\n`], 300);
    const runs = (await read('/live.m3u8')) as ReadRun[];
    expect(runs.map(({ bytes }) => bytes)).toEqual([joined(ts, 0, 3)]);
    expect(server.timesAsked('/key')).toBe(1);
  });

  it('reads ranges of one file, and goes on where a try broke off', async () => {
    const whole = Buffer.concat(ts.segments.slice(0, 3));
    const sizes = ts.segments.slice(0, 3).map(({ length }) => length);
    server.pages.set('/whole.ts', ranged(whole));
    let tries = 0;
    server.pages.set('/3.ts', (_request, response) => {
      const bytes = ts.segments[3] ?? Buffer.alloc(0);
      response.writeHead(200, { 'content-length': bytes.length });
      if (++tries === 3) response.end(bytes);
      else response.write(bytes.subarray(0, 1000 * tries), () => setTimeout(() => response.destroy(), 50));
    });
    const list = sizes.map((size, at) => entry('whole.ts', `#EXT-X-BYTERANGE:${size}${at === 0 ? '@0' : ''}`));
    show('/live.m3u8', [playlistOf(list), playlistOf([...list, ...entries(3, 5)], { end: true })], 500);
    const runs = (await read('/live.m3u8')) as ReadRun[];
    expect(runs.map(({ bytes }) => bytes)).toEqual([joined(ts, 0, 5)]);
    expect(tries).toBe(3);
  });

  it('takes the best stream of a master playlist, and the parts of low latency for what they are', async () => {
    const master = `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160
big.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=3000000,RESOLUTION=1920x1080
sub/good.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=500000,RESOLUTION=640x360
small.m3u8
`;
    server.pages.set('/master.m3u8', (_request, response) => response.writeHead(302, { location: '/m.m3u8' }).end());
    server.pages.set('/m.m3u8', master);
    const tail = '#EXT-X-PART:DURATION=0.2,URI="part.ts"\n#EXT-X-PRELOAD-HINT:TYPE=PART,URI="next.ts"\n';
    const list = [
      entry('../gap.mp4', '#EXT-X-GAP'),
      entry('../0.ts'),
      entry('../1.ts', '#EXT-X-PART:DURATION=0.2,URI="p"'),
    ];
    show('/sub/good.m3u8', [playlistOf(list) + tail, playlistOf(list, { end: true })], 300);
    const runs = (await read('/master.m3u8')) as ReadRun[];
    expect(runs.map(({ bytes, gap }) => [bytes, gap])).toEqual([[joined(ts, 0, 2), null]]);
  });

  it('asks only for what has changed', async () => {
    let unchanged = 0;
    const list = playlistOf(entries(0, 3));
    server.pages.set('/live.m3u8', (request, response) => {
      if (request.headers['if-none-match'] !== '"1"') response.writeHead(200, { etag: '"1"' }).end(list);
      else if (++unchanged < 2) response.writeHead(304).end();
      else response.writeHead(200, { etag: '"2"' }).end(`${list}#EXT-X-ENDLIST\n`);
    });
    const runs = (await read('/live.m3u8')) as ReadRun[];
    expect(runs.map(({ bytes }) => bytes)).toEqual([joined(ts, 0, 3)]);
    expect(unchanged).toBe(2);
  });
});

describe('a stream that breaks', () => {
  it('ends with SOURCE_UNAVAILABLE when nothing new is listed, or the server is gone', async () => {
    server.pages.set('/still.m3u8', playlistOf(entries(0, 3)));
    const begun = Date.now();
    expect(await read('/still.m3u8')).toMatchObject([
      { code: 'SOURCE_UNAVAILABLE', message: 'The playlist has listed no new segment for 3 s.' },
    ]);
    expect(Date.now() - begun).toBeLessThan(6000);
    expect(await read('/none.m3u8')).toMatchObject([{ code: 'SOURCE_UNAVAILABLE' }]);
  });

  it('bears a playlist that is missing, half written or older for a while', async () => {
    const full = playlistOf(entries(0, 6), { end: true });
    const older = playlistOf(entries(0, 4));
    show('/live.m3u8', [playlistOf(entries(0, 5)), '', full.slice(0, 40), older, full], 450);
    const runs = (await read('/live.m3u8')) as ReadRun[];
    expect(runs.map(({ bytes }) => bytes)).toEqual([joined(ts, 2, 6)]);
  });

  it('is given up when no segment can be read', async () => {
    server.pages.set('/live.m3u8', playlistOf(numbers(20, 30).map((at) => entry(`${at}.ts`))));
    setTimeout(() => server.pages.set('/live.m3u8', playlistOf(numbers(20, 40).map((at) => entry(`${at}.ts`)))), 500);
    expect(await read('/live.m3u8')).toMatchObject([
      { code: 'SOURCE_UNAVAILABLE', message: expect.stringMatching(/^5 segments in a row cannot be read: .* 404/) },
    ]);
  });

  it('waits for a server that hangs no longer than the idle time', async () => {
    server.pages.set('/hangs.m3u8', () => undefined);
    expect(await read('/hangs.m3u8', { idleTimeoutSeconds: 0.3 })).toMatchObject([{ code: 'SOURCE_UNAVAILABLE' }]);
    server.pages.set('/2.ts', (_request, response) => void response.write(ts.segments[2]?.subarray(0, 1000)));
    const live = playlistOf(entries(0, 4));
    show('/live.m3u8', [live, playlistOf(entries(0, 5), { end: true })], 500);
    const runs = (await read('/live.m3u8', { idleTimeoutSeconds: 0.4 })) as ReadRun[];
    expect(runs.map(({ gap }) => gap)).toEqual([null, 'could not be read: 1 segment (about 1 s)']);
    expect(runs[1]?.bytes).toEqual(joined(ts, 3, 5));
  });

  it('stops when a body is destroyed, and on abort', async () => {
    server.pages.set('/live.m3u8', playlistOf(entries(0, 3)));
    for await (const { body } of openHls(server.at('/live.m3u8'), options())) {
      body.once('data', () => body.destroy());
      await new Promise((resolve) => body.once('close', resolve));
    }
    const abort = new AbortController();
    const stream = openHls(server.at('/live.m3u8'), options({ signal: abort.signal }));
    const { value } = await stream.next();
    setTimeout(() => abort.abort(new Error('stopped')), 200);
    await expect(buffer((value as LiveRun).body)).rejects.toThrow('stopped');
    await expect(stream.next()).rejects.toThrow('stopped');
    const asked = server.asked.length;
    await wait(1500);
    expect(server.asked).toHaveLength(asked);
  });

  it('holds no more than a little of what nobody reads, and waits for the reader', async () => {
    const size = 40 << 20;
    let sent = 0;
    server.pages.set('/big.ts', (_request, response) => {
      const chunk = Buffer.alloc(64 << 10, 0x47);
      const more = (): void => {
        while (!response.destroyed && sent < size) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const live = playlistOf([entry('big.ts')]);
    show('/live.m3u8', [live, `${live}#EXT-X-ENDLIST\n`], 1000);
    for await (const { body } of openHls(server.at('/live.m3u8'), options({ idleTimeoutSeconds: 1 }))) {
      await wait(2500);
      // Buffers of the sockets on both sides, and ours.
      expect(sent).toBeLessThan(16 << 20);
      expect(await buffer(body)).toHaveLength(size);
    }
  });

  it('does not ask more often than twice a second, whatever the server states', async () => {
    server.pages.set('/live.m3u8', playlistOf(entries(0, 3), { target: 0 }));
    expect(await read('/live.m3u8')).toMatchObject([{ code: 'SOURCE_UNAVAILABLE' }]);
    expect(server.timesAsked('/live.m3u8')).toBeLessThanOrEqual(8);
  });

  it('is not read without end', async () => {
    server.pages.set('/endless.m3u8', (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('#EXTM3U\n'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    expect(await read('/endless.m3u8')).toMatchObject([{ message: expect.stringMatching(/more than 4194304 bytes/) }]);
    server.pages.set('/loop.m3u8', (_request, response) => response.writeHead(302, { location: '/loop.m3u8' }).end());
    expect(await read('/loop.m3u8')).toMatchObject([{ message: expect.stringMatching(/more than 5 times/) }]);
    server.pages.set('/key', Buffer.alloc(1 << 20));
    server.pages.set('/key.m3u8', playlistOf(entries(0, 1), { head: '#EXT-X-KEY:METHOD=AES-128,URI="key"' }));
    expect(await read('/key.m3u8')).toMatchObject([{ code: 'SOURCE_UNAVAILABLE' }]);
  });
});

describe('a stream that cannot be read', () => {
  it.each([
    ['a film', playlistOf(entries(0, 3), { end: true }), /film/],
    ['a page', '<html></html>', /does not begin with #EXTM3U/],
    ['protected media', playlistOf([entry('0.ts', '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="key"')]), /SAMPLE-AES \(DRM\)/],
    ['subtitles', playlistOf([entry('a.vtt')]), /subtitles/],
    ['MP4 without its beginning', playlistOf(entries(0, 1, 'm4s')), /initialisation section/],
    ['a list of lists', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlive.m3u8\n', /list of streams/],
  ])('%s is refused', async (_what, playlist, message) => {
    server.pages.set('/live.m3u8', playlist);
    server.pages.set('/a.aac', Buffer.from([0xff, 0xf1, 0x50, 0x80, 0, 0, 0, 0, 0]));
    server.pages.set('/a.vtt', 'WEBVTT\n\n');
    expect(await read('/live.m3u8')).toMatchObject([
      { code: 'SOURCE_REFUSED', message: expect.stringMatching(message) },
    ]);
  });
});
