import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { probeStreamsOf } from '../../probe-streams.js';
import { runFfmpeg } from '../../ffmpeg/ffmpeg-run.js';
import { DEFAULT_MEMORY_BYTES } from '../../sandbox/ffmpeg-guard.js';
import { demuxersOf, sniffMedia } from '../../sniff.js';
import type { CopyLimits } from '../private-file.js';

type Limits = Pick<CopyLimits, 'maxBytes' | 'timeoutSeconds' | 'signal'> & { folder: string };

/**
 * Puts the sound of a second file to the pictures of the first, packets as they are with their times; returns the path.
 * A first file that has sound, or is alone, stays as it is. Throws MEDIA_INVALID for files that are not media.
 */
export async function joinedFilm([pictures, sound]: readonly string[], limits: Limits): Promise<string> {
  if (pictures === undefined) throw new AditError('INTERNAL', 'There is no file to join.');
  if (sound === undefined) return pictures;
  const { timeoutSeconds, signal, folder, maxBytes } = limits;
  const [film, track] = [await opened(pictures, limits), await opened(sound, limits)];
  if (film.found.video === undefined || film.found.audio !== undefined || track.found.audio === undefined)
    return pictures;
  const target = join(folder, 'joined.mp4');
  const reason = await runFfmpeg({
    path: pictures,
    containers: film.containers,
    probeStep: film.found.probeStep,
    // Times are those of one clock, which shifting each file to its own start would part.
    inputOptions: ['-copyts'],
    more: { path: sound, containers: track.containers, probeStep: track.found.probeStep },
    outputs: [
      {
        target,
        options: [
          '-map',
          `0:${film.found.video.index}`,
          '-map',
          `1:${track.found.audio.index}`,
          '-c',
          'copy',
          '-f',
          'mp4',
        ],
      },
    ],
    timeoutSeconds,
    memoryBytes: DEFAULT_MEMORY_BYTES,
    fileBytes: maxBytes,
    pastFileBytes: 'TOO_LARGE',
    signal,
  });
  if (reason !== null) throw new AditError('MEDIA_INVALID', `Pictures and sound cannot be joined: ${reason}.`);
  return target;
}

async function opened(path: string, { timeoutSeconds, signal, folder }: Limits) {
  const containers = demuxersOf(await sniffMedia(path));
  if (containers.length === 0)
    throw new AditError('MEDIA_INVALID', 'The platform sent a file that is no film or sound.');
  return { containers, found: await probeStreamsOf(path, { containers, timeoutSeconds, signal, directory: folder }) };
}
