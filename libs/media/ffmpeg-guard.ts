import { SOUND_FORMATS } from './sounds/formats.js';

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

export function inputGuard(maxPixels: number = DEFAULT_MAX_FRAME_PIXELS): string[] {
  return [
    '-protocol_whitelist',
    'file,pipe',
    '-format_whitelist',
    CONTAINERS.join(','),
    '-max_pixels',
    String(maxPixels),
    // The same look-ahead in every run, or timestamps that wrap would be unwrapped differently.
    '-probesize',
    '20000000',
    '-analyzeduration',
    '10000000',
  ];
}

/** The path as an address that cannot be taken for another protocol. */
export function inputAddress(path: string): string {
  return `file:${path}`;
}
