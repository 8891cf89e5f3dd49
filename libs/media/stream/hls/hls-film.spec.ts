/** @needs ffmpeg */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VideoFacts } from '@adit/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchSource, type FetchOptions } from '../../fetch-source.js';
import { probeMedia } from '../../probe.js';
import { numbersIn, segmentedFilm, type SegmentedFilm } from './testing/hls-media.js';
import { entry, HlsServer, playlistOf } from './testing/hls-server.js';

let folder: string;
let server: HlsServer;
let ts: SegmentedFilm;
let mp4: SegmentedFilm;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-hls-film-'));
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

function options(more: Partial<FetchOptions> = {}): FetchOptions {
  return {
    directory: join(folder, 'private'),
    localRoots: [],
    allowHttp: true,
    allowPrivateAddresses: ['127.0.0.1/32'],
    maxBytes: 10_000_000,
    timeoutSeconds: 20,
    idleTimeoutSeconds: 5,
    openStorage: () => Promise.reject(new Error('never asked')),
    ...more,
  };
}

const film = (kind: string, tags: Record<number, string> = {}): string[] =>
  Array.from({ length: 10 }, (_, at) => entry(`${at}.${kind}`, ...(tags[at] === undefined ? [] : [tags[at]])));

async function facts(path: string): Promise<VideoFacts> {
  const probed = await probeMedia(path);
  if (probed.facts.kind !== 'video') throw new Error(probed.facts.kind);
  return probed.facts;
}

describe('a film over HLS', () => {
  it.each([
    ['ts', ''],
    ['m4s', '#EXT-X-MAP:URI="init.mp4"'],
  ])('is fetched into one file that is mined as others are: %s', async (kind, head) => {
    server.pages.set('/film.m3u8', playlistOf(film(kind), { head, end: true }));
    const copy = await fetchSource(server.at('/film.m3u8'), options());
    const whole = kind === 'ts' ? ts : mp4;
    expect(await readFile(copy.path)).toEqual(Buffer.concat([whole.map, ...whole.segments]));
    expect(await numbersIn(await readFile(copy.path), folder)).toHaveLength(250);
    expect(await facts(copy.path)).toMatchObject({ codec: 'h264', duration: 10, fps: { num: 25, den: 1 } });
    await rm(copy.path);
  });

  it('may have discontinuities in MPEG-TS while its clock goes on', async () => {
    server.pages.set('/film.m3u8', playlistOf(film('ts', { 4: '#EXT-X-DISCONTINUITY' }), { end: true }));
    const copy = await fetchSource(server.at('/film.m3u8'), options());
    expect(await facts(copy.path)).toMatchObject({ duration: 10 });
    await rm(copy.path);
    // A clock that begins anew is what the probe refuses in any film.
    const list = [...film('ts').slice(4), entry('0.ts', '#EXT-X-DISCONTINUITY'), ...film('ts').slice(1, 4)];
    server.pages.set('/film.m3u8', playlistOf(list, { end: true }));
    const joined = await fetchSource(server.at('/film.m3u8'), options());
    await expect(facts(joined.path)).rejects.toThrow(/Timestamps jump back by 10.0 s/);
    await rm(joined.path);
  });

  it.each([
    ['live', playlistOf(film('ts')), 'SOURCE_REFUSED', /live stream/],
    ['empty', playlistOf([], { end: true }), 'SOURCE_REFUSED', /no segments/],
    ['with gaps', playlistOf(film('ts', { 3: '#EXT-X-GAP' }), { end: true }), 'SOURCE_REFUSED', /has gaps/],
    [
      'of two films',
      playlistOf(film('m4s', { 0: '#EXT-X-MAP:URI="a"', 3: '#EXT-X-MAP:URI="b"' }), { end: true }),
      'SOURCE_REFUSED',
      /initialisation section/,
    ],
    [
      'with discontinuities in MP4',
      playlistOf(film('m4s', { 0: '#EXT-X-MAP:URI="init.mp4"', 3: '#EXT-X-DISCONTINUITY' }), { end: true }),
      'SOURCE_REFUSED',
      /discontinuities/,
    ],
    ['with a segment that is missing', playlistOf([entry('99.ts')], { end: true }), 'SOURCE_REFUSED', /status 404/],
    ['with a segment that fails', playlistOf([entry('busy.ts')], { end: true }), 'SOURCE_UNAVAILABLE', /status 503/],
  ])('%s is not fetched', async (_what, playlist, code, message) => {
    server.pages.set('/film.m3u8', playlist);
    server.pages.set('/busy.ts', (_request, response) => response.writeHead(503).end());
    await expect(fetchSource(server.at('/film.m3u8'), options())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await readdir(join(folder, 'private'))).toEqual([]);
    expect(server.timesAsked('/busy.ts')).toBe(code === 'SOURCE_UNAVAILABLE' ? 3 : 0);
  });

  it('is bounded in bytes and time, and stops on abort', async () => {
    server.pages.set('/film.m3u8', playlistOf(film('ts'), { end: true }));
    await expect(fetchSource(server.at('/film.m3u8'), options({ maxBytes: 50_000 }))).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    server.pages.set('/3.ts', () => undefined);
    const late = { timeoutSeconds: 1, idleTimeoutSeconds: 5 };
    await expect(fetchSource(server.at('/film.m3u8'), options(late))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const abort = new AbortController();
    const fetched = fetchSource(server.at('/film.m3u8'), options({ signal: abort.signal }));
    setTimeout(() => abort.abort(new Error('deleted')), 300);
    await expect(fetched).rejects.toThrow('deleted');
    expect(await readdir(join(folder, 'private'))).toEqual([]);
  });
});
