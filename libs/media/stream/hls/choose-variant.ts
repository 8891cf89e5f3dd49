import { best } from '../segments/best.js';
import type { MasterPlaylist, Variant } from './playlist.js';

/** Chooses the stream of a master playlist that is read: one with pictures, where there is any. */
export function chooseVariant({ variants }: MasterPlaylist): Variant {
  const seen = variants.filter(({ isSoundOnly }) => !isSoundOnly);
  return best(seen.length > 0 ? seen : variants);
}
