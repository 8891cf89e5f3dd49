import type { PictureRef } from '@adit/contracts';

/** The picture that shows an object best; `rank` rates the view, 0..1. JSON, so that a fold can keep it. */
export type Portrait = {
  rank: number;
  thumbnail: PictureRef | null;
  keyFrame: { frame: number; picture: PictureRef } | null;
};

/** Portrait without a good enough view. */
export const NO_PORTRAIT: Portrait = { rank: 0, thumbnail: null, keyFrame: null };

/** Prefers one with a picture, then the better view, then the earlier. */
export function betterPortrait(earlier: Portrait, later: Portrait): Portrait {
  if ((earlier.thumbnail === null) !== (later.thumbnail === null)) return earlier.thumbnail === null ? later : earlier;
  return later.rank > earlier.rank ? later : earlier;
}
