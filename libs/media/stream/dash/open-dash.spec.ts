/** @needs ffmpeg */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { AditError } from '@adit/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HlsServer, type Page } from '../hls/testing/hls-server.js';
import { numbersIn, segmentedFilm, type SegmentedFilm } from '../hls/testing/hls-media.js';
import type { LiveOptions, LiveRun } from '../live-run.js';
import { packetHashes } from '../testing/received.js';
import { openDash } from './open-dash.js';
import { ended, filesOf, packageLive, sourceFilm } from './testing/packager.js';

let folder: string;
let live: string;
let film: string;
let server: HlsServer;
/** Files that were sent. */
let sent: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-dash-'));
  film = await sourceFilm(14);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  live = await mkdtemp(join(folder, 'live-'));
  server = await HlsServer.start();
  server.fallback = filesOf(live, (sent = []));
});
afterEach(() => server.stop());

interface ReadRun extends Omit<LiveRun, 'body'> {
  bytes: Buffer;
}

/** Reads a stream to its end. What broke it is the last element. */
async function read(path = '/live.mpd', more: Partial<LiveOptions> = {}): Promise<(ReadRun | AditError)[]> {
  const runs: (ReadRun | AditError)[] = [];
  const options: LiveOptions = {
    ...{ localRoots: [], allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] },
    ...{ idleTimeoutSeconds: 4, signal: new AbortController().signal },
    ...more,
  };
  try {
    for await (const { body, ...run } of openDash(server.at(path), options)) {
      runs.push({ ...run, bytes: await buffer(body) });
    }
  } catch (error) {
    if (!(error instanceof AditError)) throw error;
    runs.push(error);
  }
  return runs;
}

async function hashesOf({ bytes }: ReadRun): Promise<string[]> {
  const path = join(folder, `run-${Math.random()}.mp4`);
  await writeFile(path, bytes);
  return (await packetHashes(path, 'h264')).video;
}

describe('a live stream over DASH, as ffmpeg packages it while it is read', () => {
  it.each([
    ['a timeline', ['-use_timeline', '1', '-window_size', '5']],
    [
      'a timeline by time',
      ['-use_timeline', '1', '-window_size', '5', '-media_seg_name', 'c$RepresentationID$-$Time$.m4s'],
    ],
    ['durations alone', ['-use_timeline', '0', '-window_size', '5', '-streaming', '1']],
    ['a list of addresses', ['-use_template', '0', '-use_timeline', '0', '-window_size', '5']],
  ])('is read with each picture once: %s', async (_what, args) => {
    const child = await packageLive(film, live, args);
    try {
      const began = Date.now();
      const runs = (await read()) as ReadRun[];
      const [run] = runs;
      expect(runs).toHaveLength(1);
      expect(run).toMatchObject({ container: 'mp4', gap: null });
      const whole = (await packetHashes(film, 'h264')).video;
      const found = await hashesOf(run!);
      // To the very end, from a keyframe near the beginning.
      expect(found.length % 25).toBe(0);
      expect(found.length).toBeGreaterThan(200);
      expect(found).toEqual(whole.slice(-found.length));
      if (run?.statedTime !== null) expect(Math.abs(run!.statedTime - began)).toBeLessThan(8000);
      // Once a second at most, and each segment once.
      expect(server.timesAsked('/live.mpd')).toBeLessThanOrEqual((Date.now() - began) / 1000 + 2);
      expect(sent.filter((path, at) => sent.indexOf(path) !== at && path !== 'live.mpd')).toEqual([]);
      expect(sent.length).toBeGreaterThan(10);
    } finally {
      child.kill();
      await ended(child);
    }
  });
});

/** Ten segments of a second, 25 pictures each, served as /0.m4s to /9.m4s with /init.mp4. */
async function serveSegments(): Promise<SegmentedFilm> {
  const made = await segmentedFilm('fmp4', 10);
  made.segments.forEach((bytes, at) => server.pages.set(`/${at}.m4s`, bytes));
  server.pages.set('/init.mp4', made.map);
  server.fallback = undefined;
  return made;
}

const SET = '<AdaptationSet mimeType="video/mp4"><Representation id="v" bandwidth="1" width="320" height="180">';
const END = '</Representation></AdaptationSet>';
const NUMBERED = 'media="$Number$.m4s" initialization="init.mp4" timescale="1000"';

/** A period whose timeline lists segments of a second. */
function period(id: string, first: number, count: number, { start = first, more = '' } = {}): string {
  const timeline = `<SegmentTimeline><S t="${first * 1000}" d="1000" r="${count - 1}"/></SegmentTimeline>`;
  const template = `<SegmentTemplate ${NUMBERED} startNumber="${first}" presentationTimeOffset="${start * 1000}">`;
  return `<Period id="${id}" start="PT${start}S"${more}>${SET}${template}${timeline}</SegmentTemplate>${END}</Period>`;
}

function mpd(periods: string, { type = 'dynamic', more = '', head = '' } = {}): string {
  const live = type === 'dynamic' ? 'availabilityStartTime="2026-11-30T10:00:00Z" minimumUpdatePeriod="PT1S"' : '';
  return `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="${type}" ${live} ${more}>${head}${periods}</MPD>`;
}

/** Shows one manifest after the other, each `milliseconds` after the one before. */
function show(manifests: readonly string[], milliseconds = 1500): void {
  manifests.forEach((text, at) => setTimeout(() => server.pages.set('/live.mpd', text), at * milliseconds));
  const [first] = manifests;
  if (first !== undefined) server.pages.set('/live.mpd', first);
}

const joined = (made: SegmentedFilm, from: number, to: number): Buffer =>
  Buffer.concat([made.map, ...made.segments.slice(from, to)]);
const AT = Date.parse('2026-11-30T10:00:00Z');

describe('a live stream over DASH', () => {
  it('begins a run with each period, without a gap, and says the wall clock of each', async () => {
    const made = await serveSegments();
    const first = period('a', 0, 4, { more: ' duration="PT4S"' });
    const whole = mpd(first + period('b', 4, 3), { type: 'static', more: 'mediaPresentationDuration="PT7S"' });
    show([mpd(period('a', 0, 3)), mpd(first + period('b', 4, 2)), whole]);
    const runs = (await read()) as ReadRun[];
    expect(runs.map(({ gap, statedTime }) => [gap, statedTime])).toEqual([
      [null, AT],
      [null, AT + 4000],
    ]);
    expect(runs.map(({ bytes }) => bytes)).toEqual([joined(made, 0, 4), joined(made, 4, 7)]);
    expect(await numbersIn(runs[1]!.bytes, folder)).toEqual(Array.from({ length: 75 }, (_, at) => 100 + at));
  });

  it('names what was lost: a window that slid past, holes of the timeline, and missing segments', async () => {
    const made = await serveSegments();
    server.pages.delete('/9.m4s');
    const holed = period('a', 5, 2).replace('</SegmentTimeline>', '<S t="8000" d="1000" r="2"/></SegmentTimeline>');
    // The number goes on over a hole.
    made.segments.slice(8).forEach((bytes, at) => server.pages.set(`/${7 + at}.m4s`, bytes));
    show([
      mpd(period('a', 0, 3)),
      mpd(holed),
      mpd(holed, { type: 'static', more: 'mediaPresentationDuration="PT9S"' }),
    ]);
    const runs = (await read()) as ReadRun[];
    expect(runs.map(({ gap }) => gap)).toEqual([
      null,
      'no longer listed when their turn came: 2 segments (about 2 s)',
      'marked as gaps by the server: 1 segment (about 1 s)',
    ]);
    expect(runs.map(({ bytes }) => bytes)).toEqual([joined(made, 0, 3), joined(made, 5, 7), joined(made, 8, 10)]);
    expect(runs[2]?.statedTime).toBe(AT + 8000);
    expect(server.timesAsked('/9.m4s')).toBe(3);
  });

  it('goes by the clock of the server where segments have no list, and waits for the next one', async () => {
    const made = await serveSegments();
    // A server whose clock is a day ahead. Its segments come a second late, with 404 until then.
    const ahead = 86_400_000;
    const begun = Date.now() + ahead - 3000;
    made.segments.forEach((bytes, at) =>
      server.pages.set(`/${at}.m4s`, (_request, response) => {
        const isThere = Date.now() + ahead >= begun + (at + 2) * 1000;
        response.writeHead(isThere ? 200 : 404).end(isThere ? bytes : undefined);
      }),
    );
    server.pages.set('/time', (_request, response) => response.end(new Date(Date.now() + ahead).toISOString()));
    const template = `<SegmentTemplate ${NUMBERED} duration="1000" startNumber="0"/>`;
    const head = '<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="/time"/>';
    const more = `availabilityStartTime="${new Date(begun).toISOString()}" timeShiftBufferDepth="PT30S" mediaPresentationDuration="PT8S"`;
    const text = `<MPD type="dynamic" ${more}>${head}<Period start="PT0S">${SET}${template}${END}</Period></MPD>`;
    server.pages.set('/live.mpd', text);
    const runs = (await read()) as ReadRun[];
    expect(runs.map(({ gap, statedTime }) => [gap, statedTime])).toEqual([[null, begun]]);
    expect(runs[0]?.bytes).toEqual(joined(made, 0, 8));
    expect(server.timesAsked('/live.mpd')).toBeLessThanOrEqual(8);
    // A segment that is not there yet is asked for now and then.
    for (let at = 3; at < 8; at++) expect(server.timesAsked(`/${at}.m4s`)).toBeLessThanOrEqual(4);
  });

  it('bears a server that is away for a while, and follows its addresses', async () => {
    const made = await serveSegments();
    const text = mpd(period('a', 0, 3), { head: '<Location>/moved/next.mpd</Location><BaseURL>/media/</BaseURL>' });
    made.segments.forEach((bytes, at) => server.pages.set(`/media/${at}.m4s`, bytes));
    server.pages.set('/media/init.mp4', made.map);
    server.pages.set('/live.mpd', text);
    let asked = 0;
    const whole = text
      .replace('r="2"', 'r="6"')
      .replace('dynamic', 'static')
      .replace('<MPD', '<MPD mediaPresentationDuration="PT7S"');
    server.pages.set('/moved/next.mpd', (_request, response) => {
      if (++asked < 3) response.destroy();
      else response.end(whole);
    });
    const runs = (await read()) as ReadRun[];
    expect(runs.map(({ gap, bytes }) => [gap, bytes])).toEqual([[null, joined(made, 0, 7)]]);
    expect(server.timesAsked('/live.mpd')).toBe(1);
  });

  it('is given up when nothing new is listed', async () => {
    await serveSegments();
    show([mpd(period('a', 0, 3))]);
    expect(await read('/live.mpd', { idleTimeoutSeconds: 3 })).toMatchObject([
      { code: 'SOURCE_UNAVAILABLE', message: expect.stringMatching(/no new segment/) },
    ]);
  });
});

describe('a manifest that cannot be read', () => {
  const one = period('a', 0, 3);
  const protectedBy = '<ContentProtection schemeIdUri="urn:uuid:1" value="Widevine"/>';
  it.each([
    ['a page', '<html></html>', /does not begin with MPD/],
    ['half of one', mpd(one).slice(0, -20), /well-formed/],
    ['nothing', '', /./],
    ['a film', mpd(one, { type: 'static', more: 'mediaPresentationDuration="PT3S"' }), /film/],
    ['entities', `<!DOCTYPE MPD [<!ENTITY a "aaaa">]>${mpd(one).replace('<?xml version="1.0"?>', '')}`, /DOCTYPE/],
    ['unknown entities', mpd(one).replace('id="a"', 'id="&b;"'), /well-formed/],
    ['deep elements', mpd(`${'<Period>'.repeat(200)}${'</Period>'.repeat(200)}`), /deep/],
    ['many elements', mpd('<Period/>'.repeat(150_000)), /more than 100000 elements/],
    ['encrypted media', mpd(one.replace('<Representation', `${protectedBy}<Representation`)), /encrypted by Widevine/],
    [
      'remote elements',
      mpd(one.replace('<Period', '<Period xmlns:x="http://www.w3.org/1999/xlink" x:href="https://e"')),
      /xlink/,
    ],
    ['other media', mpd(one.replace('video/mp4', 'video/webm')), /video\/webm/],
    ['no time', mpd(one).replace(/availabilityStartTime="[^"]*"/, ''), /availabilityStartTime/],
    ['durations of nothing', mpd(one.replace('d="1000"', 'd="0"')), /no duration/],
    ['long durations', mpd(one.replace('d="1000"', 'd="99999999999999"')), /no sensible duration/],
    ['negative times', mpd(one.replace('t="0"', 't="-5"')), /no time of a segment/],
    ['huge numbers', mpd(one.replace('startNumber="0"', 'startNumber="99999999999999999999"')), /is no number/],
    ['endless timescales', mpd(one.replace('timescale="1000"', 'timescale="0"')), /timescale/],
    ['variables', mpd(one.replace('$Number$', '$Secret$')), /holds \$Secret/],
    ['files', mpd(one.replace('$Number$.m4s', 'file:///etc/passwd')), /refused|no address|web address/],
    ['a live file', mpd(`<Period>${SET}<BaseURL>a.mp4</BaseURL>${END}</Period>`), /whole files/],
    ['a segment of segments', mpd(one.replace('r="2"', 'r="x"')), /is no number/],
  ])('%s are refused', async (_what, text, message) => {
    await serveSegments();
    server.pages.set('/live.mpd', text);
    const began = performance.now();
    expect(await read()).toMatchObject([{ code: 'SOURCE_REFUSED', message: expect.stringMatching(message) }]);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('a thousand million segments in one entry are not listed one by one', async () => {
    await serveSegments();
    server.pages.set('/live.mpd', mpd(one.replace('r="2"', 'r="1000000000"')));
    const began = performance.now();
    expect(await read()).toMatchObject([
      { code: 'SOURCE_UNAVAILABLE', message: expect.stringMatching(/no new segment/) },
    ]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('neither a manifest nor a segment is read without end', async () => {
    const endless: Page = (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 << 10, ' ')));
        response.once('drain', more);
      };
      more();
    };
    server.pages.set('/live.mpd', endless);
    expect(await read()).toMatchObject([{ message: expect.stringMatching(/more than 4194304 bytes/) }]);
    await serveSegments();
    server.pages.set('/init.mp4', endless);
    server.pages.set('/live.mpd', mpd(one));
    expect(await read()).toMatchObject([{ message: expect.stringMatching(/initialisation section has more than/) }]);
  });
});
