import { AditError } from '@adit/contracts';

/** Bytes that `segmentKind` looks at. */
export const KIND_BYTES = 8;

/**
 * Tells what a segment is by its first bytes; null for what is no media, such as a page that says why there is none.
 * Throws SOURCE_REFUSED for media of other kinds.
 */
export function segmentKind(head: Buffer, hasMap: boolean): 'mpegts' | 'mp4' | null {
  if (head[0] === 0x47) return 'mpegts';
  const begin = head.toString('latin1', 0, KIND_BYTES);
  if (begin.startsWith('WEBVTT')) throw notRead('subtitles');
  // An ID3 tag holds the time of packed audio, which begins by its sync bits without one.
  const isPacked = head.length > 1 && head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0;
  if (begin.startsWith('ID3') || isPacked) throw notRead('packed audio, which has no pictures');
  if (!/^(?:styp|sidx|moof|emsg|prft|ftyp|moov|free|skip|uuid|mdat)$/.test(begin.slice(4))) return null;
  if (!hasMap) throw notRead('MP4 without an initialisation section');
  return 'mp4';
}

function notRead(what: string): AditError {
  return new AditError('SOURCE_REFUSED', `The stream's segments are ${what}; MPEG-TS and fragmented MP4 are read.`);
}
