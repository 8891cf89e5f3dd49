import { describe, expect, it } from '@jest/globals';
import { rewrittenCommand, rtmpTarget } from './commands.js';
import { RtmpReader, SET_CHUNK_SIZE, writeRtmp, type RtmpMessage } from './messages.js';

function message(more: Partial<RtmpMessage> = {}): RtmpMessage {
  return { chunkStream: 3, timestamp: 0, type: 20, streamId: 0, payload: Buffer.from('x'), ...more };
}

function read(bytes: Buffer, pieceBytes: number): RtmpMessage[] {
  const reader = new RtmpReader();
  const all: RtmpMessage[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) all.push(...reader.add(bytes.subarray(at, at + pieceBytes)));
  return all;
}

describe('messages of RTMP', () => {
  const small = Buffer.alloc(4);
  small.writeUInt32BE(100);
  const sent = [
    message({ payload: Buffer.alloc(1000, 1) }),
    message({ chunkStream: 70, timestamp: 5, streamId: 1, payload: Buffer.alloc(128, 2) }),
    message({ chunkStream: 400, timestamp: 0x1000000, payload: Buffer.alloc(300, 3) }),
    message({ chunkStream: 2, type: SET_CHUNK_SIZE, payload: small }),
    message({ payload: Buffer.alloc(0) }),
  ];
  const bytes = Buffer.concat([
    ...sent.map((each) => writeRtmp(each, 128)),
    writeRtmp(message({ payload: Buffer.alloc(250, 4) }), 100),
    // The same stream again, with what changed alone: type 2 and type 3 headers.
    Buffer.from([0x83, 0, 0, 7]),
    Buffer.concat([
      Buffer.alloc(100, 5),
      Buffer.from([0xc3]),
      Buffer.alloc(100, 5),
      Buffer.from([0xc3]),
      Buffer.alloc(50, 5),
    ]),
  ]);

  it.each([1, 5, 127, 4096])('are put together from pieces of %i bytes', (pieceBytes) => {
    const got = read(bytes, pieceBytes);
    expect(got.slice(0, 5)).toEqual(sent);
    expect(got[5]).toEqual(message({ payload: Buffer.alloc(250, 4) }));
    expect(got[6]).toEqual(message({ timestamp: 7, payload: Buffer.alloc(250, 5) }));
    expect(got).toHaveLength(7);
  });

  it.each([
    ['that continue nothing', Buffer.from([0xc3, 1])],
    ['that are too long', writeRtmp(message({ payload: Buffer.alloc(70_000) }), 128)],
    ['with chunks of no size', writeRtmp(message({ type: SET_CHUNK_SIZE, payload: Buffer.alloc(4) }), 128)],
    [
      'on too many streams',
      Buffer.concat(Array.from({ length: 70 }, (_, index) => writeRtmp(message({ chunkStream: index + 2 }), 128))),
    ],
  ])('%s are refused', (_title, wrong) => {
    expect(() => read(wrong, 100)).toThrow(RangeError);
  });
});

describe('commands of a reader', () => {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([2, 0, value.length]), Buffer.from(value)]);
  const key = (name: string): Buffer => Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name)]);
  const number = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const connect = (app: string): Buffer =>
    Buffer.concat([
      ...[text('connect'), number, Buffer.from([3]), key('app'), text(app), key('fpad'), Buffer.from([1, 0])],
      ...[key('capabilities'), number, key('tcUrl'), text('rtmp://127.0.0.1:1/secret'), Buffer.from([0, 0, 9])],
    ]);
  const target = rtmpTarget('rtmp://live.example:1935', '/app/inner/key?token=t');

  it('name the stream in place of the relay', () => {
    expect(target).toEqual({ app: 'app/inner', tcUrl: 'rtmp://live.example:1935/app/inner', playPath: 'key?token=t' });
    expect(rtmpTarget('o', '/app/key')).toEqual({ app: 'app', tcUrl: 'o/app', playPath: 'key' });
    const rewritten = rewrittenCommand(connect('secret'), 'secret', target).toString('latin1');
    expect(rewritten).toContain('app/inner');
    expect(rewritten).toContain('rtmp://live.example:1935/app/inner');
    expect(rewritten).not.toMatch(/127\.0|secret/);
    const play = Buffer.concat([text('play'), number, Buffer.from([5]), text('live'), number]);
    const expected = Buffer.concat([text('play'), number, Buffer.from([5]), text('key?token=t'), number]);
    expect(rewrittenCommand(play, 'secret', target)).toEqual(expected);
    const other = Buffer.concat([text('createStream'), number, Buffer.from([5])]);
    expect(rewrittenCommand(other, 'secret', target)).toEqual(other);
  });

  it('of another program are refused', () => {
    expect(() => rewrittenCommand(connect('other'), 'secret', target)).toThrow('not ours');
    for (let length = 0; length < connect('secret').length - 3; length++) {
      expect(() => rewrittenCommand(connect('secret').subarray(0, length), 'secret', target)).toThrow(RangeError);
    }
  });
});
