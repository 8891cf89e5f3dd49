import { describe, expect, it } from '@jest/globals';
import { interleaved, RtspReader, writeMessage, type RtspPart } from './message.js';

function read(bytes: Buffer, pieceBytes: number): RtspPart[] {
  const reader = new RtspReader();
  const parts: RtspPart[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) parts.push(...reader.add(bytes.subarray(at, at + pieceBytes)));
  return parts;
}

describe('the bytes of an RTSP connection', () => {
  const bytes = Buffer.concat([
    writeMessage(
      'RTSP/1.0 200 OK',
      [
        ['CSeq', '1'],
        ['Session', 'a;timeout=60'],
      ],
      Buffer.from('v=0\r\n\r\nRTSP/1.0 500 No\r\n\r\n'),
    ),
    interleaved(0, Buffer.from('$$\r\n\r\nrtp')),
    Buffer.from('\r\n'),
    interleaved(255, Buffer.alloc(65_535, 1)),
    interleaved(2, Buffer.alloc(0)),
    writeMessage('OPTIONS rtsp://a/b RTSP/1.0', [['CSeq', '2']]),
  ]);

  it.each([1, 2, 3, 7, 100, 4096, 100_000])('are read in pieces of %i bytes', (pieceBytes) => {
    const parts = read(bytes, pieceBytes);
    expect(parts).toHaveLength(5);
    expect(parts[0]).toMatchObject({
      message: { start: 'RTSP/1.0 200 OK', body: Buffer.from('v=0\r\n\r\nRTSP/1.0 500 No\r\n\r\n') },
    });
    expect(parts[1]).toEqual({ channel: 0, payload: Buffer.from('$$\r\n\r\nrtp') });
    expect(parts[2]).toEqual({ channel: 255, payload: Buffer.alloc(65_535, 1) });
    expect(parts[3]).toEqual({ channel: 2, payload: Buffer.alloc(0) });
    expect(parts[4]).toEqual({
      message: { start: 'OPTIONS rtsp://a/b RTSP/1.0', headers: [['cseq', '2']], body: Buffer.alloc(0) },
    });
  });

  it.each([
    ['a head without end', 'A B\r\n'.padEnd(40_000, 'x')],
    ['too many headers', `RTSP/1.0 200 OK\r\n${'a: b\r\n'.repeat(101)}\r\n`],
    ['a header without a name', 'RTSP/1.0 200 OK\r\n: b\r\n\r\n'],
    ['a line break within a header', 'RTSP/1.0 200 OK\r\na: b\nc: d\r\n\r\n'],
    ['too long a body', 'RTSP/1.0 200 OK\r\nContent-Length: 1000000\r\n\r\n'],
    ['a body of no number', 'RTSP/1.0 200 OK\r\nContent-Length: 1e2x\r\n\r\n'],
    ['no message', '\x00\x01\x02\r\n\r\n'],
  ])('are refused for %s', (_title, text) => {
    for (const pieceBytes of [1, 1000, 100_000]) {
      expect(() => read(Buffer.from(text), pieceBytes)).toThrow(expect.objectContaining({ code: 'SOURCE_REFUSED' }));
    }
  });
});
