import { AC3, EAC3 } from './dolby.js';
import type { SoundFormat } from './sound-format.js';
import { WMA } from './wma.js';

/** Audio formats that are mined. A format that needs more than names has its own file. */
export const SOUND_FORMATS: readonly SoundFormat[] = [
  {
    name: 'wav',
    title: 'WAV',
    sniffedAs: ['wav'],
    contentType: 'audio/wav',
    extensions: ['.wav'],
    demuxers: ['wav'],
    begins: looksLikeLongWave,
  },
  {
    name: 'mp3',
    title: 'MP3',
    sniffedAs: ['mp3'],
    contentType: 'audio/mpeg',
    extensions: ['.mp3'],
    // A tag in front hides which of the two follows.
    demuxers: ['mp3', 'aac'],
  },
  {
    name: 'aac',
    title: 'AAC',
    sniffedAs: ['aac'],
    contentType: 'audio/aac',
    extensions: ['.aac'],
    demuxers: ['aac', 'mp3'],
  },
  {
    name: 'm4a',
    title: 'M4A',
    sniffedAs: ['m4a', 'm4b', 'f4a'],
    contentType: 'audio/mp4',
    extensions: ['.m4a'],
    demuxers: ['mov'],
  },
  {
    name: 'flac',
    title: 'FLAC',
    sniffedAs: ['flac'],
    contentType: 'audio/flac',
    extensions: ['.flac'],
    demuxers: ['flac'],
  },
  {
    name: 'ogg',
    title: 'OGG',
    sniffedAs: ['ogg', 'oga', 'opus', 'spx'],
    contentType: 'audio/ogg',
    extensions: ['.ogg'],
    demuxers: ['ogg'],
  },
  {
    // Includes AIFF-C.
    name: 'aiff',
    title: 'AIFF',
    sniffedAs: ['aif'],
    contentType: 'audio/aiff',
    extensions: ['.aif', '.aiff', '.aifc'],
    demuxers: ['aiff'],
  },
  AC3,
  EAC3,
  {
    name: 'wavpack',
    title: 'WavPack',
    sniffedAs: ['wv'],
    contentType: 'audio/x-wavpack',
    extensions: ['.wv'],
    demuxers: ['wv'],
  },
  {
    name: 'dsf',
    title: 'DSF',
    sniffedAs: ['dsf'],
    contentType: 'audio/x-dsf',
    extensions: ['.dsf'],
    demuxers: ['dsf'],
  },
  WMA,
];

/** Tests the end of a file name or address. */
export function isSoundName(name: string): boolean {
  const path = name.replace(/[?#].*$/s, '').toLowerCase();
  return SOUND_FORMATS.some(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
}

/** WAVE beyond 4 GB: RF64 (EBU Tech 3306) and its successor BW64 (ITU-R BS.2088). */
function looksLikeLongWave(head: Buffer): boolean {
  return /^(RF64|BW64)....WAVE/s.test(head.toString('latin1', 0, 12));
}
