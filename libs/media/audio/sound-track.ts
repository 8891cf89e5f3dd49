import { AditError, languageCode } from '@adit/contracts';
import { audible, countOf, type ProbedStream } from '../ffmpeg/stream-facts.js';

/** Of the filter `pan`. */
const MAX_CHANNELS = 64;
/** ffmpeg knows where as many stand without being told. */
const KNOWN_CHANNELS = 8;

/**
 * The tracks to be heard: one that is asked for, or all; without a wish those that may be the one, the default first. Throws
 * MEDIA_INVALID, naming what there is, where there is none.
 */
export function chooseTracks(streams: readonly ProbedStream[], track: string | undefined): ProbedStream[] {
  const tracks = streams.filter(({ codec_type: type }) => type === 'audio');
  const heard = audible(tracks);
  if (heard.length === 0) throw new AditError('MEDIA_INVALID', 'It has no sound that can be decoded.');
  if (track === undefined) return heard.toSorted((a, b) => defaultOf(b) - defaultOf(a) || a.index - b.index);
  if (track === 'all') return heard;
  const asked = /^\d+$/.test(track)
    ? tracks[Number(track)]
    : heard.find(({ tags }) => languageCode(tags?.language ?? '') === languageCode(track));
  if (asked !== undefined && heard.includes(asked)) return [asked];
  const named = tracks.map(({ tags }, i) => {
    const language = languageCode(tags?.language ?? '');
    return language === null ? String(i) : `${i} (${language})`;
  });
  throw new AditError('MEDIA_INVALID', `It has no sound track ${track}: there are ${named.join(', ')}.`);
}

function defaultOf({ disposition }: ProbedStream): number {
  return disposition?.default ?? 0;
}

/** How the channels of a track become those that are wanted. */
export type Mix = 'usual' | 'inverted';

/**
 * The filters that mix a track's channels. What has more of them than there are names for is mixed in equal parts; `inverted` puts
 * the right channel of a pair the other way round. Throws MEDIA_INVALID for more than can be mixed.
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

/** What is left of a pair of channels when one is taken from the other, coarsely: enough to tell how loud it is. */
export const SIDE_RATE = 4000;
export const SIDE = `aformat=channel_layouts=stereo,pan=mono|c0=0.5*c0-0.5*c1,aresample=${SIDE_RATE},aformat=sample_fmts=flt`;

/** Whether a pair of channels can be wired the wrong way round. */
export function isPair({ channels }: ProbedStream): boolean {
  return countOf(channels) === 2;
}
