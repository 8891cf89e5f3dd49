import type { FramePack } from './analysis.js';

/**
 * The same packs, which tell how far somebody has read them: an analysis takes its pictures in order, so those before the
 * furthest one it asked for are done. Less than 1 always, as what it makes of the pictures follows. What was one pack stays one.
 */
export function watchedPacks(packs: FramePack[], onProgress: (done: number) => void): FramePack[] {
  let furthest = 0;
  const watched = new Map<FramePack, FramePack>();
  for (const pack of packs) {
    const { frames, decoder } = pack;
    const at = (index: number): void => {
      const done = index / frames.length;
      if (done <= furthest || done >= 1) return;
      furthest = done;
      onProgress(done);
    };
    watched.set(pack, {
      frames,
      decoder,
      picture: (index) => {
        at(index);
        return pack.picture(index);
      },
      region: (index, box) => {
        at(index);
        return pack.region(index, box);
      },
    });
  }
  return packs.map((pack) => watched.get(pack)!);
}
