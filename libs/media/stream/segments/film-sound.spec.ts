/** @needs ffmpeg */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { PRIVATE_HOSTS } from '@adit/net/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PLANNING_RATE } from '../../audio/audio-plan.js';
import { audioPieces, decodeAudio } from '../../audio/decode-audio.js';
import { fetchSource, type FetchOptions } from '../../fetch-source.js';
import { probeMedia } from '../../probe.js';
import { filesOf, packaged } from '../dash/testing/packager.js';
import { entry, HlsServer, playlistOf, type Page } from '../hls/testing/hls-server.js';
import { ALLOWED } from '../testing/answer.js';
import { packetHashes } from '../testing/received.js';
import { beepingFile, beepingFilm, beeps, beepsIn, timeTag, type ApartSegments } from '../testing/beeps.js';

const SECONDS = 6;
const AAC = ['-c:a', 'aac', '-b:a', '96k', '-f', 'adts'];

let folder: string;
let server: HlsServer;
let ts: ApartSegments;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-film-sound-'));
  ts = await beepingFilm('mpegts', SECONDS);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  server = await HlsServer.start();
  show(ts, 'ts');
});
afterEach(() => server.stop());

function options(more: Partial<FetchOptions> = {}): FetchOptions {
  return {
    directory: join(folder, 'private'),
    ...{ localRoots: [], allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] },
    ...{ maxBytes: 10_000_000, timeoutSeconds: 20, idleTimeoutSeconds: 5 },
    openStorage: () => Promise.reject(new Error('never asked')),
    ...more,
  };
}

const SOUND = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="a.m3u8"';
const master = (...media: string[]): string =>
  ['#EXTM3U', ...media, '#EXT-X-STREAM-INF:BANDWIDTH=1000000,RESOLUTION=320x180,AUDIO="a"', 'v.m3u8', ''].join('\n');

/** Serves a film whose pictures and sound have playlists of their own. */
function show({ pictures, sound, maps }: ApartSegments, kind: string): void {
  const tracks = { v: [pictures, maps.pictures], a: [sound, maps.sound] } as const;
  for (const [track, [segments, map]] of Object.entries(tracks)) {
    segments.forEach((bytes, at) => server.pages.set(`/${track}${at}.${kind}`, bytes));
    server.pages.set(`/${track}init.mp4`, map);
    const head = map.length > 0 ? `#EXT-X-MAP:URI="${track}init.mp4"` : '';
    const entries = segments.map((_, at) => entry(`${track}${at}.${kind}`));
    server.pages.set(`/${track}.m3u8`, playlistOf(entries, { head, end: true }));
  }
  server.pages.set('/film.m3u8', master(SOUND));
}

interface Found {
  facts: Awaited<ReturnType<typeof probeMedia>>['facts'];
  /** Seconds at which beeps are heard. */
  beeps: number[];
}

async function fetched(address: string, track?: string): Promise<Found> {
  const { path } = await fetchSource(server.at(address), options());
  const { facts } = await probeMedia(path);
  const format = { sampleRate: PLANNING_RATE, channels: 1 as const, ...(track !== undefined && { track }) };
  const audio = await decodeAudio({ path, facts, format, target: join(folder, 'sound') });
  const pieces: Float32Array[] = [];
  for await (const piece of audioPieces(audio)) pieces.push(piece.slice());
  const samples = Float32Array.from(pieces.flatMap((piece) => [...piece]));
  const endMs = Math.floor(samples.length / (PLANNING_RATE / 1000));
  await rm(path);
  return { facts, beeps: beepsIn([{ interval: { startMs: 0, endMs }, start: 0, samples, arrived: 0 }]) };
}

/** Beeps begin at even seconds of the film; that of its beginning is not counted. */
function expectInStep({ beeps: found }: Pick<Found, 'beeps'>): void {
  expect(found).toHaveLength(SECONDS / 2 - 1);
  for (const [i, at] of found.entries()) expect(Math.abs(at - 2 * (i + 1))).toBeLessThan(0.03);
}

describe('a film over HLS whose sound comes apart', () => {
  it.each(['mpegts', 'fmp4'] as const)('is one file with all pictures and its sound in step: %s', async (kind) => {
    const film = await beepingFilm(kind, SECONDS);
    show(film, kind === 'fmp4' ? 'm4s' : 'ts');
    const found = await fetched('/film.m3u8');
    expect(found.facts).toMatchObject({ kind: 'video', codec: 'h264', totalFrames: SECONDS * 25, duration: SECONDS });
    expect(found.facts).toMatchObject({ fps: { num: 25, den: 1 }, variableFrameRate: false });
    expect(found.facts).toMatchObject({ audioStreams: [{ codec: 'aac' }] });
    expectInStep(found);
  });

  it('has the same digest each time', async () => {
    const copies = [await fetchSource(server.at('/film.m3u8'), options())];
    copies.push(await fetchSource(server.at('/film.m3u8'), options()));
    expect(copies[0]?.digest).toBe(copies[1]?.digest);
    for (const { path } of copies) await rm(path);
    expect(await readdir(join(folder, 'private'))).toEqual([]);
  });

  it('has a track for each rendition, in their order, with their languages', async () => {
    const other = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="two",LANGUAGE="es-MX",URI="b.m3u8"';
    const muxed = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="none",URI="c.m3u8"';
    server.pages.set('/film.m3u8', master(SOUND.replace('NAME', 'LANGUAGE="de",NAME'), other, muxed));
    server.pages.set('/b.m3u8', playlistOf([entry('whole.aac')], { end: true }));
    server.pages.set('/whole.aac', await beeps(SECONDS, AAC));
    const found = await fetched('/film.m3u8', 'es');
    expect(found.facts).toMatchObject({ audioStreams: [{ language: 'de' }, { language: 'es' }] });
    expectInStep(found);
    expect(server.timesAsked('/c.m3u8')).toBe(0);
  });

  it('is heard where packed audio says that it belongs, and from the beginning where it does not', async () => {
    const bytes = await beeps(SECONDS, AAC);
    server.pages.set('/a.m3u8', playlistOf([entry('a.aac')], { end: true }));
    server.pages.set('/a.aac', bytes);
    expectInStep(await fetched('/film.m3u8'));
    const shifts = [];
    for (const at of [1.9, 2.4]) {
      server.pages.set('/a.aac', Buffer.concat([timeTag(at), bytes]));
      shifts.push((await fetched('/film.m3u8')).beeps.find((each) => each > 1.5) ?? NaN);
    }
    const [early = NaN, late = NaN] = shifts;
    expect(late - early).toBeCloseTo(0.5, 2);
  });

  it('is put beside the pictures by the stated time where their clocks differ', async () => {
    const time = (at: number): string => `#EXT-X-PROGRAM-DATE-TIME:${new Date(1.8e12 + at * 1000).toISOString()}`;
    const late = ts.sound.slice(2);
    server.pages.set(
      '/v.m3u8',
      playlistOf(
        ts.pictures.map((_, at) => entry(`v${at}.ts`, time(at))),
        { end: true },
      ),
    );
    server.pages.set(
      '/a.m3u8',
      playlistOf(
        late.map((_, at) => entry(`a${at + 2}.ts`, time(at + 6))),
        { end: true },
      ),
    );
    const found = await fetched('/film.m3u8');
    // What begins at 2 s of the sound's own clock is said to be that of 6 s.
    expect(found.beeps.map(Math.round)).toContain(8);
  });

  it('may be shorter than its pictures, and is not read beyond them', async () => {
    server.pages.set('/a.m3u8', playlistOf([entry('a0.ts'), entry('a1.ts'), entry('a2.ts')], { end: true }));
    const short = await fetched('/film.m3u8');
    expect(short.facts).toMatchObject({ totalFrames: SECONDS * 25, duration: SECONDS });
    expect(short.beeps.map(Math.round)).toEqual([2]);
    const entries = Array.from({ length: 5000 }, (_, at) => entry(`a${at % SECONDS}.ts`));
    server.pages.set('/a.m3u8', playlistOf(entries, { end: true }));
    server.asked.length = 0;
    expectInStep(await fetched('/film.m3u8'));
    expect(server.asked.filter((path) => /^\/a\d/.test(path))).toHaveLength(SECONDS);
  });
});

describe('what sound may do to its film', () => {
  const refused = async (more: Partial<FetchOptions> = {}): Promise<{ code: string; message: string }> => {
    const error: unknown = await fetchSource(server.at('/film.m3u8'), options(more)).catch((each: unknown) => each);
    expect(await readdir(join(folder, 'private'))).toEqual([]);
    return error as { code: string; message: string };
  };

  it.each<[string, Page, string, RegExp]>([
    ['has no end', playlistOf([entry('a0.ts')]), 'SOURCE_REFUSED', /playlist of its sound has no end/],
    ['has no segments', playlistOf([], { end: true }), 'SOURCE_REFUSED', /playlist of its sound lists no segments/],
    ['is not there', (_, response) => void response.writeHead(404).end(), 'SOURCE_REFUSED', /status 404/],
    ['is pictures', playlistOf([entry('v0.ts')], { end: true }), 'MEDIA_INVALID', /sound of the film is none/],
    ['lacks a segment', playlistOf([entry('a99.ts')], { end: true }), 'SOURCE_REFUSED', /status 404/],
  ])('is refused: it %s', async (_what, page, code, message) => {
    server.pages.set('/a.m3u8', page);
    expect(await refused()).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('is bounded in bytes and time together with the pictures', async () => {
    const maxBytes = ts.pictures.reduce((sum, { length }) => sum + length, 1000);
    expect(await refused({ maxBytes })).toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining(`${maxBytes} bytes`),
    });
    server.pages.set('/a1.ts', (request, response) => {
      response.writeHead(200).write(ts.sound[1]);
      const timer = setInterval(() => response.write(Buffer.alloc(188, 0x47)), 20);
      request.once('close', () => clearInterval(timer));
    });
    expect(await refused({ timeoutSeconds: 1 })).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('does not hide that the clock of the pictures begins anew', async () => {
    const entries = [2, 3, 4, 5, 0, 1].map((at) => entry(`v${at}.ts`, ...(at === 0 ? ['#EXT-X-DISCONTINUITY'] : [])));
    server.pages.set('/v.m3u8', playlistOf(entries, { end: true }));
    expect(await refused()).toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(/jump back by 6.0 s/),
    });
  });

  it('takes no more than eight tracks', async () => {
    const media = Array.from({ length: 12 }, (_, at) => SOUND.replace('a.m3u8', `a.m3u8?${at}`));
    for (const at of media.keys()) server.pages.set(`/a.m3u8?${at}`, server.pages.get('/a.m3u8') ?? '');
    server.pages.set('/film.m3u8', master(...media));
    const { path } = await fetchSource(server.at('/film.m3u8'), options());
    const { facts } = await probeMedia(path);
    expect(facts.kind === 'video' && facts.audioStreams).toHaveLength(8);
    await rm(path);
  });
});

/** @hardening privacy: The sound of a film lies at a private address (SSRF) */
describe('where the sound of a film lies', () => {
  it(`is no private address in ${PRIVATE_HOSTS.length} spellings, as playlist, segment, map and key`, async () => {
    const own = await HlsServer.start(ALLOWED);
    own.pages.set('/0.ts', Buffer.alloc(188 * 8, 0x47));
    own.pages.set('/v.m3u8', playlistOf([entry('0.ts')], { end: true }));
    const resolveHost = (name: string) =>
      Promise.resolve([{ address: name === 'public.test' ? ALLOWED : '127.0.0.1', family: 4 }]);
    const policy = { resolveHost, allowPrivateAddresses: [`${ALLOWED}/32`] };
    const passed: string[] = [];
    for (const address of PRIVATE_HOSTS.map((host) => `http://${host}/x`)) {
      const lures = {
        segment: playlistOf([entry(address)], { end: true }),
        map: playlistOf([entry('0.ts')], { head: `#EXT-X-MAP:URI="${address}"`, end: true }),
        key: playlistOf([entry('0.ts')], { head: `#EXT-X-KEY:METHOD=AES-128,URI="${address}"`, end: true }),
        playlist: '',
      };
      for (const [kind, page] of Object.entries(lures)) {
        own.pages.set('/film.m3u8', master(kind === 'playlist' ? SOUND.replace('a.m3u8', address) : SOUND));
        own.pages.set('/a.m3u8', page);
        const film = fetchSource(`http://public.test:${own.port}/film.m3u8`, options(policy));
        const error: unknown = await film.catch((each: unknown) => each);
        if (AditError.from(error).code !== 'SOURCE_REFUSED') passed.push(`${kind} ${address}: ${String(error)}`);
      }
    }
    await own.stop();
    expect(passed).toEqual([]);
  });
});

describe('a film over DASH whose sound comes apart', () => {
  it.each([
    ['in segments', []],
    ['in one file each', ['-single_file', '1']],
  ])('is one file with all pictures and its sound in step: %s', async (_what, args) => {
    const made = await mkdtemp(join(folder, 'dash-'));
    server.fallback = filesOf(made);
    const source = await beepingFile(SECONDS);
    await packaged(source, made, args);
    const found = await fetched('/live.mpd');
    expect(found.facts).toMatchObject({ kind: 'video', totalFrames: SECONDS * 25, audioStreams: [{ codec: 'aac' }] });
    expectInStep(found);
    const copy = await fetchSource(server.at('/live.mpd'), options());
    const [own, whole] = [await packetHashes(copy.path, 'h264'), await packetHashes(source, 'h264')];
    expect(own.video).toEqual(whole.video);
    // A last packet may begin behind the pictures.
    expect(whole.audio.slice(0, own.audio.length)).toEqual(own.audio);
    expect(own.audio.length).toBeGreaterThanOrEqual(whole.audio.length - 2);
    await rm(copy.path);
  });

  it('counts from where the manifest says that each begins', async () => {
    const made = await mkdtemp(join(folder, 'dash-'));
    server.fallback = filesOf(made);
    await packaged(await beepingFile(SECONDS), made, []);
    const text = await readFile(join(made, 'live.mpd'), 'utf8');
    // Sound whose first second is cut off.
    const moved = text.replace(/(contentType="audio"[^]*?timescale="(\d+)")/, '$1 presentationTimeOffset="$2"');
    expect(moved).not.toBe(text);
    await writeFile(join(made, 'live.mpd'), moved);
    const { beeps: found } = await fetched('/live.mpd');
    expect(found.map((at) => Math.round(at * 10) / 10)).toEqual([1, 3]);
  });
});
