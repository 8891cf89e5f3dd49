import { PRIVATE_HOSTS } from '@adit/net/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiveOptions } from '../live-run.js';
import { ALLOWED, answerOf } from '../testing/answer.js';
import { HlsServer } from '../hls/testing/hls-server.js';
import { openDash } from './open-dash.js';

const PRIVATE_ADDRESSES = PRIVATE_HOSTS.map((host) => `http://${host}`);
const TS = Buffer.alloc(188, 0x47);

let server: HlsServer;
/** Stands for a host inside the network that must not be reached. */
let inner: HlsServer;

beforeEach(async () => {
  [server, inner] = [await HlsServer.start(ALLOWED), await HlsServer.start()];
  server.pages.set('/0.ts', TS);
});
afterEach(async () => {
  expect(inner.asked).toEqual([]);
  await Promise.all([server.stop(), inner.stop()]);
});

const answer = (uri: string, more?: Partial<LiveOptions>): Promise<string> => answerOf(openDash, uri, more);

interface Lure {
  media?: string;
  initialization?: string;
  base?: string;
  head?: string;
}

function manifest({ media = '0.ts', initialization, base = '', head = '' }: Lure): string {
  const first = initialization === undefined ? '' : ` initialization="${initialization}"`;
  const timeline = '<SegmentTimeline><S t="0" d="1" r="2"/></SegmentTimeline>';
  const template = `<SegmentTemplate media="${media}"${first}>${timeline}</SegmentTemplate>`;
  const set = `<AdaptationSet mimeType="video/mp2t"><Representation id="v">${template}</Representation></AdaptationSet>`;
  const attributes = 'type="dynamic" minimumUpdatePeriod="PT1S" availabilityStartTime="2026-11-30T10:00:00Z"';
  return `<MPD ${attributes}>${head}${base}<Period id="0" start="PT0S">${set}</Period></MPD>`;
}

/** Manifests by which a server would have this machine ask `address` for something. */
function lures(address: string): Record<string, string> {
  return {
    segment: manifest({ media: address }),
    initialization: manifest({ initialization: address }),
    base: manifest({ base: `<BaseURL>${address}</BaseURL>` }),
    location: manifest({ head: `<Location>${address}</Location>` }),
  };
}

describe('what a manifest leads to', () => {
  it(`is refused in ${PRIVATE_ADDRESSES.length} spellings of addresses, as segment, initialisation and base`, async () => {
    const passed: string[] = [];
    for (const address of PRIVATE_ADDRESSES) {
      const { location: _, ...read } = lures(`${address}/x.mpd`);
      for (const [kind, playlist] of Object.entries(read)) {
        server.pages.set('/live.mpd', playlist);
        const code = await answer(`http://public.test:${server.port}/live.mpd`);
        if (code !== 'SOURCE_REFUSED') passed.push(`${kind} ${address}: ${code}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it.each(['segment', 'initialization', 'location'])(
    'is refused where a name or a redirect hides it: %s',
    async (kind) => {
      const own = `http://public.test:${server.port}`;
      const hidden = `http://inner.test:${inner.port}/x.mpd`;
      server.pages.set('/away', (_request, response) => response.writeHead(302, { location: hidden }).end());
      for (const address of [hidden, `${own}/away`, 'file:///etc/passwd', 'gopher://example.org/']) {
        server.pages.set('/live.mpd', lures(address)[kind] ?? '');
        expect([address, await answer(`${own}/live.mpd`)]).toEqual([address, 'SOURCE_REFUSED']);
      }
    },
  );

  it('is refused when the manifest itself is not where it may be', async () => {
    expect(await answer(`http://inner.test:${inner.port}/live.mpd`)).toBe('SOURCE_REFUSED');
    server.pages.set('/live.mpd', (_request, response) =>
      response.writeHead(302, { location: `http://inner.test:${inner.port}/live.mpd` }).end(),
    );
    expect(await answer(`http://public.test:${server.port}/live.mpd`)).toBe('SOURCE_REFUSED');
    expect(await answer(`http://public.test:${server.port}/live.mpd`, { allowHttp: false })).toBe('SOURCE_REFUSED');
  });

  it('is not asked for the time', async () => {
    const timing = `<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="http://inner.test:${inner.port}/time"/>`;
    const clocked = manifest({ head: timing })
      .replace(/<SegmentTimeline>.*<\/SegmentTimeline>/, '')
      .replace('media=', 'duration="1" media=');
    server.pages.set('/live.mpd', clocked.replace('2026-11-30T10:00:00Z', new Date(Date.now() - 60_000).toISOString()));
    server.pages.set('/0.ts', (_request, response) => response.writeHead(403).end());
    expect(await answer(`http://public.test:${server.port}/live.mpd`)).toBe('SOURCE_UNAVAILABLE');
  });
});
