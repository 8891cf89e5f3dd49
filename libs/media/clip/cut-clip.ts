import { AditError } from '@adit/contracts';
import type { ClipFile, ClipRequest } from './clip-request.js';
import { copyFilm } from './copied-film.js';
import { cutSound } from './cut-sound.js';
import { encodeFilm } from './encoded-film.js';
import { framesOf } from './film-clip.js';

/**
 * Cuts a span out of a film or recording: an MP4 with pictures and sound, or an M4A. Throws MEDIA_INVALID for what cannot be cut,
 * TOO_LARGE for more than 4 GiB, LIMIT_EXCEEDED past the limits on time or memory.
 */
export async function cutClip(request: ClipRequest): Promise<ClipFile> {
  const { facts, index, span, exact } = request;
  if (facts.kind === 'audio') {
    await cutSound(request, facts);
    return { mimeType: 'audio/mp4', extension: 'm4a' };
  }
  if (facts.kind !== 'video' || index === null) throw new AditError('MEDIA_INVALID', 'The source is no film or sound.');
  const clip = { ...request, facts, index, ...framesOf(span, index) };
  await (exact ? encodeFilm(clip) : copyFilm(clip));
  return { mimeType: 'video/mp4', extension: 'mp4' };
}
