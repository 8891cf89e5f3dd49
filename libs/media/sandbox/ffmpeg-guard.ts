import { elementAt } from '@adit/contracts';
import { SOUND_FORMATS } from '../formats/sounds/formats.js';

/**
 * What every ffmpeg and ffprobe run is given before it opens a file: it may read this one private file, as one of these
 * containers, and nothing a file names can make it open another file or address.
 */
const FILMS = ['mov', 'mpeg', 'mpegts', 'mpegvideo', 'mxf'];
const CONTAINERS = [...FILMS, ...SOUND_FORMATS.flatMap(({ demuxers }) => demuxers)];

/** Bytes of private memory that a child has unless its caller knows better: what decoding the first pictures of an 8K film takes. */
export const DEFAULT_MEMORY_BYTES = 4 * 2 ** 30;
/** 8K film with room to spare. */
export const DEFAULT_MAX_FRAME_PIXELS = 64_000_000;

/**
 * How far a file is read to learn what its streams are: bytes, and seconds of a stream. Of a transport stream whose pictures begin
 * after minutes of sound, the first step does not reach them; the last one is the most that is read, and kept in memory meanwhile.
 */
const LOOK_AHEAD = [
  { bytes: 20_000_000, seconds: 10 },
  { bytes: 60_000_000, seconds: 60 },
  { bytes: 200_000_000, seconds: 600 },
];
/** The last step. */
export const FURTHEST_LOOK = LOOK_AHEAD.length - 1;

export function lookSeconds(look: number): number {
  return elementAt(LOOK_AHEAD, Math.min(look, FURTHEST_LOOK)).seconds;
}

/** @param look - the step that the file's probe needed; every run over one file takes the same, or timestamps that wrap would be unwrapped differently. */
export function inputGuard(maxPixels: number = DEFAULT_MAX_FRAME_PIXELS, look = 0): string[] {
  const { bytes, seconds } = elementAt(LOOK_AHEAD, Math.min(look, FURTHEST_LOOK));
  return [
    ...['-protocol_whitelist', 'file,pipe'],
    ...['-format_whitelist', CONTAINERS.join(',')],
    ...['-max_pixels', String(maxPixels)],
    ...['-probesize', String(bytes), '-analyzeduration', String(seconds * 1_000_000)],
  ];
}

/** The path as an address that cannot be taken for another protocol. */
export function inputAddress(path: string): string {
  return `file:${path}`;
}

/** Bytes of a file, `to` exclusive. */
export interface FilePart {
  from: number;
  to: number;
}

/** A part of the file as a file of its own. */
export function partAddress(path: string, { from, to }: FilePart): string {
  return `subfile,,start,${from},end,${to},,:${inputAddress(path)}`;
}

/** Comes behind `inputGuard` where `partAddress` is opened. */
export const PART_GUARD = ['-protocol_whitelist', 'file,pipe,subfile'];
