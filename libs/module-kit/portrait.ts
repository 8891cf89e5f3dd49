import type { PictureRef } from '@adit/contracts';

/** The picture that shows a thing best; `rank` is how good the view is, 0..1. JSON, so that a fold can keep it. */
export type Portrait = {
  rank: number;
  thumbnail: PictureRef | null;
  keyFrame: { frame: number; picture: PictureRef } | null;
};

/** Of something that no view was good enough to show. */
export const NO_PORTRAIT: Portrait = { rank: 0, thumbnail: null, keyFrame: null };

/** One with a picture before one without, then the better view, then the earlier. */
export function betterPortrait(earlier: Portrait, later: Portrait): Portrait {
  if ((earlier.thumbnail === null) !== (later.thumbnail === null)) return earlier.thumbnail === null ? later : earlier;
  return later.rank > earlier.rank ? later : earlier;
}
