import { AditError } from '@adit/contracts';
import type { ResolvedModule } from '@adit/jobs';
import { pointerTo } from '@adit/module-kit';

/**
 * Throws VALIDATION for ranges of frames of a live stream, since nobody knows the numbers of frames that are still to
 * come, and for all of its tracks mixed: one is heard.
 */
export function checkLiveModules(modules: readonly ResolvedModule[], { mayBeFilm }: { mayBeFilm: boolean }): void {
  const errors = modules.flatMap(({ postedAs, range, analyses }) => {
    const invalid = (message: string, ...path: string[]) => ({
      pointer: pointerTo('modules', postedAs, ...path),
      code: 'invalid',
      message,
    });
    return [
      ...(range !== null && ('frame_start' in range || 'frame_end' in range)
        ? [invalid('A live stream takes a range of seconds, time_start and time_end, not of frames.', 'range')]
        : []),
      ...(!mayBeFilm && analyses.some(({ audio }) => audio?.some(({ track }) => track === 'all'))
        ? [invalid('Of a live stream one track of sound is heard, not all of them mixed.', 'audio_track')]
        : []),
    ];
  });
  if (errors[0] !== undefined) throw new AditError('VALIDATION', errors[0].message, { errors });
}
