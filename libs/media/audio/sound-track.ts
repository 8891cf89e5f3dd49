import { AditError, languageCode } from '@adit/contracts';
import { audible, countOf, type ProbedStream } from '../ffmpeg/stream-facts.js';

/** Largest number of channels that the filter `pan` takes. */
const MAX_CHANNELS = 64;
/** ffmpeg knows the default layout of up to this many channels. */
const KNOWN_CHANNELS = 8;

/**
 * Returns the tracks to decode: the requested one or all; without a request the candidates, the default track first.
 * Throws MEDIA_INVALID, listing the tracks, where none matches.
 */
export function chooseTracks(streams: readonly ProbedStream[], track: string | undefined): ProbedStream[] {
  const tracks = streams.filter(({ codec_type: type }) => type === 'audio');
  const candidates = audible(tracks);
  if (candidates.length === 0) throw new AditError('MEDIA_INVALID', 'It has no sound that can be decoded.');
  if (track === undefined) return candidates.toSorted((a, b) => defaultOf(b) - defaultOf(a) || a.index - b.index);
  if (track === 'all') return candidates;
  const asked = /^\d+$/.test(track)
    ? tracks[Number(track)]
    : candidates.find(({ tags }) => languageCode(tags?.language ?? '') === languageCode(track));
  if (asked !== undefined && candidates.includes(asked)) return [asked];
  const named = tracks.map(({ tags }, i) => {
    const language = languageCode(tags?.language ?? '');
    return language === null ? String(i) : `${i} (${language})`;
  });
  throw new AditError('MEDIA_INVALID', `It has no sound track ${track}: there are ${named.join(', ')}.`);
}

function defaultOf({ disposition }: ProbedStream): number {
  return disposition?.default ?? 0;
}

/** Polarity of a mix: `inverted` flips the right channel of a pair. */
export type Mix = 'usual' | 'inverted';

/**
 * Returns the filters that mix a track's channels. Tracks with unnamed channels are mixed in equal parts; `inverted`
 * flips the right channel of a pair. Throws MEDIA_INVALID for more channels than can be mixed.
 */
export function mixed({ channels }: ProbedStream, mix: Mix, wanted: 1 | 2): string {
  const count = countOf(channels);
  if (count > MAX_CHANNELS) {
    throw new AditError('MEDIA_INVALID', `Its sound has ${count} channels; at most ${MAX_CHANNELS} are heard.`);
  }
  if (mix === 'inverted') return 'aformat=channel_layouts=stereo,pan=mono|c0=0.5*c0-0.5*c1,';
  if (count <= KNOWN_CHANNELS) return '';
  const all = Array.from({ length: count }, (_, i) => `c${i}`).join('+');
  return wanted === 1 ? `pan=mono|c0<${all},` : `pan=stereo|c0<${all}|c1<${all},`;
}

/** Filter for the difference of a pair of channels, at a low rate that is enough to measure its loudness. */
export const SIDE_RATE = 4000;
export const SIDE = `aformat=channel_layouts=stereo,pan=mono|c0=0.5*c0-0.5*c1,aresample=${SIDE_RATE},aformat=sample_fmts=flt`;

/** Returns true for a pair of channels, the only layout where inverted polarity can be detected. */
export function isPair({ channels }: ProbedStream): boolean {
  return countOf(channels) === 2;
}
