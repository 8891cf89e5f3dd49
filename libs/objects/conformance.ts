import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { heldBuffers } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkKey } from './key.js';
import type { ObjectStore } from './port.js';
import { HOSTILE_KEYS, LEGAL_KEYS } from './testing/conformance-keys.js';
import { all, drain } from './testing/drained.js';

interface StoreUnderTest {
  store: ObjectStore;
  dispose(): Promise<void>;
}

const MEGABYTE = 1 << 20;

/** Tests that every object store has to pass. `create` returns an empty one. */
export function objectStoreConformance(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`object store: ${name}`, () => {
    let underTest: StoreUnderTest;
    let store: ObjectStore;
    beforeAll(async () => {
      underTest = await create();
      store = underTest.store;
    });
    afterAll(() => underTest.dispose());

    const keys = async (prefix: string) => (await all(store.list(prefix))).map(({ key }) => key);
    const text = async (key: string) => (await store.read(key)).toString();

    describe('put', () => {
      it('keeps bytes and streams, and tells key, size and time', async () => {
        const before = Date.now() - 2_000;
        const bytes = new Uint8Array([0, 255, 10, 13, 0]);
        const put = await store.put('put/bytes', bytes);
        expect(put).toMatchObject({ key: 'put/bytes', size: 5 });
        expect(put.modified.getTime()).toBeGreaterThan(before);
        expect(put.modified.getTime()).toBeLessThan(Date.now() + 2_000);
        expect([...(await store.read('put/bytes'))]).toEqual([...bytes]);
        expect(await store.stat('put/bytes')).toEqual(put);

        const streamed = await store.put('put/stream', Readable.from([Buffer.from('ab'), Buffer.from('c')]));
        expect(streamed.size).toBe(3);
        expect(await text('put/stream')).toBe('abc');
      });

      it('takes a view into a larger buffer as what it shows', async () => {
        await store.put('put/view', new Uint8Array(Buffer.from('..abc..')).subarray(2, 5));
        expect(await text('put/view')).toBe('abc');
      });

      it('keeps what may be lost with the power like everything else while it is on', async () => {
        const { key, size } = await store.put('put/brief', Buffer.from('a frame pack'), { durable: false });
        expect([key, size]).toEqual(['put/brief', 12]);
        expect(await text('put/brief')).toBe('a frame pack');
      });

      it('keeps an empty object', async () => {
        for (const body of [new Uint8Array(0), Readable.from([])]) {
          expect((await store.put('put/empty', body)).size).toBe(0);
          expect(await store.stat('put/empty')).toMatchObject({ size: 0 });
          expect((await store.read('put/empty')).length).toBe(0);
          expect((await drain(await store.get('put/empty'))).length).toBe(0);
        }
      });

      it('replaces, also by something shorter', async () => {
        await store.put('put/again', Buffer.from('a long first version'));
        await store.put('put/again', Buffer.from('second'));
        expect(await text('put/again')).toBe('second');
        expect(await store.stat('put/again')).toMatchObject({ size: 6 });
      });

      it('shows nothing of a stream that breaks, keeps what was there, and hands on the error', async () => {
        const broken = () =>
          Readable.from(
            (async function* () {
              yield Buffer.alloc(MEGABYTE, 1);
              await sleep(5);
              throw new Error('the source broke off');
            })(),
          );
        await expect(store.put('put/broken', broken())).rejects.toThrow('the source broke off');
        expect(await store.stat('put/broken')).toBeNull();
        expect(await keys('put/broken')).toEqual([]);

        await store.put('put/kept', Buffer.from('kept'));
        await expect(store.put('put/kept', broken())).rejects.toThrow('the source broke off');
        expect(await text('put/kept')).toBe('kept');
      });

      it('treats a stream that is destroyed before its end as broken', async () => {
        const body = new PassThrough();
        const put = store.put('put/destroyed', body);
        body.write(Buffer.alloc(1000));
        await sleep(20);
        body.destroy();
        await expect(put).rejects.toThrow();
        expect(await store.stat('put/destroyed')).toBeNull();
      });

      it('treats a stream that broke before it was put as broken', async () => {
        const body = new PassThrough();
        body.on('error', () => undefined);
        body.write(Buffer.alloc(1000));
        body.destroy(new Error('broke off early'));
        await new Promise((closed) => body.once('close', closed));
        await expect(store.put('put/early', body)).rejects.toThrow('broke off early');
        expect(await store.stat('put/early')).toBeNull();
      });

      it('an object is not seen before it is whole', async () => {
        const body = new PassThrough();
        const put = store.put('put/slow', body);
        body.write(Buffer.alloc(MEGABYTE));
        await sleep(30);
        expect(await store.stat('put/slow')).toBeNull();
        expect(await keys('put/slow')).toEqual([]);
        body.end();
        expect((await put).size).toBe(MEGABYTE);
      });

      it('lets a reader see the old object or the new one whole while writers compete', async () => {
        const version = (value: number) => Buffer.alloc(300_000 + value, value);
        await store.put('put/contested', version(0));
        let writing = true;
        const writers = [1, 2, 3].map(async (writer) => {
          for (let round = 0; round < 8; round += 1) await store.put('put/contested', version(writer * 10 + round));
        });
        const reader = (async () => {
          const seen = new Set<number>();
          while (writing) {
            const bytes = await drain(await store.get('put/contested'));
            const value = bytes[0] ?? -1;
            expect(bytes.length).toBe(300_000 + value);
            expect(bytes.every((byte) => byte === value)).toBe(true);
            seen.add(value);
          }
          return seen;
        })();
        await Promise.all(writers);
        writing = false;
        expect((await reader).size).toBeGreaterThan(1);
        expect([17, 27, 37]).toContain((await store.read('put/contested'))[0]);
      });

      it('streams 64 MB in flat memory', async () => {
        // Once for all tries: what one try left to be collected must not hide what the next one holds.
        const before = heldBuffers();
        const peaks: number[] = [];
        while (peaks.length < 3 && Math.min(...peaks) >= 40 * MEGABYTE) {
          const expected = createHash('sha256');
          const body = Readable.from(
            (async function* () {
              for (let megabyte = 0; megabyte < 64; megabyte += 1) {
                const chunk = Buffer.alloc(MEGABYTE, megabyte);
                expected.update(chunk);
                yield chunk;
              }
            })(),
            { objectMode: false, highWaterMark: MEGABYTE },
          );
          let peak = 0;
          const watch = setInterval(() => {
            const external = process.memoryUsage().arrayBuffers - before;
            // Buffers that only wait for the garbage collector do not count.
            peak = Math.max(peak, external < 40 * MEGABYTE ? external : heldBuffers() - before);
          }, 5);
          await store.put('put/large', body);
          const digest = createHash('sha256');
          let size = 0;
          const chunks: AsyncIterable<Buffer> = await store.get('put/large');
          for await (const chunk of chunks) {
            digest.update(chunk);
            size += chunk.length;
          }
          clearInterval(watch);
          expect(size).toBe(64 * MEGABYTE);
          expect(digest.digest('hex')).toBe(expected.digest('hex'));
          peaks.push(peak);
        }
        expect(Math.min(...peaks)).toBeLessThan(40 * MEGABYTE);
        await store.delete('put/large');
      });
    });

    describe('get', () => {
      beforeAll(async () => {
        await store.put('get/digits', Buffer.from('0123456789'));
      });
      const ranges: [{ start: number; end?: number }, string][] = [
        [{ start: 0 }, '0123456789'],
        [{ start: 0, end: 0 }, '0'],
        [{ start: 0, end: 9 }, '0123456789'],
        [{ start: 3, end: 5 }, '345'],
        [{ start: 9 }, '9'],
        [{ start: 9, end: 9 }, '9'],
        [{ start: 7, end: 1e12 }, '789'],
      ];
      it.each(ranges)('gives the bytes %j', async (range, expected) => {
        expect((await store.read('get/digits', range)).toString()).toBe(expected);
        expect((await drain(await store.get('get/digits', range))).toString()).toBe(expected);
      });

      it.each([{ start: 10 }, { start: 10, end: 12 }, { start: 1e12 }])('cannot satisfy %j', async (range) => {
        await expect(store.get('get/digits', range)).rejects.toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
        await expect(store.read('get/digits', range)).rejects.toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
      });

      it('an empty object has no range', async () => {
        await store.put('get/empty', new Uint8Array(0));
        await expect(store.get('get/empty', { start: 0 })).rejects.toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
      });

      it.each([
        { start: -1 },
        { start: 0.5 },
        { start: 5, end: 4 },
        { start: Number.NaN },
        { start: 0, end: Infinity },
      ])('refuses %j', async (range) => {
        await expect(store.get('get/digits', range)).rejects.toMatchObject({ code: 'VALIDATION' });
        await expect(store.read('get/digits', range)).rejects.toMatchObject({ code: 'VALIDATION' });
      });

      it('says NOT_FOUND before the first byte, also for what is only a folder', async () => {
        for (const key of ['get/none', 'none/none/none', 'get', 'get/digits/more']) {
          await expect(store.get(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
          await expect(store.read(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
          expect(await store.stat(key)).toBeNull();
        }
      });

      it('finishes what it began to read when the object is replaced or deleted meanwhile', async () => {
        await store.put('get/moving', Buffer.alloc(MEGABYTE, 1));
        const first = await store.get('get/moving');
        await store.put('get/moving', Buffer.alloc(MEGABYTE, 2));
        expect((await drain(first)).every((byte) => byte === 1)).toBe(true);
        const second = await store.get('get/moving');
        await store.delete('get/moving');
        expect((await drain(second)).every((byte) => byte === 2)).toBe(true);
      });
    });

    describe('keys', () => {
      it.each(HOSTILE_KEYS)('refuses %j everywhere', async (key) => {
        const refused = { code: 'VALIDATION' };
        const body = Readable.from([Buffer.from('x')]);
        await expect(store.put(key, body)).rejects.toMatchObject(refused);
        expect(body.destroyed).toBe(true);
        await expect(store.put(key, Buffer.from('x'))).rejects.toMatchObject(refused);
        await expect(store.get(key)).rejects.toMatchObject(refused);
        await expect(store.read(key)).rejects.toMatchObject(refused);
        await expect(store.stat(key)).rejects.toMatchObject(refused);
        await expect(store.delete(key)).rejects.toMatchObject(refused);
      });

      it.each(['../', '/', 'a//', './', 'a/../', '..\\', 'a*', 'x'.repeat(513)])(
        'refuses the prefix %j',
        async (prefix) => {
          await expect(all(store.list(prefix))).rejects.toMatchObject({ code: 'VALIDATION' });
          await expect(store.deletePrefix(prefix)).rejects.toMatchObject({ code: 'VALIDATION' });
        },
      );

      it.each(LEGAL_KEYS)('keeps an object under %j', async (key) => {
        expect(() => checkKey(`keys/${key}`.length > 512 ? key : `keys/${key}`)).not.toThrow();
        const full = `keys/${key}`;
        await store.put(full, Buffer.from(full));
        expect(await text(full)).toBe(full);
        expect(await keys(full)).toEqual([full]);
        await store.delete(full);
        expect(await store.stat(full)).toBeNull();
      });

      it('tells capital letters from small ones, and an object from a folder of the same name', async () => {
        await store.put('case/a', Buffer.from('small'));
        await store.put('case/A', Buffer.from('capital'));
        await store.put('case/a/b', Buffer.from('below'));
        expect([await text('case/a'), await text('case/A'), await text('case/a/b')]).toEqual([
          'small',
          'capital',
          'below',
        ]);
        await store.delete('case/a');
        expect(await text('case/a/b')).toBe('below');
      });
    });

    describe('list', () => {
      const stored = [
        'l/a',
        'l/a-b',
        'l/a.b',
        'l/a/1',
        'l/a/1/x',
        'l/a/10',
        'l/a/2',
        'l/a0',
        'l/aB',
        'l/a_',
        'l/ab/c',
        'l/b',
      ];
      beforeAll(async () => {
        for (const key of stored.toReversed()) await store.put(key, Buffer.from(key));
        await store.put('lx', Buffer.from('beside'));
      });

      it('gives whole keys in key order with their sizes', async () => {
        const listed = await all(store.list('l/'));
        expect(listed.map(({ key }) => key)).toEqual([...stored].sort());
        expect(listed.every(({ key, size }) => size === key.length)).toBe(true);
        expect(listed.every(({ modified }) => modified.getTime() > 0)).toBe(true);
      });

      it.each(['l', 'l/a', 'l/a/', 'l/a/1', 'l/a/1/', 'l/a.', 'l/ab', 'l/b', 'l/c', 'nothing/', 'l/b/'])(
        'takes the prefix %j as the beginning of a string',
        async (prefix) => {
          const expected = [...stored, 'lx'].filter((key) => key.startsWith(prefix)).sort();
          expect(await keys(prefix)).toEqual(expected);
        },
      );

      it('begins everywhere with the empty prefix', async () => {
        const everything = await keys('');
        expect(everything).toEqual([...everything].sort());
        expect(everything).toEqual(expect.arrayContaining(stored));
      });

      it('a listing can be left early and survives deletions on the way', async () => {
        for await (const { key } of store.list('l/')) {
          expect(key).toBe('l/a');
          break;
        }
        for (let index = 0; index < 20; index += 1) await store.put(`going/${index}`, Buffer.from('x'));
        const seen: string[] = [];
        for await (const { key } of store.list('going/')) {
          seen.push(key);
          await store.delete(key);
        }
        expect(seen.length).toBe(20);
        expect(await keys('going/')).toEqual([]);
      });
    });

    describe('delete', () => {
      it('removes one object, and nothing a second time', async () => {
        await store.put('delete/one', Buffer.from('x'));
        expect(await store.delete('delete/one')).toBe(true);
        expect(await store.stat('delete/one')).toBeNull();
        expect(await store.delete('delete/one')).toBe(true);
        expect(await store.delete('never/was/there')).toBe(true);
      });

      it('leaves nothing of what was replaced, and is written again', async () => {
        for (const text of ['first', 'second']) await store.put('delete/again', Buffer.from(text));
        expect(await store.delete('delete/again')).toBe(true);
        expect(await keys('delete/')).toEqual([]);
        await store.put('delete/again', Buffer.from('third'));
        expect(await text('delete/again')).toBe('third');
        expect(await store.deletePrefix('delete/')).toBe(true);
        expect(await keys('delete/')).toEqual([]);
      });

      it('removes what begins with a prefix and nothing else', async () => {
        const stored = ['dp/a', 'dp/a/b', 'dp/a/c/d', 'dp/ab', 'dp/b'];
        for (const key of stored) await store.put(key, Buffer.from('x'));
        await store.deletePrefix('dp/a/');
        expect(await keys('dp/')).toEqual(['dp/a', 'dp/ab', 'dp/b']);
        await store.put('dp/a/b', Buffer.from('x'));
        await store.deletePrefix('dp/a');
        expect(await keys('dp/')).toEqual(['dp/b']);
        expect(await store.deletePrefix('dp/a')).toBe(true);
        expect(await store.deletePrefix('nothing/here/')).toBe(true);
        expect(await keys('dp/')).toEqual(['dp/b']);
      });

      it('does not lose a put that races with the deletion of its neighbours', async () => {
        for (let round = 0; round < 40; round += 1) {
          await store.put('race/folder/old', Buffer.from('old'));
          await Promise.all([store.delete('race/folder/old'), store.put('race/folder/new', Buffer.from('new'))]);
          expect(await text('race/folder/new')).toBe('new');
          await store.delete('race/folder/new');
        }
      });
    });

    it('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}
