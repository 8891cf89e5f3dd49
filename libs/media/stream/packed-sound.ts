/*
 * Sound without a container: frames one after the other, as HLS calls packed audio and radio stations send over HTTP.
 */

export type PackedSound = 'aac' | 'mp3' | 'ac3' | 'eac3';

/** Names the time of a segment of packed audio in its ID3 tag (RFC 8216, 3.4). */
const TIME_OWNER = Buffer.from('com.apple.streaming.transportStreamTimestamp\0', 'latin1');
const TAG_HEAD_BYTES = 10;
const CLOCK_RATE = 90_000;
/** Frames in a row that prove what they are. */
const PROOF_FRAMES = 3;

export interface Id3Tag {
  /** Bytes, which may be more than there are yet. */
  length: number;
  /** Seconds on the clock of MPEG-TS, where it states them and enough of it is there. */
  seconds: number | null;
}

/** Reads the ID3v2 tag that bytes begin with; null where there is none. */
export function id3Tag(bytes: Buffer): Id3Tag | null {
  if (bytes.length < TAG_HEAD_BYTES || bytes.toString('latin1', 0, 3) !== 'ID3') return null;
  const sizes = [...bytes.subarray(6, TAG_HEAD_BYTES)];
  if (sizes.some((each) => each > 127)) return null;
  const hasFooter = ((bytes[5] ?? 0) & 0x10) !== 0;
  const size = sizes.reduce((sum, each) => sum * 128 + each, 0);
  const length = TAG_HEAD_BYTES + size + (hasFooter ? TAG_HEAD_BYTES : 0);
  const owner = bytes.subarray(0, length).indexOf(TIME_OWNER);
  const at = owner + TIME_OWNER.length;
  if (owner < 0 || at + 8 > Math.min(length, bytes.length)) return { length, seconds: null };
  // 33 bits of 64.
  const ticks = Number(bytes.readBigUInt64BE(at) & 0x1_ffff_ffffn);
  return { length, seconds: ticks / CLOCK_RATE };
}

/** Tells packed sound by the first bytes of a frame; null for anything else. */
export function packedSoundAt(bytes: Buffer, at = 0): PackedSound | null {
  const [one = 0, two = 0] = bytes.subarray(at);
  if (one === 0x0b && two === 0x77) return (bytes[at + 5] ?? 0) >> 3 > 10 ? 'eac3' : 'ac3';
  if (one !== 0xff || (two & 0xe0) !== 0xe0) return null;
  // Both begin by the same bits: AAC has no layer.
  if ((two & 0xf6) === 0xf0) return 'aac';
  return (two & 0x06) === 0 ? null : 'mp3';
}

/**
 * Finds the first frame of AAC (ADTS) or MPEG audio that others follow where it ends, as in bytes that begin in the
 * middle of a frame; null where there is none.
 */
export function findPackedSound(bytes: Buffer): { kind: 'aac' | 'mp3'; at: number } | null {
  for (let at = 0; at < bytes.length; at++) {
    const kind = packedSoundAt(bytes, at);
    if ((kind === 'aac' || kind === 'mp3') && isChain(bytes, at, kind)) return { kind, at };
  }
  return null;
}

/** Bytes within which `findPackedSound` finds any: a frame that is cut, and those that prove it. */
export const PACKED_HEAD_BYTES = 8192;

function isChain(bytes: Buffer, from: number, kind: 'aac' | 'mp3'): boolean {
  for (let at = from, frame = 0; frame < PROOF_FRAMES; frame++) {
    if (packedSoundAt(bytes, at) !== kind) return false;
    const length = kind === 'aac' ? adtsLength(bytes, at) : mpegLength(bytes, at);
    if (length === null || at + length > bytes.length) return false;
    at += length;
  }
  return true;
}

/** Length of a frame of AAC with its ADTS header; null where it cannot be one. */
function adtsLength(bytes: Buffer, at: number): number | null {
  if (at + 7 > bytes.length) return null;
  const length = ((bytes.readUInt8(at + 3) & 3) << 11) | (bytes.readUInt16BE(at + 4) >> 5);
  const rate = (bytes.readUInt8(at + 2) >> 2) & 15;
  return length > 7 && rate < 13 ? length : null;
}

/** Kilobits a second by their index (ISO/IEC 11172-3, 13818-3): of layers I to III of MPEG-1, and of both kinds of MPEG-2. */
const BIT_RATES = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/** Length of a frame of MPEG audio; null where it cannot be one, or states no bit rate. */
function mpegLength(bytes: Buffer, at: number): number | null {
  if (at + 4 > bytes.length) return null;
  const [, two, three] = [bytes.readUInt8(at), bytes.readUInt8(at + 1), bytes.readUInt8(at + 2)];
  const version = (two >> 3) & 3;
  const layer = 4 - ((two >> 1) & 3);
  const isFirst = version === 3;
  const kilobits = BIT_RATES[isFirst ? layer - 1 : layer === 1 ? 3 : 4]?.[three >> 4] ?? 0;
  const rate = SAMPLE_RATES[(three >> 2) & 3];
  if (kilobits === 0 || rate === undefined || version === 1) return null;
  const hertz = isFirst ? rate : version === 2 ? rate / 2 : rate / 4;
  const padding = (three >> 1) & 1;
  if (layer === 1) return (Math.floor((12_000 * kilobits) / hertz) + padding) * 4;
  const factor = layer === 3 && !isFirst ? 72_000 : 144_000;
  return Math.floor((factor * kilobits) / hertz) + padding;
}
