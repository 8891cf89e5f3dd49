import { AditError } from '@adit/contracts';

/** A box of an MP4, with its header. */
export interface Box {
  type: string;
  bytes: Buffer;
}

/** Size and type. */
const HEADER_BYTES = 8;

/** Cuts a fragmented MP4 into its boxes while it arrives. */
export class BoxReader {
  private readonly pieces: Buffer[] = [];
  private held = 0;

  /** @param maxBytes - of one box */
  constructor(private readonly maxBytes: number) {}

  /** Adds bytes and yields the boxes that are complete. Throws MEDIA_INVALID for a box that is too large or has no size. */
  *add(piece: Buffer): Generator<Box> {
    this.pieces.push(piece);
    this.held += piece.length;
    while (this.held >= HEADER_BYTES) {
      // Joined only when there is enough: a box comes in many pieces.
      const head = (this.pieces[0]?.length ?? 0) >= HEADER_BYTES ? this.pieces[0] : this.joined();
      const size = head?.readUInt32BE(0) ?? 0;
      if (size < HEADER_BYTES) throw new AditError('MEDIA_INVALID', 'The recording has a box without a size.');
      if (size > this.maxBytes) {
        const most = `${Math.round(this.maxBytes / 2 ** 20)} MiB`;
        throw new AditError('MEDIA_INVALID', `between two keyframes there are more than ${most}.`);
      }
      if (this.held < size) return;
      const whole = this.joined();
      const bytes = whole.subarray(0, size);
      this.pieces[0] = whole.subarray(size);
      this.held -= size;
      yield { type: bytes.toString('latin1', 4, HEADER_BYTES), bytes };
    }
  }

  private joined(): Buffer {
    const [first = Buffer.alloc(0)] = this.pieces;
    if (this.pieces.length === 1) return first;
    const whole = Buffer.concat(this.pieces);
    this.pieces.splice(0, this.pieces.length, whole);
    return whole;
  }
}

/** A track, as the movie header has it. */
export interface Track {
  id: number;
  /** Ticks a second. */
  timescale: number;
}

/** Reads the track of pictures or sound from a `moov`. Throws MEDIA_INVALID where there is none. */
export function trackIn(moov: Buffer, kind: 'vide' | 'soun'): Track {
  for (const trak of children(content(moov), 'trak')) {
    const [mdia] = children(trak, 'mdia');
    const [tkhd] = children(trak, 'tkhd');
    if (mdia === undefined || tkhd === undefined) continue;
    const [hdlr] = children(mdia, 'hdlr');
    const [mdhd] = children(mdia, 'mdhd');
    if (mdhd === undefined || hdlr?.toString('latin1', 8, 12) !== kind) continue;
    return { id: tkhd.readUInt32BE(trackIdAt(tkhd)), timescale: mdhd.readUInt32BE(isLong(mdhd) ? 20 : 12) };
  }
  throw new AditError('MEDIA_INVALID', `The recording has no track of ${kind === 'vide' ? 'pictures' : 'sound'}.`);
}

/** Place of a track's number in its `tkhd`. */
export function trackIdAt(tkhd: Buffer): number {
  return isLong(tkhd) ? 20 : 12;
}

/** Time and length of a track's samples in a fragment, in ticks; null where it has none. */
export function fragmentTimes(moof: Buffer, track: Track): { start: number; length: number } | null {
  for (const traf of children(content(moof), 'traf')) {
    const [tfhd] = children(traf, 'tfhd');
    const [tfdt] = children(traf, 'tfdt');
    if (tfhd === undefined || tfdt === undefined || tfhd.readUInt32BE(4) !== track.id) continue;
    const start = isLong(tfdt) ? Number(tfdt.readBigUInt64BE(4)) : tfdt.readUInt32BE(4);
    const usual = usualDuration(tfhd);
    const length = [...children(traf, 'trun')].reduce((sum, trun) => sum + runLength(trun, usual), 0);
    return { start, length };
  }
  return null;
}

/** Flags of a `tfhd` whose fields lie before the duration of its samples, with their bytes. */
const BEFORE_DURATION = [
  [0x1, 8],
  [0x2, 4],
] as const;

function usualDuration(tfhd: Buffer): number {
  const flags = tfhd.readUInt32BE(0) & 0xffffff;
  if ((flags & 0x8) === 0) return 0;
  return tfhd.readUInt32BE(BEFORE_DURATION.reduce((at, [flag, bytes]) => at + ((flags & flag) === 0 ? 0 : bytes), 8));
}

/** Ticks of the samples of a `trun`. */
function runLength(trun: Buffer, usual: number): number {
  const flags = trun.readUInt32BE(0) & 0xffffff;
  const count = trun.readUInt32BE(4);
  if ((flags & 0x100) === 0) return count * usual;
  let at = 8 + ((flags & 0x1) === 0 ? 0 : 4) + ((flags & 0x4) === 0 ? 0 : 4);
  const step = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length * 4;
  let length = 0;
  for (let i = 0; i < count; i++, at += step) length += trun.readUInt32BE(at);
  return length;
}

/** Tells whether a box that begins with a version has fields of 64 bits. */
export function isLong(box: Buffer): boolean {
  return box.readUInt8(0) === 1;
}

export function content(box: Buffer): Buffer {
  return box.subarray(HEADER_BYTES);
}

/** Contents of the boxes of a type within a box. */
export function* children(inside: Buffer, type: string): Generator<Buffer> {
  for (let at = 0; at + HEADER_BYTES <= inside.length;) {
    const size = inside.readUInt32BE(at);
    if (size < HEADER_BYTES || at + size > inside.length) return;
    if (inside.toString('latin1', at + 4, at + HEADER_BYTES) === type) {
      yield inside.subarray(at + HEADER_BYTES, at + size);
    }
    at += size;
  }
}
