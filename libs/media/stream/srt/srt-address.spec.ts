import { describe, expect, it } from '@jest/globals';
import type { SourcePolicy } from '../../fetch/source-uri.js';
import { parseSrtAddress } from './srt-address.js';

const closed: SourcePolicy = { localRoots: [], allowHttp: false };
const listening: SourcePolicy = { ...closed, srtListenPorts: ['9000-9010', '12000'] };

describe('the address of a stream over SRT', () => {
  it.each([
    ['srt://live.example:9000', { host: 'live.example', port: 9000, streamId: '', passphrase: null, latencyMs: 500 }],
    ['SRT://[2001:db8::1]:9000/', { host: '[2001:db8::1]', port: 9000 }],
    ['srt://a.example:9000?mode=caller&transtype=live&pkt_size=1316', { host: 'a.example' }],
    ['srt://a.example:9000?streamid=read:film:user:p%26ss', { streamId: 'read:film:user:p&ss' }],
    [
      'srt://a.example:9000?streamid=#!::r=film,m=request&latency=80',
      { streamId: '#!::r=film,m=request', latencyMs: 80 },
    ],
    ['srt://a.example:9000?streamid=%23!::u=a+b', { streamId: '#!::u=a+b' }],
    ['srt://a.example:9000?passphrase=0123456789&pbkeylen=24', { passphrase: '0123456789', keyBytes: 24 }],
    [
      'srt://a.example:9000?passphrase=%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4&pbkeylen=0',
      { passphrase: 'äääää', keyBytes: null },
    ],
    ['srt://a.example:9000?passphrase=&streamid=', { passphrase: null, streamId: '' }],
  ])('%s is read', (uri, fields) => expect(parseSrtAddress(uri, closed)).toMatchObject(fields));

  it.each([
    ['srt://live.example', /names no port/],
    ['srt://:9000', /mode=listener/],
    ['srt://live.example:9000?mode=listener', /a port and no host/],
    ['srt://live.example:9000?mode=rendezvous', /not supported/],
    ['srt://live.example:9000?mode=push', /caller or listener/],
    ['srt://live.example:9000?transtype=file', /live mode/],
    ['srt://live.example:9000/film', /streamid/],
    ['srt://user:s3cret@live.example:9000', /streamid/],
    ['srt://live.example:9000?latency=200000', /milliseconds/],
    ['srt://live.example:9000?latency=-1', /milliseconds/],
    ['srt://live.example:9000?latency=1e3', /milliseconds/],
    ['srt://live.example:9000?passphrase=s3cret', /10 to 79/],
    [`srt://live.example:9000?passphrase=${'s3cret'.repeat(20)}`, /10 to 79/],
    ['srt://live.example:9000?passphrase=0123456789&s3cret', /%26/],
    ['srt://live.example:9000?s3cret=1', /unknown parameter/],
    ['srt://live.example:9000?passphrase=0123456789&passphrase=s3cret', /twice/],
    ['srt://live.example:9000?passphrase=100%s3cret', /%25/],
    ['srt://live.example:9000?pbkeylen=20', /pbkeylen/],
    [`srt://live.example:9000?streamid=${'s3cret'.repeat(90)}`, /512/],
    ['srt://live.example:9000?streamid=s3cret ä', /%XX/],
    [`srt://live.example:9000?streamid=${'a'.repeat(5000)}`, /too long/],
  ])('%s is refused, and nothing of it is repeated', (uri, reason) => {
    let message = '';
    try {
      parseSrtAddress(uri, closed);
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(reason);
    expect(message).not.toMatch(/s3cret/);
  });

  /** @hardening privacy: A job opens a port of the recorder */
  it('waits for calls only at ports that are allowed, and with a passphrase', () => {
    const secret = 'passphrase=0123456789';
    const at = (address: string, policy: SourcePolicy) => () => parseSrtAddress(address, policy);
    expect(at(`srt://:9000?mode=listener&${secret}`, closed)).toThrow('ADIT_SRT_LISTEN_PORTS');
    for (const port of [8999, 9011, 1, 0, 70_000]) {
      expect(at(`srt://:${port}?mode=listener&${secret}`, listening)).toThrow('ADIT_SRT_LISTEN_PORTS');
    }
    for (const port of [9000, 9010, 12_000]) {
      expect(at(`srt://:${port}?mode=listener&${secret}`, listening)()).toMatchObject({ host: null, port });
    }
    expect(at('srt://:9000?mode=listener', listening)).toThrow('ADIT_SRT_LISTEN_OPEN');
    expect(at('srt://:9000?mode=listener', { ...listening, srtListenOpen: true })()).toMatchObject({
      passphrase: null,
    });
    expect(at(`srt://0.0.0.0:9000?mode=listener&${secret}`, listening)).toThrow('no host');
  });
});
