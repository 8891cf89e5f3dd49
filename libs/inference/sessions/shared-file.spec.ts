import { open, readdir, truncate, type FileHandle } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GraphRequest } from './graph-calls.js';
import { SharedFile } from './shared-file.js';
import { putTensors, SLOT_BYTES, SLOTS, takeTensors, type SlotFile } from './tensor-slots.js';

const linux = process.platform === 'linux';
const picture = (count = 100_000, first = 1) => ({
  ...{ name: 'x', type: 'float32' as const, dims: [count] },
  data: new Float32Array(count).fill(first, 0, 1),
});

(linux ? describe : describe.skip)('a file that a process shares', () => {
  let file: SharedFile;
  let handle: FileHandle;
  let other: SlotFile;
  const call = (number: number, feeds: GraphRequest['feeds'] = [picture()]) =>
    file.sent({ call: number, run: 1, feeds });

  beforeEach(async () => {
    file = await SharedFile.open();
    handle = await open(`/proc/self/fd/${file.descriptor}`, 'r+');
    other = {
      read: async (view, at) => (await handle.read(view, 0, view.byteLength, at)).bytesRead,
      write: async (view, at) => (await handle.write(view, 0, view.byteLength, at)).bytesWritten,
    };
  });
  afterEach(() => Promise.all([file.close(), handle.close()]));

  it('a shared file exchanges tensors of every type; small ones and held ones bypass it', async () => {
    const tensors = [
      picture(),
      { name: 'half', type: 'float16' as const, dims: [2, 10_000], data: new Uint16Array(20_000).fill(7) },
      {
        name: 'bytes',
        type: 'uint8' as const,
        dims: [20_000],
        data: new Uint8Array(new SharedArrayBuffer(20_000)).fill(9),
      },
      { name: 'whole', type: 'int32' as const, dims: [5_000], data: new Int32Array(5_001).fill(-1).subarray(1) },
      { name: 'long', type: 'int64' as const, dims: [4_000], data: new BigInt64Array(4_000).fill(-(2n ** 60n)) },
      { name: 'flags', type: 'bool' as const, dims: [16_384], data: new Uint8Array(16_384).fill(1) },
      { name: 'few', type: 'float32' as const, dims: [2], data: Float32Array.of(1, 2) },
      { name: 'elsewhere', held: 3, dims: [9] },
    ];
    const { slot, feeds } = await call(1, tensors);
    expect(feeds?.map((feed) => Object.keys(feed).at(-1))).toEqual([...Array(6).fill('at'), 'data', 'dims']);
    const taken = await takeTensors(other, slot!, feeds!);
    expect(taken).toEqual(tensors.map((each) => ('data' in each ? { ...each, data: each.data!.slice() } : each)));
    const value = await putTensors(other, slot!, tensors);
    expect(value[0]).not.toHaveProperty('data');
    expect(await file.received({ call: 1, value })).toEqual({ call: 1, value: taken });
  });

  it('a shared file has slots for a few concurrent calls; larger data uses the channel', async () => {
    const sent = await Promise.all(Array.from({ length: SLOTS + 1 }, (_, i) => call(i, [picture(100_000, i)])));
    const slots = sent.map(({ slot }) => slot);
    expect(slots.filter((slot) => slot !== undefined).sort()).toEqual(Array.from({ length: SLOTS }, (_, slot) => slot));
    for (const [i, { slot, feeds }] of sent.entries()) {
      const [x] = slot === undefined ? feeds! : await takeTensors(other, slot, feeds!);
      expect(x).toEqual(picture(100_000, i));
    }
    await file.received({ call: 1, error: 'of the model' });
    const large = picture(SLOT_BYTES / 4);
    expect((await call(9, [large, large])).feeds).toEqual([expect.objectContaining({ at: expect.any(Number) }), large]);
  });

  it('a shared file is safe from out-of-bounds answers: invalid positions fail only their own call', async () => {
    const wrong: ((start: number) => object)[] = [
      () => ({ at: -4 }),
      (start) => ({ at: start + 0.5 }),
      () => ({ at: 'x' }),
      (start) => ({ at: start - 4 }),
      (start) => ({ at: start + SLOT_BYTES - 4 }),
      (start) => ({ at: start + SLOT_BYTES }),
      () => ({ dims: [2 ** 40] }),
      () => ({ dims: [-1000] }),
      () => ({ dims: [2 ** 30, 2 ** 30, 0.5] }),
      () => ({ dims: 'many' }),
      () => ({ dims: [NaN] }),
      () => ({ type: 'constructor' }),
      () => ({ type: undefined }),
    ];
    for (const [number, change] of wrong.entries()) {
      const at = (await call(number)).slot! * SLOT_BYTES;
      const value = [{ name: 'x', type: 'float32', dims: [1000], at, ...change(at) }];
      expect((await file.received({ call: number, value })).error).toMatch(/tensor x lies outside/);
    }
    // An unknown call is ignored.
    await call(99);
    expect((await file.received({ call: 99, value: [null] })).error).toBeDefined();
    expect(await file.received({ call: 99, value: 5 })).toEqual({ call: 99, value: 5 });
  });

  it('a shared file truncated by the other end fails that call, and serves later ones', async () => {
    const { slot } = await call(1);
    const value = await putTensors(other, slot!, [picture()]);
    await truncate(`/proc/self/fd/${file.descriptor}`, slot! * SLOT_BYTES + 1000);
    expect(await file.received({ call: 1, value })).toEqual({
      call: 1,
      error: 'The data of the tensor x is truncated.',
    });
    const again = await call(2);
    expect(await takeTensors(other, again.slot!, again.feeds!)).toEqual([picture()]);
  });

  it('a shared file has no name, and is freed with its descriptor', async () => {
    const descriptors = (): Promise<string[]> => readdir('/proc/self/fd');
    const before = (await descriptors()).length;
    const more = await SharedFile.open();
    expect((await readdir('/dev/shm')).filter((name) => name.startsWith('adit-'))).toEqual([]);
    expect((await descriptors()).length).toBe(before + 1);
    const { slot } = await more.sent({ call: 1, run: 1, feeds: [picture()] });
    await more.close();
    expect((await descriptors()).length).toBe(before);
    // Any later answer is an error of its call too.
    expect((await more.received({ call: 1, value: [{ ...picture(), at: slot! * SLOT_BYTES }] })).error).toBeDefined();
    await expect(more.sent({ call: 2, run: 1, feeds: [picture()] })).resolves.toMatchObject({ feeds: [picture()] });
  });
});
