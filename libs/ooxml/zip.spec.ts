import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { unzip } from '@adit/testing';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { writePackage, writeZip, type ZipEntry } from './zip.js';

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.from('x');
  await Promise.resolve();
  throw new Error('the database went away');
}

describe('ZIP', () => {
  it('holds one entry at a time, however many and large they are', async () => {
    const piece = Buffer.alloc(1 << 16, 'x');
    const state = { open: 0, most: 0, made: 0 };
    async function* film(): AsyncGenerator<Buffer> {
      state.most = Math.max(state.most, ++state.open);
      for (let at = 0; at < 64; at += 1) {
        await Promise.resolve();
        yield piece;
      }
      state.open -= 1;
    }
    function* entries(): Generator<ZipEntry> {
      yield { path: 'first.txt', body: Buffer.from('first') };
      for (let at = 0; at < 5; at += 1) {
        state.made += 1;
        yield { path: `films/${at}.bin`, body: Readable.from(film(), { objectMode: false }), compress: at % 2 === 0 };
      }
    }
    const output = writeZip(entries());
    // Nobody reads yet: the first film waits, and no other is begun.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(state.made).toBe(1);
    const files = await unzip(await buffer(output));
    expect([...files].map(([name, content]) => [name, content.length])).toEqual([
      ['first.txt', 5],
      ...Array.from({ length: 5 }, (_, at) => [`films/${at}.bin`, 64 << 16]),
    ]);
    expect(state.most).toBe(1);
  });

  it('breaks off when an entry does, and ends its entries when nobody reads on', async () => {
    const broken = { path: 'a', body: Readable.from(failing(), { objectMode: false }) };
    await expect(buffer(writeZip([broken]))).rejects.toThrow('went away');
    let ended = (): void => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield await Promise.resolve(Buffer.alloc(1 << 16));
      } finally {
        ended();
      }
    }
    const output = writeZip([{ path: 'a', body: Readable.from(endless(), { objectMode: false }), compress: false }]);
    let bytes = 0;
    output.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > 1 << 18) output.destroy();
    });
    await end;
  });
});

describe('a document', () => {
  afterEach(() => void jest.useRealTimers());

  it('a document has the same bytes whenever it is written', async () => {
    const written = async (now: string): Promise<Buffer> => {
      jest.useFakeTimers({ now: new Date(now), doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      return buffer(
        writePackage([
          { path: '[Content_Types].xml', body: Buffer.from('<Types/>') },
          { path: 'word/document.xml', body: Readable.from(['<w:document/>'], { objectMode: false }) },
        ]),
      );
    };
    const first = await written('2026-01-01T12:00:00Z');
    expect((await written('2031-07-14T03:04:05Z')).equals(first)).toBe(true);
    expect([...(await unzip(first)).keys()]).toEqual(['[Content_Types].xml', 'word/document.xml']);
  });
});
