import { AditError } from '@adit/contracts';
import { joinFilm, openPart, type JoinLimits } from '../join-film.js';

/**
 * Puts the sound of a second file to the pictures of the first; returns the path. A first file that has sound, or is
 * alone, stays as it is. Throws as `joinFilm`.
 */
export async function joinedFilm([pictures, sound]: readonly string[], limits: JoinLimits): Promise<string> {
  if (pictures === undefined) throw new AditError('INTERNAL', 'There is no file to join.');
  if (sound === undefined) return pictures;
  const [film, track] = [await openPart(pictures, limits), await openPart(sound, limits)];
  const { video, audio } = film.found;
  if (video === undefined || audio !== undefined || track.found.audio === undefined) return pictures;
  return joinFilm(film, [track], limits);
}
