import { AditError, type Rational } from '@adit/contracts';
import { setting } from '@adit/runtime';
import { z } from 'zod';

/**
 * Limits on the part of a film that is planned: the announcement of a small file costs as much as the content of a
 * large one.
 */
export const FilmLimits = z.object({
  maxFilmSeconds: setting(
    'ADIT_MAX_FILM_SECONDS',
    z.number().positive().default(90_000),
    'Seconds of one film, gaps between its pictures included; a longer one is refused.',
  ),
  maxFilmFrames: setting(
    'ADIT_MAX_FILM_FRAMES',
    z.int().positive().default(5_400_000),
    'Pictures of one film; one with more is refused. Each takes some tens of bytes of memory while the film is probed.',
  ),
  maxFilmChunks: setting(
    'ADIT_MAX_FILM_CHUNKS',
    z.int().positive().default(10_000),
    'Chunks that one film is cut into; one that falls into more is refused. A day of ordinary film has up to 8,640.',
  ),
});
export type FilmLimits = z.infer<typeof FilmLimits>;

export const DEFAULT_FILM_LIMITS: FilmLimits = FilmLimits.parse({});

/** Bytes of the smallest picture, by which a codec signals that nothing changed. */
const MIN_PICTURE_BYTES = 4;

/**
 * Returns a check of a growing picture count. It throws MEDIA_INVALID for more pictures than a file of `bytes` can
 * hold, TOO_LARGE for more than the limit.
 */
export function frameCheck(bytes: number, { maxFilmFrames }: FilmLimits): (count: number) => void {
  const possible = Math.floor(bytes / MIN_PICTURE_BYTES) + 1;
  return (count) => {
    if (count > possible) {
      throw new AditError('MEDIA_INVALID', `The film announces more pictures than its ${bytes} bytes can hold.`);
    }
    // One picture may come in two packets.
    if (count > maxFilmFrames * 2) throw tooMany(maxFilmFrames);
  };
}

/** Seconds: a clock may count from 1970, and its microseconds have to be exact. */
const LATEST_START = 4e9;

/**
 * Throws TOO_LARGE, naming the setting, for a film with too many frames or seconds; MEDIA_INVALID for an invalid clock.
 */
export function checkFilm(
  film: { totalFrames: number; duration: number; startPts: number; timeBase: Rational },
  limits: FilmLimits,
): void {
  const { maxFilmFrames, maxFilmSeconds } = limits;
  const start = (film.startPts * film.timeBase.num) / film.timeBase.den;
  if (Math.abs(start) > LATEST_START) {
    throw new AditError(
      'MEDIA_INVALID',
      `The film’s clock begins at ${start.toPrecision(3)} s, which is no valid time.`,
    );
  }
  if (film.totalFrames > maxFilmFrames) throw tooMany(maxFilmFrames);
  if (film.duration > maxFilmSeconds) {
    throw new AditError(
      'TOO_LARGE',
      `The film lasts ${Math.round(film.duration)} s; at most ${maxFilmSeconds} s are mined (ADIT_MAX_FILM_SECONDS).`,
    );
  }
}

/** Throws TOO_LARGE, naming the setting, once a film is known to last at least that many seconds. */
export function checkSeconds(seconds: number, { maxFilmSeconds }: FilmLimits): void {
  if (seconds <= maxFilmSeconds) return;
  throw new AditError(
    'TOO_LARGE',
    `The film lasts ${Math.round(seconds)} s or more; at most ${maxFilmSeconds} s are mined (ADIT_MAX_FILM_SECONDS).`,
  );
}

/** Throws TOO_LARGE, naming the setting, for a film with too many chunks. */
export function checkChunks(count: number, { maxFilmChunks }: FilmLimits): void {
  if (count <= maxFilmChunks) return;
  throw new AditError(
    'TOO_LARGE',
    `The film falls into more than ${maxFilmChunks} chunks, the most that are planned (ADIT_MAX_FILM_CHUNKS).`,
  );
}

function tooMany(maxFilmFrames: number): AditError {
  return new AditError('TOO_LARGE', `The film has more than ${maxFilmFrames} pictures (ADIT_MAX_FILM_FRAMES).`);
}
