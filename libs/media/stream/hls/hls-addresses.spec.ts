import { PRIVATE_HOSTS } from '@adit/net/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LiveOptions } from '../live-run.js';
import { ALLOWED, answerOf } from '../testing/answer.js';
import { openHls } from './open-hls.js';
import { entry, HlsServer, playlistOf } from './testing/hls-server.js';

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

const answer = (uri: string, more?: Partial<LiveOptions>): Promise<string> => answerOf(openHls, uri, more);

/** Playlists by which a server would have this machine ask `address` for something. */
function lures(address: string): Record<string, string> {
  const segment = entry('0.ts');
  return {
    variant: `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${address}\n`,
    segment: playlistOf([entry(address)]),
    map: playlistOf([segment], { head: `#EXT-X-MAP:URI="${address}"` }),
    key: playlistOf([segment], { head: `#EXT-X-KEY:METHOD=AES-128,URI="${address}"` }),
  };
}

describe('what a playlist leads to', () => {
  it(`is refused in ${PRIVATE_ADDRESSES.length} spellings of addresses, as playlist, segment, map and key`, async () => {
    const passed: string[] = [];
    for (const address of PRIVATE_ADDRESSES) {
      for (const [kind, playlist] of Object.entries(lures(`${address}/x.m3u8`))) {
        server.pages.set('/live.m3u8', playlist);
        const code = await answer(`http://public.test:${server.port}/live.m3u8`);
        if (code !== 'SOURCE_REFUSED') passed.push(`${kind} ${address}: ${code}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it.each(['variant', 'segment', 'map', 'key'])('is refused where a name or a redirect hides it: %s', async (kind) => {
    const own = `http://public.test:${server.port}`;
    const hidden = `http://inner.test:${inner.port}/x.m3u8`;
    server.pages.set('/away', (_request, response) => response.writeHead(302, { location: hidden }).end());
    for (const address of [hidden, `${own}/away`, 'file:///etc/passwd', 'gopher://example.org/']) {
      server.pages.set('/live.m3u8', lures(address)[kind] ?? '');
      expect([address, await answer(`${own}/live.m3u8`)]).toEqual([address, 'SOURCE_REFUSED']);
    }
  });

  it('is refused when the playlist itself is not where it may be', async () => {
    expect(await answer(`http://inner.test:${inner.port}/live.m3u8`)).toBe('SOURCE_REFUSED');
    server.pages.set('/live.m3u8', (_request, response) =>
      response.writeHead(302, { location: `http://inner.test:${inner.port}/live.m3u8` }).end(),
    );
    expect(await answer(`http://public.test:${server.port}/live.m3u8`)).toBe('SOURCE_REFUSED');
    expect(await answer(`http://public.test:${server.port}/live.m3u8`, { allowHttp: false })).toBe('SOURCE_REFUSED');
  });

  it('is refused when it changes while the stream runs', async () => {
    const own = `http://public.test:${server.port}`;
    server.pages.set('/live.m3u8', playlistOf([entry('0.ts')]));
    setTimeout(() => {
      server.pages.set('/live.m3u8', playlistOf([entry('0.ts'), entry(`http://inner.test:${inner.port}/1.ts`)]));
    }, 300);
    expect(await answer(`${own}/live.m3u8`)).toBe('SOURCE_REFUSED');
  });
});
