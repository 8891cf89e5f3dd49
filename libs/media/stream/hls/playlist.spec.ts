import { AditError } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseVariant } from './choose-variant.js';
import type { MediaPlaylist } from '../segments/media-playlist.js';
import { parsePlaylist, type MasterPlaylist } from './playlist.js';

const base = new URL('https://example.org/live/index.m3u8');

async function media(text: string, from = base): Promise<MediaPlaylist> {
  const playlist = await parsePlaylist(text, from);
  if (playlist.kind !== 'media') throw new Error('a master playlist');
  return playlist;
}

async function master(text: string): Promise<MasterPlaylist> {
  const playlist = await parsePlaylist(text, base);
  if (playlist.kind !== 'master') throw new Error('a media playlist');
  return playlist;
}

const HEAD = '#EXTM3U\n#EXT-X-TARGETDURATION:4\n';

describe('a media playlist', () => {
  it('says what is to be fetched', async () => {
    const { segments, ...others } = await media(`\ufeff#EXTM3U\r
#EXT-X-VERSION:7\r
#EXT-X-TARGETDURATION:4\r
#EXT-X-MEDIA-SEQUENCE:17\r
#EXT-X-DISCONTINUITY-SEQUENCE:3\r
# a comment\r
#EXT-X-MAP:URI="init.mp4",BYTERANGE="700@20"\r
#EXTINF:3.5,L'été\r
a.m4s\r
#EXT-X-PROGRAM-DATE-TIME:2026-11-29T10:00:00.500Z\r
#EXT-X-BYTERANGE:1000@700\r
#EXTINF:4\r
all.m4s\r
#EXT-X-DISCONTINUITY\r
#EXT-X-BYTERANGE:500\r
#EXTINF:2,\r
all.m4s\r
#EXT-X-GAP\r
#EXTINF:2,\r
../gone.m4s?x=1\r
#EXT-X-ENDLIST\r
`);
    expect(others).toEqual({ kind: 'media', targetSeconds: 4, firstNumber: 17, hasEnded: true });
    expect(segments.map(({ url, number, seconds, byteRange }) => [url.href, number, seconds, byteRange])).toEqual([
      ['https://example.org/live/a.m4s', 17, 3.5, null],
      ['https://example.org/live/all.m4s', 18, 4, { offset: 700, length: 1000 }],
      ['https://example.org/live/all.m4s', 19, 2, { offset: 1700, length: 500 }],
      ['https://example.org/gone.m4s?x=1', 20, 2, null],
    ]);
    expect(segments.map((each) => [each.isDiscontinuous, each.discontinuity, each.isGap])).toEqual([
      [false, 3, false],
      [false, 3, false],
      [true, 4, false],
      [false, 4, true],
    ]);
    const time = Date.parse('2026-11-29T10:00:00.500Z');
    // Those before the first stated time are dated from it.
    expect(segments.map(({ statedTime }) => statedTime)).toEqual([time - 3500, time, time + 4000, time + 6000]);
    const map = {
      url: new URL('https://example.org/live/init.mp4'),
      byteRange: { offset: 20, length: 700 },
      key: null,
    };
    expect(segments.map((segment) => segment.map)).toEqual([map, map, map, map]);
  });

  it('reads wall clocks in every zone, and none where there is no date', async () => {
    const dated = async (date: string) =>
      (await media(`${HEAD}#EXT-X-PROGRAM-DATE-TIME:${date}\n#EXTINF:4,\na.ts\n`)).segments[0]?.statedTime;
    const time = Date.parse('2026-11-29T10:00:00Z');
    expect(await dated('2026-11-29T11:00:00.000+0100')).toBe(time);
    expect(await dated('2026-11-29T11:00:00+01:00')).toBe(time);
    expect(await dated('2026-11-29T10:00:00')).toBe(time);
    expect(await dated('yesterday')).toBeNull();
  });

  it('keeps numbers right where segments were left out, and passes over parts', async () => {
    const { segments } = await media(`${HEAD}#EXT-X-MEDIA-SEQUENCE:10
#EXT-X-PART-INF:PART-TARGET=0.5
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5
#EXT-X-SKIP:SKIPPED-SEGMENTS=3
#EXT-X-PART:DURATION=0.5,URI="a.0.ts"
#EXTINF:4,
a.ts
#EXT-X-PART:DURATION=0.5,URI="b.0.ts"
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="b.1.ts"
#EXT-X-RENDITION-REPORT:URI="../other.m3u8",LAST-MSN=13
`);
    expect(segments.map(({ number, url }) => [number, url.pathname])).toEqual([[13, '/live/a.ts']]);
  });

  it('takes the plain key where there is a choice', async () => {
    const { segments } = await media(`${HEAD}#EXT-X-KEY:METHOD=AES-128,URI="k?a=1,2",IV=0x0A
#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"
#EXTINF:4,
a.ts
#EXT-X-KEY:METHOD=NONE
#EXTINF:4,
b.ts
`);
    const iv = Buffer.from('0000000000000000000000000000000a', 'hex');
    expect(segments.map(({ key }) => key)).toEqual([{ url: new URL('https://example.org/live/k?a=1,2'), iv }, null]);
  });

  it.each([
    ['', /does not begin with #EXTM3U/],
    ['#EXTM3U', /neither segments nor streams/],
    ['#EXTM3U\n#EXTINF:-1 group="x",Channel\nhttps://example.org/a.ts', /no sensible duration/],
    [`${HEAD}a.ts`, /no EXTINF/],
    [`${HEAD}#EXTINF:4,\nhttp://example.org/a.ts`, /from https:\/\/ to http:\/\//],
    [`${HEAD}#EXTINF:4,\nhttp://[/a.ts`, /no address/],
    [`${HEAD}#EXTINF:4,\n{$host}/a.ts`, /variables/],
    [`${HEAD}#EXT-X-BYTERANGE:10\n#EXTINF:4,\na.ts`, /no beginning/],
    [`${HEAD}#EXT-X-BYTERANGE:0@0\n#EXTINF:4,\na.ts`, /LENGTH@OFFSET/],
    [`${HEAD}#EXT-X-MEDIA-SEQUENCE:-5\n`, /EXT-X-MEDIA-SEQUENCE/],
    [`${HEAD}#EXTINF:4,\na.ts\n#EXT-X-MEDIA-SEQUENCE:9`, /comes behind/],
    [`${HEAD}#EXT-X-MEDIA-SEQUENCE:9007199254740991\n`, /too large|EXT-X-MEDIA-SEQUENCE/],
    [`${HEAD}#EXT-X-I-FRAMES-ONLY\n`, /key frames/],
    [`${HEAD}#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0xzz\n#EXTINF:4,\na.ts`, /IV/],
    [`${HEAD}#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXT-X-MAP:URI="i"\n#EXTINF:4,\na.ts`, /without an IV/],
    [`${HEAD}#EXT-X-KEY:METHOD=SAMPLE-AES,URI="k"\n#EXTINF:4,\na.ts`, /SAMPLE-AES \(DRM\)/],
  ])('%j is refused', async (text, reason) => {
    // An address is only looked at when it is fetched.
    const read = async () => (await media(text)).segments.map(({ url }) => url);
    await expect(read()).rejects.toThrow(
      expect.objectContaining({ code: 'SOURCE_REFUSED', message: expect.stringMatching(reason) }),
    );
  });
});

describe('a master playlist', () => {
  const streams = (...attributes: string[]) =>
    `#EXTM3U\n${attributes.map((each, at) => `#EXT-X-STREAM-INF:${each}\n${at}.m3u8\n`).join('')}`;
  const chosen = async (text: string) => chooseVariant(await master(text)).url.pathname;

  it('is left for the largest pictures up to 1080 lines, else for the smallest', async () => {
    const [low, high, uhd, larger] = ['640x360', '1920x1080', '3840x2160', '7680x4320'].map(
      (size) => `BANDWIDTH=1,RESOLUTION=${size}`,
    ) as [string, string, string, string];
    expect(await chosen(streams(low, high, uhd))).toBe('/live/1.m3u8');
    expect(await chosen(streams(larger, uhd))).toBe('/live/1.m3u8');
    expect(await chosen(streams(low, 'BANDWIDTH=1,RESOLUTION=1080x1920'))).toBe('/live/1.m3u8');
    expect(await chosen(streams('BANDWIDTH=5,CODECS="mp4a.40.2"', 'BANDWIDTH=2', 'BANDWIDTH=3'))).toBe('/live/2.m3u8');
  });

  it('is left for sound beside the pictures, before the higher bit rate', async () => {
    const group = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Version d\'origine",URI="a.m3u8"\n';
    const muxed = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="b"\n';
    const text = streams(
      'BANDWIDTH=9,AUDIO="a",RESOLUTION=640x360',
      'BANDWIDTH=2,AUDIO="b",RESOLUTION=640x360',
      'BANDWIDTH=1,RESOLUTION=640x360',
    );
    expect(await chosen(`${text}${group}${muxed}`)).toBe('/live/1.m3u8');
  });

  it('without streams, or with too many, is refused', async () => {
    await expect(master('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n')).rejects.toThrow(/lists no stream/);
    await expect(master(streams(...Array.from({ length: 1001 }, () => 'BANDWIDTH=1')))).rejects.toThrow(
      /more than 1000/,
    );
  });
});

describe('what a hostile server may send', () => {
  const refusal = async (text: string): Promise<string> => {
    try {
      await parsePlaylist(text, base);
      return 'read';
    } catch (error) {
      return error instanceof AditError ? error.code : `not ours: ${String(error)}`;
    }
  };

  it.each([
    ['lines', '#EXTM3U\n'.repeat(400_000)],
    ['a long line', `#EXTM3U\n#EXT-X-KEY:${'A'.repeat(1 << 20)}\n`],
    ['segments', `${HEAD}${'#EXTINF:1,\na\n'.repeat(60_000)}`],
    [
      'key formats',
      `${HEAD}${Array.from({ length: 50 }, (_, at) => `#EXT-X-KEY:METHOD=X,KEYFORMAT="${at}"`).join('\n')}`,
    ],
  ])('too many %s are refused in a short time', async (_what, text) => {
    const begun = performance.now();
    expect(await refusal(text)).toBe('SOURCE_REFUSED');
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  /** @hardening overload: A large playlist keeps a recorder from its other streams */
  it.each([
    ['sections', (at: number) => `#EXT-X-MAP:URI="${at}"\n`],
    ['one section', () => '#EXT-X-MAP:URI="a"\n'],
    [
      'segments',
      (at: number) => `#EXT-X-PROGRAM-DATE-TIME:2026-11-29T10:00:00Z\n#EXTINF:4,\n#EXT-X-BYTERANGE:9@9\n${at}\n`,
    ],
    ['keys', (at: number) => `#EXT-X-KEY:METHOD=AES-128,URI="${at}"\n`],
    ['attributes', (at: number) => `#EXT-X-MAP:${'A=,'.repeat(60)}URI="${at}"\n`],
    ['groups', (at: number) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${at}"\n#EXT-X-STREAM-INF:A=1\n`],
  ])('other work goes on beside 4 MB of %s', async (_what, line) => {
    const lines = [HEAD];
    for (let at = 0, size = 0; size < 4 << 20; at++) size += lines[lines.push(line(at)) - 1]?.length ?? 0;
    const text = lines.slice(0, 299_000).join('');
    // The best of three: a busy machine makes single steps long. Time of the processor, which others' work is no part of.
    const longest = [0, 0, 0];
    for (const at of longest.keys()) {
      let last = process.cpuUsage();
      const beat = setInterval(() => {
        const { user, system } = process.cpuUsage(last);
        longest[at] = Math.max(longest[at] ?? 0, (user + system) / 1000);
        last = process.cpuUsage();
      }, 1);
      await refusal(text);
      clearInterval(beat);
    }
    // About 10 on a quiet machine, where the whole took 600.
    expect(Math.min(...longest)).toBeLessThan(100);
  });

  it.each([
    ['attributes', '#EXT-X-STREAM-INF:A=1\nv\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n"\n'],
    ['names without values', `#EXT-X-STREAM-INF:${'A'.repeat(8000)}\nv\n`],
    ['open quotes', `#EXT-X-STREAM-INF:${'A="'.repeat(2600)}\nv\n`],
  ])('%s are read in a time that grows with their length', async (_what, lines) => {
    const text = `#EXTM3U\n${lines.repeat(Math.min(990, Math.floor((4 << 20) / lines.length)))}`;
    const begun = performance.now();
    await refusal(text);
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  it('any text is read, or refused by an error of ours', async () => {
    const tag = fc.constantFrom(
      ...['#EXTM3U', '#EXTINF:', '#EXTINF:4,', '#EXT-X-KEY:', '#EXT-X-MAP:', '#EXT-X-BYTERANGE:', '#EXT-X-GAP'],
      ...['#EXT-X-DISCONTINUITY', '#EXT-X-MEDIA-SEQUENCE:', '#EXT-X-PROGRAM-DATE-TIME:', '#EXT-X-STREAM-INF:'],
      ...['#EXT-X-MEDIA:TYPE=AUDIO,', '#EXT-X-TARGETDURATION:', '#EXT-X-SKIP:', '#EXT-X-ENDLIST', ''],
    );
    const value = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.integer().map(String),
      fc.constantFrom(
        'METHOD=AES-128,URI="k"',
        'URI="i",BYTERANGE="1@2"',
        '9@9',
        '2026-11-29T10:00:00Z',
        '__proto__=1',
      ),
    );
    const line = fc.tuple(tag, value).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (lines) => {
        expect(['read', 'SOURCE_REFUSED']).toContain(await refusal(`#EXTM3U\n${lines.join('\n')}`));
      }),
      { numRuns: 1000 },
    );
  });
});
