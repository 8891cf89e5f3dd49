import type { SoundFormat } from './sound-format.js';

export const AC3: SoundFormat = {
  name: 'ac3',
  title: 'AC-3',
  sniffedAs: [],
  contentType: 'audio/ac3',
  extensions: ['.ac3'],
  demuxers: ['ac3'],
  begins: (head) => bitstreamOf(head) === 'ac3',
};

export const EAC3: SoundFormat = {
  name: 'eac3',
  title: 'E-AC-3',
  sniffedAs: [],
  contentType: 'audio/eac3',
  extensions: ['.ec3', '.eac3'],
  demuxers: ['eac3'],
  begins: (head) => bitstreamOf(head) === 'eac3',
};

const SYNC_WORD = 0x0b77;

/** Tells AC-3 from E-AC-3 by the first frame of a bare stream (ETSI TS 102 366, 4.4.1 and E.1.2). */
function bitstreamOf(head: Buffer): 'ac3' | 'eac3' | null {
  if (head.length < 6 || head.readUInt16BE(0) !== SYNC_WORD) return null;
  const version = head.readUInt8(5) >> 3;
  const fifth = head.readUInt8(4);
  // Valid values are 0..37 of the 64 frame size codes and 0..2 of the four sample rate codes.
  if (version <= 10) return fifth >> 6 < 3 && (fifth & 0x3f) < 38 ? 'ac3' : null;
  // Valid stream types are 0..2 of four.
  return version <= 16 && head.readUInt8(2) >> 6 < 3 ? 'eac3' : null;
}
