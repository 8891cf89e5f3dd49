import { frameAt, type FramePack } from '@adit/inference';

/**
 * Pairs `native` with the frames of `small`, position by position. Where a damaged film lacks a native frame, the small
 * picture replaces it.
 */
export function pairedPack(small: FramePack, native: FramePack): FramePack {
  if (small === native) return native;
  const places = new Map(native.frames.map(({ frame }, index) => [frame, index]));
  const sources = small.frames.map(({ frame }, index) => {
    const place = places.get(frame);
    return place === undefined ? { pack: small, index } : { pack: native, index: place };
  });
  const sourceOf = (index: number): { pack: FramePack; index: number } => {
    const source = sources[index];
    if (!source) throw new RangeError(`Picture ${index} of a pack of ${sources.length}.`);
    return source;
  };
  return {
    decoder: native.decoder,
    frames: sources.map(({ pack, index }) => frameAt(pack, index)),
    withPicture: async (index, use) => {
      const source = sourceOf(index);
      return source.pack.withPicture(source.index, use);
    },
    picture: async (index) => {
      const source = sourceOf(index);
      return source.pack.picture(source.index);
    },
    region: async (index, box) => {
      const source = sourceOf(index);
      return source.pack.region(source.index, box);
    },
  };
}
