import { describe, expect, it } from '@jest/globals';
import type { FramePack } from './analysis.js';
import { watchedPacks } from './watched-packs.js';

const image = { width: 1, height: 1, data: new Uint8Array(3) };
const packOf = (count: number): FramePack => ({
  frames: Array.from({ length: count }, (_, frame) => ({ frame, pts: frame, time: frame, width: 1, height: 1 })),
  decoder: 7,
  withPicture: async (_, use) => use(image),
  picture: async () => image,
  region: async () => image,
});

describe('watched packs', () => {
  it('report each picture that precedes the current one, monotonically and below 1', async () => {
    const reported: number[] = [];
    const [small, native] = watchedPacks([packOf(4), packOf(4)], (done) => reported.push(done));
    for (const index of [0, 1, 1, 2, 3]) await small!.picture(index);
    await native!.picture(0);
    await native!.region(2, { x: 0, y: 0, w: 1, h: 1 });
    expect(await native!.picture(4)).toBe(image);
    expect(reported).toEqual([0.25, 0.5, 0.75]);
    expect(small).toMatchObject({ decoder: 7, frames: { length: 4 } });
  });

  it('keep identical packs identical', () => {
    const pack = packOf(1);
    const [small, native] = watchedPacks([pack, pack], () => undefined);
    expect(small).toBe(native);
  });
});
