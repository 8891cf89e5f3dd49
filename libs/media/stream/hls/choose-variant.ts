import { AditError } from '@adit/contracts';
import { best } from '../segments/best.js';
import type { MasterPlaylist, Variant } from './playlist.js';

/**
 * Chooses the stream of a master playlist that is read. Sound in playlists of its own is not read, so that a stream which
 * has no other is mined for its pictures alone.
 */
export function chooseVariant({ variants }: MasterPlaylist): Variant {
  const seen = variants.filter(({ isSoundOnly }) => !isSoundOnly);
  if (seen.length === 0) throw new AditError('SOURCE_REFUSED', 'The playlist lists streams of sound only.');
  return best(seen);
}
