import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { parseLiveAddress, shownAddress } from './live-address.js';

describe('the address of a stream', () => {
  it.each([
    ['rtsp://camera.example/a', 'camera.example', 554, '/a'],
    ['RTSP://Camera.Example', 'camera.example', 554, ''],
    ['rtsps://camera.example/', 'camera.example', 322, '/'],
    ['rtsp://10.0.0.1:80/cam?channel=1&transport=udp', '10.0.0.1', 80, '/cam?channel=1&transport=udp'],
    ['rtsp://[2001:db8::1]:8554/a//b', '[2001:db8::1]', 8554, '/a//b'],
    ['rtsp://0x7f.1/a', '127.0.0.1', 554, '/a'],
    ['rtsp://2130706433?x=1', '127.0.0.1', 554, '?x=1'],
    ['rtmp://live.example/app/key', 'live.example', 1935, '/app/key'],
    ['srt://live.example:9000?streamid=x', 'live.example', 9000, '?streamid=x'],
  ])('%s is read', (uri, host, port, path) => {
    expect(parseLiveAddress(uri)).toMatchObject({ host, port, path, credentials: null });
  });

  it('may name a user', () => {
    const read = (user: string) => parseLiveAddress(`rtsp://${user}@camera.example/a`).credentials;
    expect(read('admin:secret')).toEqual({ username: 'admin', password: 'secret' });
    expect(read('admin')).toEqual({ username: 'admin', password: '' });
    expect(read('a%40b:p%3Aw%2F%23:x')).toEqual({ username: 'a@b', password: 'p:w/#:x' });
    expect(read('admin:p@ss')).toEqual({ username: 'admin', password: 'p@ss' });
  });

  it.each([
    'http://camera.example/',
    'rtsp:camera.example',
    'rtsp://',
    'rtsp:///a',
    'rtsp://camera.example:0/',
    'rtsp://camera.example:65536/',
    'rtsp://camera.example:x/',
    'rtsp://[::1/a',
    'rtsp://camera.example/a b',
    'rtsp://camera.example/a\r\nX: y',
    'rtsp://camera.example\\@other.example/',
    'rtsp://camera.example/ä',
    'rtsp://admin:secr%et@camera.example/',
    'rtsp://admin:sec/ret@camera.example/',
    'rtsp://admin:sec#ret@camera.example/',
    'srt://live.example',
    `rtsp://camera.example/${'a'.repeat(5000)}`,
  ])('%j is refused, and its password is not repeated', (uri) => {
    expect(() => parseLiveAddress(uri)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: expect.not.stringMatching(/sec|ret/) }),
    );
  });

  /** @hardening privacy: Passwords in the addresses of streams are shown or logged */
  it('shows its password nowhere', () => {
    const uri = 'rtsp://admin:s3cret@camera.example:554/a';
    const address = parseLiveAddress(uri);
    for (const text of [String(address), JSON.stringify(address), inspect(address), shownAddress(uri)]) {
      expect(text).not.toContain('s3cret');
      expect(text).toContain('camera.example');
    }
    const others = [
      'rtsp://c.example/a?user=x&password=s3cret',
      'rtsp://c.example/user=x_password=s3cret_channel=1.sdp',
    ];
    for (const other of [...others, 'rtsp://a:s3cret@b@c.example/']) {
      expect(shownAddress(other)).not.toMatch(/s3|cret/);
      expect(shownAddress(other)).toContain('c.example');
    }
  });
});
