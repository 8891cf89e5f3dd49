import { AditError, elementAt } from '@adit/contracts';
import { runFfmpeg } from '../ffmpeg/ffmpeg-run.js';
import { containersOf } from '../sandbox/ffmpeg-guard.js';
import { countUpTo } from '../video/frame-index.js';
import { CLIP_OUTPUT, CLIP_TIMEOUT_SECONDS, copiedSound, MAX_CLIP_BYTES } from './clip-request.js';
import { keptTracks, seekOptions, writeFromBest, type FilmClip } from './film-clip.js';

/** Private memory of a run that only copies packets, or encodes sound. */
const MEMORY_BYTES = 2 ** 30;

/** Pictures that players take from an MP4. */
const COPIED_PICTURES: ReadonlySet<string> = new Set([
  'av1',
  'h264',
  'hevc',
  'mpeg1video',
  'mpeg2video',
  'mpeg4',
  'vp9',
]);

/**
 * Copies the packets of a clip from the keyframe at or before its first frame. Packets before that which have to be there are
 * hidden by an edit list. Throws MEDIA_INVALID for pictures that cannot be copied.
 */
export async function copyFilm(clip: FilmClip): Promise<void> {
  const { path, facts, index, first, end, signal, maxBytes = MAX_CLIP_BYTES } = clip;
  const { codec } = facts;
  if (!COPIED_PICTURES.has(codec)) {
    throw new AditError('MEDIA_INVALID', `An MP4 does not hold pictures of ${codec} as they are: ask for exact=true.`);
  }
  if (index.hints.timing !== 'stated') {
    throw new AditError('MEDIA_INVALID', 'Not all pictures of this film carry times to cut at: ask for exact=true.');
  }
  const key = countUpTo(index.keyFrames, first) - 1;
  const begin = key < 0 ? 0 : elementAt(index.keyFrames, key);
  const { num, den } = index.timeBase;
  const zero = (index.ptsOf(begin) * num) / den;
  const tracks = keptTracks(facts);
  await writeFromBest(clip, begin, (start, target) =>
    runFfmpeg({
      path,
      containers: containersOf(facts),
      probeStep: index.hints.look,
      // The keyframe is at 0 then; clocks may be negative, which `-to` does not take.
      inputOptions: [...seekOptions(start), '-itsoffset', (-zero).toFixed(6)],
      outputs: [
        {
          target,
          options: [
            ...['-map', `0:${facts.stream}`, ...tracks.flatMap(({ stream }) => ['-map', `0:${stream}`])],
            ...['-c:v', 'copy', ...(codec === 'hevc' ? ['-tag:v', 'hvc1'] : [])],
            ...tracks.flatMap((track, i) => copiedSound(track.codec, i)),
            ...['-t', (end - zero).toFixed(6)],
            ...CLIP_OUTPUT,
          ],
        },
      ],
      signal,
      timeoutSeconds: CLIP_TIMEOUT_SECONDS,
      memoryBytes: MEMORY_BYTES,
      fileBytes: maxBytes,
      pastFileBytes: 'TOO_LARGE',
    }),
  );
}
