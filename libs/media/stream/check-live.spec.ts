import { AditError } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkLive, hidesSecrets } from './check-live.js';
import type { SourcePolicy } from '../fetch/source-uri.js';
import { liveProtocol, shownAddress } from '../fetch/live-address.js';

const policy = { localRoots: [], allowHttp: false };

function outcome(uri: string, under: Partial<SourcePolicy> = {}): string {
  try {
    checkLive(uri, { ...policy, ...under });
    return 'accepted';
  } catch (error) {
    return error instanceof AditError ? error.code : `not ours: ${String(error)}`;
  }
}

/** Hosts that are private, in spellings that some parser takes. */
const PRIVATE = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.0.0.1.'],
  ...['１２７.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', 'localhost', 'LOCALHOST.', 'a.localhost', '0', '0.0.0.0'],
  ...[
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ],
  ...['10.0.0.1', '167772161', '012.0.0.1', '172.16.0.1', '192.168.0.1', '0xc0a80001', '100.64.0.1'],
  ...['169.254.169.254', '2852039166', '0251.0376.0251.0376', '[fe80::1]', '[fd00:ec2::254]', '[fc00::1]'],
  ...['224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '[ff02::1]', '[2001:db8::1]'],
  ...['example.org@127.0.0.1', 'user:pass@10.0.0.1', 'a:b@c@127.0.0.1', '127.0.0.1:554', '[::1]:554'],
];
const FORMS = [
  (host: string) => `rtsp://${host}/live`,
  (host: string) => `rtsps://${host}/live`,
  (host: string) => `RTSP://${host}`,
  (host: string) => `rtmp://${host}/app/key`,
  (host: string) => `rtmps://${host}/app/key`,
  (host: string) => `srt://${host}?mode=caller`,
  (host: string) => `https://${host}/live/index.m3u8`,
  (host: string) => `https://${host}/live/manifest.mpd?token=1`,
  (host: string) => `https://${host}/udp/1`,
];

describe('the address of a live source', () => {
  /** @hardening privacy: A camera address reaches the internal network (SSRF) */
  it(`a private address is refused in ${PRIVATE.length} spellings, over every scheme`, () => {
    const passed = FORMS.flatMap((form) => PRIVATE.map(form)).filter((uri) => outcome(uri) !== 'SOURCE_REFUSED');
    expect(passed).toEqual([]);
  });

  it('allowed private addresses are accepted, and no others', () => {
    const open = { allowPrivateAddresses: ['10.1.0.0/16'] };
    expect(outcome('rtsp://user:pass@10.1.2.3:554/live', open)).toBe('accepted');
    expect(outcome('rtsp://0x0a010203/live', open)).toBe('accepted');
    expect(outcome('rtsp://10.2.0.1/live', open)).toBe('SOURCE_REFUSED');
  });

  it.each([
    ['rtsp://camera.example.org/live', 'accepted'],
    ['rtsps://user:p%40ss@camera.example.org:322/live?channel=1', 'accepted'],
    ['https://cdn.example.org/live/index.m3u8?token=1', 'accepted'],
    ['https://user:pass@cdn.example.org/live/index.M3U8', 'accepted'],
    ['http://cdn.example.org/live/index.m3u8', 'SOURCE_REFUSED'],
    ['https://user:pass@example.org/live.mpd?token=1', 'accepted'],
    ['http://example.org/live.mpd', 'SOURCE_REFUSED'],
    ['https://user:100%@example.org/live.m3u8', 'VALIDATION'],
    ['rtmp://example.org/app/key', 'accepted'],
    ['srt://example.org:9000?streamid=#!::r=film&passphrase=0123456789', 'accepted'],
    ['srt://example.org', 'VALIDATION'],
    ['srt://example.org:9000?latency=0.1', 'VALIDATION'],
    ['srt://example.org:9000?mode=rendezvous', 'SOURCE_REFUSED'],
    // Spellings that parsers read differently.
    ['rtsp://', 'VALIDATION'],
    ['rtsp:///live', 'VALIDATION'],
    ['rtsp:\\\\camera.example.org/live', 'VALIDATION'],
    ['rtsp://example.org\\@127.0.0.1/live', 'VALIDATION'],
    ['rtsp://exa mple.org/live', 'VALIDATION'],
    ['rtsp://example.org/\u0000', 'VALIDATION'],
    ['rtsp://example.org:99999/live', 'VALIDATION'],
    ['rtsp://user:pa?ss@127.0.0.1/live', 'VALIDATION'],
    ['srt://:9000?mode=listener&passphrase=0123456789', 'SOURCE_REFUSED'],
    ['srt://:9000/a?mode=listener', 'VALIDATION'],
    [`rtsp://example.org/${'a'.repeat(5000)}`, 'VALIDATION'],
    // Whoever asks says that it is a stream.
    ['https://example.org/stream', 'accepted'],
    ['file:///srv/stream', 'VALIDATION'],
    ['storage://stream', 'VALIDATION'],
  ])('%j: %s', (uri, expected) => expect(outcome(uri)).toBe(expected));

  it('a refusal shows no secret', () => {
    expect(() => checkLive('rtsp://user:hunter2@127.0.0.1/a?t0k3n', policy)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/hunter2|t0k3n/) }),
    );
  });

  it('a call over SRT is waited for where that is allowed', () => {
    const open = { srtListenPorts: ['9000'] };
    expect(outcome('srt://:9000?mode=listener&passphrase=0123456789', open)).toBe('accepted');
    expect(outcome('srt://:9001?mode=listener&passphrase=0123456789', open)).toBe('SOURCE_REFUSED');
    expect(outcome('srt://:9000?mode=listener', open)).toBe('SOURCE_REFUSED');
    expect(outcome('srt://127.0.0.1:9000?mode=listener&passphrase=0123456789', open)).toBe('SOURCE_REFUSED');
  });

  it.each([
    ['rtsp://a/b', 'rtsp'],
    ['RTSPS://a/b', 'rtsp'],
    ['rtmps://a/b', 'rtmp'],
    ['srt://a:1', 'srt'],
    ['srt://:9000?mode=listener', 'srt'],
    ['http://a/b.m3u8?x=.mp4', 'hls'],
    ['https://a/b.MPD#x', 'dash'],
    ['https://a/b.mp4?x=.m3u8', null],
    ['/srv/media/a.m3u8', null],
    ['storage://a.m3u8', null],
    ['rtmpe://a/b', null],
    ['constructor://a', null],
  ])('the protocol of %s is %s', (uri, expected) => expect(liveProtocol(uri)).toBe(expected));

  it.each([
    ['rtsp://user:p@ss@cam/live?x=1#y', 'rtsp://cam/live'],
    ['rtsp://cam/live', 'rtsp://cam/live'],
    ['rtsp://cam/a@b', 'rtsp://cam/a@b'],
    ['rtsp://cam/user=admin&password=hunter2&channel=1.sdp', 'rtsp://cam/user=&password=&channel=1.sdp'],
    ['srt://cam:9000?passphrase=hunter2&streamid=#!::u=a', 'srt://cam:9000'],
    ['srt://:9000?mode=listener&passphrase=hunter2', 'srt://:9000'],
    ['https://cdn/a.m3u8?token=hunter2', 'https://cdn/a.m3u8'],
  ])('%s is shown as %s', (uri, shown) => {
    expect(shownAddress(uri)).toBe(shown);
    expect(hidesSecrets(uri)).toBe(uri !== shown);
    expect(shownAddress(shown)).toBe(shown);
  });

  it('no user name, password or query is ever shown', () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9._~!$&'()*+,;=%:@-]{1,20}$/);
    fc.assert(
      fc.property(part, part, (user, query) => {
        const shown = shownAddress(`rtsp://${user}@camera.example.org/live?${query}`);
        expect(shown).toBe('rtsp://camera.example.org/live');
      }),
    );
  });
});
