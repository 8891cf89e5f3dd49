/** @needs ffmpeg, time */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { packageLive, ended, filesOf, sourceFilm } from './dash/testing/packager.js';
import { entry, HlsServer, playlistOf, type Page } from './hls/testing/hls-server.js';
import { decodeLive } from './live-decoder.js';
import { openHead } from './live-head.js';
import type { LiveOptions } from './live-run.js';
import { openLive } from './open-live.js';
import { SoundBeside } from './sound-beside.js';
import type { LiveSound } from './sound-cutter.js';
import { nextDistance, soundDistance } from './sound-distance.js';
import { beepingFilm, beepsIn, type ApartSegments } from './testing/beeps.js';

let directory: string;
let server: HlsServer;
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'separate-sound-'))));
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => void (server = await HlsServer.start()));
afterEach(() => server.stop());

interface Heard {
  sounds: LiveSound[];
  /** Seconds of pictures. */
  seconds: number;
  runs: number;
  /** Milliseconds of sound that had come by the last picture. */
  heardMs: number;
}

/** Reads a stream to its end, as a recorder does. */
async function heard(path: string, audioTrack?: string): Promise<Heard> {
  const { signal } = new AbortController();
  const policy = { localRoots: [], allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] };
  const options: LiveOptions = { ...policy, idleTimeoutSeconds: 20, signal, audioTrack };
  const found: Heard = { sounds: [], seconds: 0, runs: 0, heardMs: 0 };
  let zero: number | null = null;
  for await (const run of openLive(server.at(path), options)) {
    found.runs++;
    const head = await openHead(run, { directory, signal });
    const { sound: open, statedTime, clockOffset = 0 } = run;
    zero ??= statedTime;
    const us = statedTime === null || zero === null ? found.seconds * 1e6 : (statedTime - zero) * 1000;
    const pictures = { start: head.start, statedTime, clockOffset };
    const sound = open && {
      stream: new SoundBeside({ open, pictures, directory, signal }),
      fromUs: (found.sounds.at(-1)?.interval.endMs ?? 0) * 1000,
      onSound: (part: LiveSound) => found.sounds.push(part),
    };
    const decoding = {
      ...{ head, container: run.container, isSegmented: true, specs: [], pieceSeconds: 1, directory, signal },
      place: () => ({ frame: 0, us, endUs: 0 }),
    };
    for await (const { interval } of decodeLive({ ...decoding, ...(sound && { sound }) })) {
      found.seconds = interval.ptsEnd / 1e6;
      found.heardMs = found.sounds.at(-1)?.interval.endMs ?? 0;
    }
  }
  return found;
}

function master(...media: string[]): string {
  const lines = ['#EXTM3U', ...media, '#EXT-X-STREAM-INF:BANDWIDTH=1000000,RESOLUTION=320x180,AUDIO="a"', 'v.m3u8', ''];
  return lines.join('\n');
}
const RENDITION = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="a.m3u8"';

interface Show {
  film: ApartSegments;
  /** Name of its segments' kind. */
  kind?: string;
  /** Tags of a segment of a track, by its number. */
  tags?: (track: 'v' | 'a', at: number) => string[];
  /** Seconds by which the list of sound is late. */
  late?: number;
}

/** Seconds after its last segment that the end of a stream is told: busy machines decode late. */
const END_SECONDS = 6;

/** Shows a film of segments as a live stream: five at first, and a new one each second. */
function show({ film, kind = 'ts', tags = () => [], late = 0 }: Show): void {
  let began: number | null = null;
  const tracks = { v: film.pictures, a: film.sound };
  for (const [track, segments] of Object.entries(tracks) as ['v' | 'a', Buffer[]][]) {
    segments.forEach((bytes, at) => server.pages.set(`/${track}${at}.${kind}`, bytes));
    const map = film.maps[track === 'v' ? 'pictures' : 'sound'];
    if (map.length > 0) server.pages.set(`/${track}init.mp4`, map);
    const page: Page = (_, response) => {
      began ??= Date.now();
      const passed = (Date.now() - began) / 1000 - (track === 'a' ? late : 0);
      const end = Math.min(5 + Math.max(Math.floor(passed), 0), film.pictures.length);
      const lines = Array.from({ length: end }, (_each, at) => entry(`${track}${at}.${kind}`, ...tags(track, at)));
      const head = map.length > 0 ? `#EXT-X-MAP:URI="${track}init.mp4"` : '';
      const isOver = passed > film.pictures.length - 5 + END_SECONDS;
      response.end(playlistOf(lines, { head, end: isOver }));
    };
    server.pages.set(`/${track}.m3u8`, page);
  }
  server.pages.set('/live.m3u8', master(RENDITION));
}

/**
 * Beeps begin at even seconds of the film, whose pictures are read from this second on. The list of sound is asked for
 * later than that of pictures, so on a busy machine the first beeps may be missing.
 */
function expectBeeps(found: readonly number[], from: number, to: number): void {
  const wanted = Array.from({ length: to }, (_, at) => at).filter((at) => at > from && at % 2 === 0);
  expect(found.length).toBeLessThanOrEqual(wanted.length);
  expect(found.length).toBeGreaterThanOrEqual(Math.ceil(wanted.length / 2));
  wanted.slice(-found.length).forEach((at, i) => expect(Math.abs((found[i] ?? 0) + from - at)).toBeLessThan(0.08));
}

const time = (at: number): string => `#EXT-X-PROGRAM-DATE-TIME:${new Date(1.8e12 + at * 1000).toISOString()}`;

describe('sound of HLS that comes apart from the pictures', () => {
  it.each(['mpegts', 'fmp4'] as const)('is heard at the times of its pictures, by %s', async (kind) => {
    const film = await beepingFilm(kind, 12);
    show({ film, kind: kind === 'fmp4' ? 'm4s' : 'ts' });
    const { sounds, seconds, runs } = await heard('/live.m3u8');
    expect(runs).toBe(1);
    expect(Math.round(seconds)).toBe(10);
    expectBeeps(beepsIn(sounds), 2, 12);
    for (const at of film.sound.keys()) {
      const ending = kind === 'fmp4' ? 'm4s' : 'ts';
      expect(server.timesAsked(`/a${at}.${ending}`)).toBeLessThanOrEqual(1);
    }
  });

  it('is heard later where it comes later, and the pictures do not wait', async () => {
    const film = await beepingFilm('mpegts', 12);
    show({ film, late: 4 });
    const { sounds, seconds, heardMs } = await heard('/live.m3u8');
    expect(Math.round(seconds)).toBe(10);
    expect(heardMs).toBeLessThan(8000);
    expectBeeps(beepsIn(sounds), 2, 12);
  });

  it('goes on behind segments that are missing, with the reason', async () => {
    const film = await beepingFilm('mpegts', 16);
    show({ film, tags: (_, at) => [time(at)] });
    for (const at of [5, 6, 7]) server.pages.delete(`/a${at}.ts`);
    const { sounds, seconds } = await heard('/live.m3u8');
    expect(Math.round(seconds)).toBe(14);
    const [behind] = sounds.filter(({ interval }) => interval.startMs >= 5900);
    expect(behind?.missing).toBe('could not be read: 3 segments (about 3 s)');
    expect(beepsIn(sounds).map(Math.round)).toContain(8);
  });

  it('is opened again where it breaks off, and its pictures show all', async () => {
    const film = await beepingFilm('mpegts', 16);
    show({ film, tags: (_, at) => [time(at)] });
    const page = server.pages.get('/a.m3u8')!;
    server.pages.set('/a.m3u8', (_, response) => void response.writeHead(500).end());
    setTimeout(() => server.pages.set('/a.m3u8', page), 3000);
    const { sounds, seconds, runs } = await heard('/live.m3u8');
    expect(runs).toBe(1);
    expect(Math.round(seconds)).toBe(14);
    const beeping = beepsIn(sounds);
    expect(beeping.length).toBeGreaterThanOrEqual(2);
    for (const at of beeping) expect(Math.abs(at - Math.round(at))).toBeLessThan(0.08);
  });

  it('that is none leaves the pictures as they are', async () => {
    show({ film: await beepingFilm('mpegts', 9) });
    for (let at = 0; at < 9; at++) server.pages.set(`/a${at}.ts`, Buffer.alloc(20_000, 0x47));
    const { sounds, seconds } = await heard('/live.m3u8');
    expect(sounds).toEqual([]);
    expect(Math.round(seconds)).toBe(7);
  });

  it('is that of the language that is asked for', async () => {
    show({ film: await beepingFilm('mpegts', 9) });
    const other = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="two",LANGUAGE="de",URI="b.m3u8"';
    server.pages.set('/live.m3u8', master(RENDITION, other));
    const { seconds } = await heard('/live.m3u8', 'de');
    expect(Math.round(seconds)).toBe(7);
    expect(server.timesAsked('/b.m3u8')).toBeGreaterThan(0);
    expect(server.timesAsked('/a.m3u8')).toBe(0);
  });

  it('begins anew behind a discontinuity of its pictures', async () => {
    const film = await beepingFilm('mpegts', 6);
    const twice = { ...film, pictures: [...film.pictures, ...film.pictures], sound: [...film.sound, ...film.sound] };
    show({ film: twice, tags: (_, at) => [...(at === 6 ? ['#EXT-X-DISCONTINUITY'] : []), time(at)] });
    const { sounds, runs, seconds } = await heard('/live.m3u8');
    expect(runs).toBe(2);
    expect(Math.round(seconds)).toBe(10);
    // What comes until it is read again is missing; what is heard is at its time.
    const found = beepsIn(sounds).map((at) => at + 2);
    expect(found.length).toBeGreaterThanOrEqual(1);
    for (const at of found) expect(Math.abs(at - 2 * Math.round(at / 2))).toBeLessThan(0.08);
  });
});

describe('sound of DASH', () => {
  it('is heard at the times of its pictures', async () => {
    const folder = await mkdtemp(join(directory, 'dash-'));
    const live = await packageLive(await sourceFilm(12), folder, ['-window_size', '8', '-streaming', '0']);
    server.fallback = filesOf(folder);
    const { sounds, seconds } = await heard('/live.mpd');
    await ended(live);
    expect(seconds).toBeGreaterThan(8);
    const total = sounds.reduce((sum, { interval }) => sum + interval.endMs - interval.startMs, 0) / 1000;
    expect(total).toBeGreaterThan(seconds - 1.2);
    expect(sounds[0]?.interval.startMs).toBeLessThan(60);
  });
});

describe('the distance of sound to its pictures', () => {
  const at = (start: number, statedTime: number | null = null, clockOffset = 0) => ({ start, statedTime, clockOffset });

  it('is that of their media, also over the end of the clock of MPEG-TS', () => {
    expect(soundDistance(at(101), at(100), 0)).toBe(1);
    expect(soundDistance(at(1), at(2 ** 33 / 90_000 - 1), 0)).toBeCloseTo(2, 6);
    expect(soundDistance(at(0, null, -7), at(5), 0)).toBe(2);
    expect(soundDistance(at(3, 1000), at(2, 500), 0)).toBe(1);
  });

  it('is that of the stated times where the media have other clocks', () => {
    expect(soundDistance(at(0, 5000), at(900, 2000), 0)).toBe(3);
  });

  it('is not known where nothing tells it', () => {
    expect(soundDistance(at(0), at(900), 0)).toBeNull();
    expect(soundDistance(at(990), at(900), 80)).toBe(90);
  });

  it('is found when the clock of MPEG-TS has begun anew since the first picture', () => {
    const day = 86_400;
    const clock = (seconds: number): number => seconds % (2 ** 33 / 90_000);
    expect(soundDistance(at(clock(10 + 2 * day)), at(10), 2 * day - 3)).toBeCloseTo(2 * day, 6);
  });

  it('is not known behind a discontinuity where sound does not go on', () => {
    expect(nextDistance(at(20), at(10), 10)).toBe(10);
    expect(nextDistance(at(11.4), at(10), 10)).toBeNull();
    expect(nextDistance(at(11.4, 30_000), at(10, 20_000), 10)).toBe(10);
  });
});
