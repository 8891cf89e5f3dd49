import { join } from 'node:path';
import { AditError, languageCode } from '@adit/contracts';
import { runFfmpeg } from '../ffmpeg/ffmpeg-run.js';
import { probeStreamsOf, type ProbedStreams } from '../probe-streams.js';
import { DEFAULT_MEMORY_BYTES } from '../sandbox/ffmpeg-guard.js';
import { demuxersOf, sniffMedia } from '../sniff.js';
import type { CopyLimits } from './private-file.js';

export type JoinLimits = Pick<CopyLimits, 'maxBytes' | 'timeoutSeconds' | 'signal'> & {
  /** Private folder of the joined file. */
  folder: string;
};

/** A file of a film that came in several, with its streams. */
export interface FilmPart {
  path: string;
  containers: readonly string[];
  found: ProbedStreams;
}

/** Sound for the pictures of another file. */
export interface SoundPart extends FilmPart {
  /** Seconds that are added to its times. */
  shift?: number;
  /** As its source states it. */
  language?: string | null;
  isDefault?: boolean;
}

/** Reads the streams of a part; without demuxers there are none that may read it. Throws MEDIA_INVALID for what is no media. */
export async function openPart(path: string, { timeoutSeconds, signal, folder }: JoinLimits): Promise<FilmPart> {
  const containers = demuxersOf(await sniffMedia(path));
  if (containers.length === 0) throw new AditError('MEDIA_INVALID', 'A part of the film is neither film nor sound.');
  return {
    path,
    containers,
    found: await probeStreamsOf(path, { containers, timeoutSeconds, signal, directory: folder }),
  };
}

/** Codecs of pictures that MP4 has no tag for: Matroska takes them. */
const NOT_IN_MP4 = new Set(['vp8', 'theora']);

/**
 * Puts the sound of other files to a film, behind its own: packets as they are with their times. Returns the path of the
 * new file. Throws MEDIA_INVALID where they cannot be joined, TOO_LARGE and LIMIT_EXCEEDED past the limits.
 */
export async function joinFilm(
  film: FilmPart & Pick<SoundPart, 'shift'>,
  sounds: readonly SoundPart[],
  { timeoutSeconds, signal, folder, maxBytes }: JoinLimits,
): Promise<string> {
  const muxer = NOT_IN_MP4.has(film.found.video?.codec_name ?? '') ? 'matroska' : 'mp4';
  const target = join(folder, `joined.${muxer}`);
  const own = film.found.streams.filter(({ codec_type: type, codec_name: codec }) => type === 'audio' && codec);
  const streams = [film.found.video, ...own].flatMap((stream) => (stream === undefined ? [] : [`0:${stream.index}`]));
  const heard = [...own, ...sounds.flatMap(({ found: { audio } }) => audio ?? [])];
  const tracks = sounds.flatMap(({ found: { audio } }, at) =>
    audio === undefined ? [] : [`${at + 1}:${audio.index}`],
  );
  const reason = await runFfmpeg({
    path: film.path,
    containers: film.containers,
    probeStep: film.found.probeStep,
    inputOptions: shifted(film),
    more: sounds.map((sound) => ({
      ...{ path: sound.path, containers: sound.containers, probeStep: sound.found.probeStep },
      inputOptions: shifted(sound),
    })),
    outputs: [
      {
        target,
        options: [
          ...[...streams, ...tracks].flatMap((stream) => ['-map', stream]),
          // Sound that MP4 has only lately (FLAC) is still called experimental by some versions.
          ...['-c', 'copy', '-strict', 'experimental', '-f', muxer, '-fflags', '+bitexact'],
          // Its first packet may be a part of one, which keeps ffmpeg from adding the filter itself.
          ...heard.flatMap(({ codec_name: codec }, at) => (codec === 'aac' ? [`-bsf:a:${at}`, 'aac_adtstoasc'] : [])),
          ...sounds.flatMap((sound, at) => described(sound, own.length + at)),
        ],
      },
    ],
    // Times are those of one clock, which shifting each file to its own start would part.
    globalOptions: ['-copyts'],
    timeoutSeconds,
    memoryBytes: DEFAULT_MEMORY_BYTES,
    fileBytes: maxBytes,
    pastFileBytes: 'TOO_LARGE',
    signal,
  });
  if (reason !== null) throw new AditError('MEDIA_INVALID', `Pictures and sound cannot be joined: ${reason}.`);
  return target;
}

function shifted({ shift = 0 }: Pick<SoundPart, 'shift'>): string[] {
  return ['-itsoffset', shift.toFixed(6)];
}

/** What a track of sound is, where its source says it. */
function described({ language = null, isDefault = false }: SoundPart, track: number): string[] {
  const code = language === null ? null : threeLetters(language);
  return [
    ...(code === null ? [] : [`-metadata:s:a:${track}`, `language=${code}`]),
    ...(isDefault ? [`-disposition:a:${track}`, 'default'] : []),
  ];
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** A code of three letters for a language, as MP4 wants it; null where there is none. `Intl` only knows the way back. */
function threeLetters(tag: string): string | null {
  const code = languageCode(tag);
  if (code === null || code.length === 3) return code;
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      const third = LETTERS.find((letter) => languageCode(first + second + letter) === code);
      if (third !== undefined) return first + second + third;
    }
  }
  return null;
}
