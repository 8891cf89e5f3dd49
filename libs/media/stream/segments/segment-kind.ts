import { AditError } from '@adit/contracts';
import { packedSoundAt, type PackedSound } from '../packed-sound.js';

/** Bytes that `segmentKind` looks at. */
export const KIND_BYTES = 8;

/**
 * Tells what a segment is by its first bytes, behind any ID3 tag; null for what is no media, such as a page that says why
 * there is none. Throws SOURCE_REFUSED for media of other kinds.
 */
export function segmentKind(head: Buffer, hasMap: boolean): 'mpegts' | 'mp4' | PackedSound | null {
  if (head[0] === 0x47) return 'mpegts';
  const begin = head.toString('latin1', 0, KIND_BYTES);
  if (begin.startsWith('WEBVTT')) throw notRead('subtitles');
  const packed = packedSoundAt(head);
  if (packed !== null) return packed;
  if (!/^(?:styp|sidx|moof|emsg|prft|ftyp|moov|free|skip|uuid|mdat)$/.test(begin.slice(4))) return null;
  if (!hasMap) throw notRead('MP4 without an initialisation section');
  return 'mp4';
}

function notRead(what: string): AditError {
  return new AditError(
    'SOURCE_REFUSED',
    `The stream's segments are ${what}; MPEG-TS, fragmented MP4 and packed audio are read.`,
  );
}
