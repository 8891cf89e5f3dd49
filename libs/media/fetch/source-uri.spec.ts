import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AditError } from '@adit/contracts';
import { AddressPolicy } from '@adit/net';
import { liveProtocol } from './live-address.js';
import { checkSource, parseSource, type SourcePolicy } from './source-uri.js';

const policy: SourcePolicy = { localRoots: ['/srv/media'], allowHttp: true };

function codeOf(uri: string, under: SourcePolicy = policy): string {
  try {
    checkSource(uri, under);
    return 'accepted';
  } catch (error) {
    return error instanceof AditError ? error.code : `not ours: ${String(error)}`;
  }
}

const V = 'VALIDATION';
const R = 'SOURCE_REFUSED';

describe('a source before it is opened', () => {
  it.each([
    // loopback and its spellings
    ['http://127.0.0.1/a.mp4', R],
    ['http://127.1/a.mp4', R],
    ['http://2130706433/a.mp4', R],
    ['http://0x7f000001/a.mp4', R],
    ['http://0177.0.0.1/a.mp4', R],
    ['http://0x7f.0x0.0x0.0x1/a.mp4', R],
    ['http://127.0.0.1./a.mp4', R],
    ['http://１２７.0.0.1/a.mp4', R],
    ['http://127。0。0。1/a.mp4', R],
    ['http://%31%32%37.0.0.1/a.mp4', R],
    ['http://localhost/a.mp4', R],
    ['http://LOCALHOST./a.mp4', R],
    ['http://cdn.localhost/a.mp4', R],
    ['http://0/a.mp4', R],
    ['http://0.0.0.0:8080/a.mp4', R],
    ['http://[::1]/a.mp4', R],
    ['http://[::]/a.mp4', R],
    ['http://[0:0:0:0:0:0:0:1]/a.mp4', R],
    // IPv4 inside IPv6
    ['http://[::ffff:127.0.0.1]/a.mp4', R],
    ['http://[::ffff:7f00:1]/a.mp4', R],
    ['http://[::ffff:8.8.8.8]/a.mp4', R],
    ['http://[::127.0.0.1]/a.mp4', R],
    ['http://[64:ff9b::7f00:1]/a.mp4', R],
    ['http://[64:ff9b:1::a00:1]/a.mp4', R],
    ['http://[2002:7f00:1::]/a.mp4', R],
    ['http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/a.mp4', R],
    // private, shared, link-local, metadata
    ['http://10.0.0.1/a.mp4', R],
    ['http://172.16.0.1/a.mp4', R],
    ['http://172.31.255.255/a.mp4', R],
    ['http://192.168.1.1/a.mp4', R],
    ['http://3232235777/a.mp4', R],
    ['http://100.64.0.1/a.mp4', R],
    ['http://169.254.169.254/latest/meta-data', R],
    ['http://0xa9fea9fe/latest/meta-data', R],
    ['http://[fe80::1]/a.mp4', R],
    ['http://[fe80::1%25eth0]/a.mp4', V],
    ['http://[fc00::1]/a.mp4', R],
    ['http://[fd00:ec2::254]/a.mp4', R],
    ['http://[fec0::1]/a.mp4', R],
    // multicast, reserved, documentation, benchmarks
    ['http://224.0.0.1/a.mp4', R],
    ['http://239.255.255.250/a.mp4', R],
    ['http://240.0.0.1/a.mp4', R],
    ['http://255.255.255.255/a.mp4', R],
    ['http://192.0.2.1/a.mp4', R],
    ['http://198.18.0.1/a.mp4', R],
    ['http://203.0.113.9/a.mp4', R],
    ['http://192.88.99.1/a.mp4', R],
    ['http://[ff02::1]/a.mp4', R],
    ['http://[2001:db8::1]/a.mp4', R],
    ['http://[3fff::1]/a.mp4', R],
    // tricks of spelling
    ['https://user:secret@example.org/a.mp4', R],
    ['https://example.org@127.0.0.1/a.mp4', R],
    ['https:example.org/a.mp4', V],
    ['https:///example.org/a.mp4', V],
    ['https:\\\\example.org\\a.mp4', V],
    ['https://example.org\\@127.0.0.1/a.mp4', V],
    ['ht\ntps://example.org/a.mp4', V],
    [' https://example.org/a.mp4', V],
    ['https://exa mple.org/a.mp4', V],
    ['https://example.org/\u0000', V],
    ['https://', V],
    ['https://example.org:99999/a.mp4', V],
    ['http://256.256.256.256/a.mp4', V],
    ['', V],
    [`https://example.org/${'a'.repeat(5000)}`, V],
    // schemes and live streams
    ['ftp://example.org/a.mp4', R],
    ['gopher://example.org/a', R],
    ['data:video/mp4;base64,AAAA', R],
    ['javascript:alert(1)', R],
    ['concat:/srv/media/a.ts|/etc/passwd', R],
    ['subfile,,start,0,end,0,,:/srv/media/a', R],
    ['rtsp://example.org/live', R],
    ['rtmp://example.org/live', R],
    // storage
    ['storage://', V],
    ['storage://../../etc/passwd', V],
    ['storage://a/b', V],
    ['storage:abc', V],
    // local paths
    ['film.mp4', R],
    ['../film.mp4', R],
    ['/etc/passwd', R],
    ['/srv/media/../../etc/passwd', R],
    ['/srv/media-other/film.mp4', R],
    // A root folder lies inside itself; opening it shows that it is no file.
    ['/srv/media', 'accepted'],
    ['/srv/media/a\u0000.mp4', V],
    ['file:///etc/passwd', R],
    ['/srv/media/index.m3u8', R],
    ['file:///srv/media/%2e%2e/%2e%2e/etc/passwd', R],
    ['file:///srv/media/..%2f..%2fetc/passwd', V],
    ['file://server/srv/media/film.mp4', V],
    // valid sources
    ['https://example.org/film.mp4', 'accepted'],
    ['http://example.org:8080/film.mp4?x=1#t=2', 'accepted'],
    ['https://8.8.8.8/film.mp4', 'accepted'],
    ['https://[2606:4700:4700::1111]/film.mp4', 'accepted'],
    ['storage://Ab3_-xYz0123456789ab', 'accepted'],
    ['/srv/media/day 1/film.mp4', 'accepted'],
    ['file:///srv/media/day%201/film.mp4', 'accepted'],
    ['https://www.youtube.com/watch?v=abc', 'accepted'],
    ['https://example.org/live/index.m3u8?token=1', 'accepted'],
  ])('%j: %s', (uri, expected) => {
    expect(codeOf(uri)).toBe(expected);
  });

  it('takes http:// only when it is allowed', () => {
    expect(codeOf('http://example.org/a.mp4', { ...policy, allowHttp: false })).toBe(R);
    expect(codeOf('https://example.org/a.mp4', { ...policy, allowHttp: false })).toBe('accepted');
  });

  it('opens the configured private ranges, and no others', () => {
    const open = { ...policy, allowPrivateAddresses: ['10.1.0.0/16', 'fd00::/8'] };
    expect(codeOf('http://10.1.2.3/a', open)).toBe('accepted');
    expect(codeOf('http://[fd00::1]/a', open)).toBe('accepted');
    expect(codeOf('http://10.2.0.1/a', open)).toBe(R);
    expect(() => new AddressPolicy(['10.1.0.0'])).toThrow(AditError);
  });

  it('knows the video platforms by their hosts alone', () => {
    expect(parseSource('https://youtu.be/abc', policy).kind).toBe('platform');
    expect(parseSource('https://player.vimeo.com/video/1', policy).kind).toBe('platform');
    expect(parseSource('https://notyoutube.com/watch', policy).kind).toBe('web');
    expect(parseSource('https://youtube.com.example.org/watch', policy).kind).toBe('web');
  });

  it('takes their addresses over https:// at its usual port, where they are not switched off', () => {
    for (const uri of ['http://youtu.be/abc', 'https://youtu.be:8443/abc']) expect(codeOf(uri)).toBe(R);
    expect(codeOf('https://youtu.be:443/abc')).toBe('accepted');
    expect(codeOf('https://youtu.be/abc', { ...policy, ytDlp: 'off' })).toBe(R);
    expect(codeOf('https://example.org/film.mp4', { ...policy, ytDlp: 'off' })).toBe('accepted');
  });

  it('knows live sources by their schemes and paths', () => {
    const source = parseSource('https://example.org/live/INDEX.M3U8?x=1', policy);
    expect(source).toMatchObject({ kind: 'live', protocol: 'hls' });
    expect(parseSource('https://example.org/a.mpd', policy)).toMatchObject({ kind: 'live', protocol: 'dash' });
    expect(parseSource('https://example.org/a.mp4?list=a.m3u8', policy).kind).toBe('web');
    expect(codeOf('http://127.0.0.1/live.m3u8')).toBe(R);
    const protocols = ['rtsp://h/a', 'rtsps://h/a', 'rtmp://h/a', 'srt://h:1', 'hls://h/a', 'a.m3u8'].map(liveProtocol);
    expect(protocols).toEqual(['rtsp', 'rtsp', 'rtmp', 'srt', null, null]);
  });

  it('keeps secrets of an address out of the message', () => {
    expect(() => checkSource('https://user:hunter2@example.org/a?token=t0k3n', policy)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/hunter2|t0k3n/) }),
    );
  });

  it('answers any text with acceptance or one of the documented errors', () => {
    const text = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.ipV6().map((ip) => `http://[${ip}]/`),
      fc.string().map((s) => `https://${s}`),
    );
    fc.assert(fc.property(text, (uri) => expect(['accepted', V, R]).toContain(codeOf(uri))));
  });

  it('never permits an address of a private block, however it is written', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const block = fc.constantFrom<[number, number | null]>(
      [10, null],
      [127, null],
      [0, null],
      [192, 168],
      [169, 254],
      [100, 100],
      [172, 20],
    );
    fc.assert(
      fc.property(block, octet, octet, octet, ([a, fixed], b, c, d) => {
        const bytes = [a, fixed ?? b, c, d];
        const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
        const hex = number.toString(16);
        const forms = [
          bytes.join('.'),
          String(number),
          `0x${hex}`,
          `[::ffff:${bytes.join('.')}]`,
          bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
        ];
        for (const form of forms) expect(codeOf(`http://${form}/`)).toBe(R);
      }),
    );
  });
});
