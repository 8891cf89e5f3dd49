import { deflateSync, inflateSync } from 'node:zlib';
import { AditError, elementAt, type Rational } from '@adit/contracts';

/** Decoder hints beside the facts; names are ffmpeg's. */
export interface PictureHints {
  colorMatrix: string | null;
  colorTransfer: string | null;
  colorPrimaries: string | null;
  pixelFormat: string;
  /** The frames themselves, not only the container, are flagged as interlaced. */
  framesFlagged: boolean;
  /**
   * Reliability of packet times: `stated`; `sparse` when some pictures carry none (MPEG-PS), so that the first times
   * after a seek are guesses; `counted` when the container states decoding times only, so that a picture is known only
   * by counting from the beginning.
   */
  timing: 'stated' | 'sparse' | 'counted';
  /** Some pictures of the stream have a wrong time, which no frame has. */
  misdated?: true;
  /** Step of `inputGuard` that the file needs, where that is not the first. */
  look?: number;
}

/** Point where decoding may start. `dts` is its decoding time in ticks. */
interface SeekPoint {
  pts: number;
  dts: number;
}

/**
 * Points where decoding may start in a film whose pictures are counted: the number of a keyframe, the first byte of its
 * packet and the hash of its pixels, which verifies a start there. Ascending.
 */
export interface SeekTable {
  /** First byte of the first picture's packet; the bytes before it describe the film. */
  bodyStart: number;
  /** Byte behind the last picture's packet. */
  bodyEnd: number;
  frames: number[];
  places: number[];
  hashes: string[];
}

interface FrameIndexParts {
  timeBase: Rational;
  /** pts in ticks of every displayed frame, ascending. */
  pts: Float64Array;
  /** Numbers of the frames that are keyframes, ascending. */
  keyFrames: Uint32Array;
  /** pts of every keyframe packet, ascending, including those hidden by edit lists. */
  seekPts: Float64Array;
  /** Decoding times of those keyframes. */
  seekDts: Float64Array;
  /** End of the last frame, in ticks. */
  endPts: number;
  hints: PictureHints;
  /** Exists for some `counted` films only. */
  seekTable: SeekTable | null;
}

const MAGIC = 'ADFI1';
/** Rounding error of summed times in seconds. */
const CLOCK_SLACK = 1e-6;

/**
 * Positions of all frames of a film's video stream: the source of true frame numbers, of the grid and of samples. Frame
 * `n` is the n-th picture a player shows.
 */
export class FrameIndex {
  readonly timeBase: Rational;
  readonly pts: Float64Array;
  readonly keyFrames: Uint32Array;
  readonly seekPts: Float64Array;
  readonly seekDts: Float64Array;
  readonly endPts: number;
  readonly hints: PictureHints;
  readonly seekTable: SeekTable | null;

  constructor(parts: FrameIndexParts) {
    this.timeBase = parts.timeBase;
    this.pts = parts.pts;
    this.keyFrames = parts.keyFrames;
    this.seekPts = parts.seekPts;
    this.seekDts = parts.seekDts;
    this.endPts = parts.endPts;
    this.hints = parts.hints;
    this.seekTable = parts.seekTable;
  }

  get totalFrames(): number {
    return this.pts.length;
  }

  get startPts(): number {
    return this.pts[0] ?? 0;
  }

  /** Seconds from the first frame's presentation to the last frame's end. */
  get duration(): number {
    return this.seconds(this.endPts);
  }

  /** Returns the pts of frame `frame` in ticks; for the number after the last one, the film's end. */
  ptsOf(frame: number): number {
    const pts = frame === this.pts.length ? this.endPts : this.pts[frame];
    if (pts === undefined) throw new RangeError(`Frame ${frame} of ${this.pts.length}.`);
    return pts;
  }

  /** Seconds from the first frame to `pts`. */
  seconds(pts: number): number {
    return ((pts - this.startPts) * this.timeBase.num) / this.timeBase.den;
  }

  /** Number of the first frame at or after `pts`; totalFrames when there is none. */
  firstAtOrAfter(pts: number): number {
    return firstPlace(this.pts.length, (middle) => !(elementAt(this.pts, middle) < pts));
  }

  /**
   * Returns the number of the frame on display that many seconds after the first one; the first frame before it, the
   * last one after the end.
   */
  shownAt(seconds: number): number {
    const pts = this.startPts + ((seconds + CLOCK_SLACK) * this.timeBase.den) / this.timeBase.num;
    return Math.max(0, countUpTo(this.pts, pts) - 1);
  }

  /** Number of the frame whose pts is closest. */
  nearest(pts: number): number {
    const after = this.firstAtOrAfter(pts);
    if (after === 0) return 0;
    if (after === this.pts.length) return after - 1;
    return this.ptsOf(after) - pts < pts - this.ptsOf(after - 1) ? after : after - 1;
  }

  /** pts of the last keyframe at or before `pts`; the film's first pts when there is none. */
  seekPtsFor(pts: number): number {
    return this.seekPointFor(pts)?.pts ?? this.startPts;
  }

  /** The last seek point at or before `pts`. */
  seekPointFor(pts: number): SeekPoint | undefined {
    const at = countUpTo(this.seekPts, pts) - 1;
    return at < 0 ? undefined : { pts: elementAt(this.seekPts, at), dts: elementAt(this.seekDts, at) };
  }

  /** The same frames, one each millisecond: a clock that only counts them. */
  counted(): FrameIndex {
    const pts = Float64Array.from(this.pts.keys());
    return new FrameIndex({ ...this, pts, endPts: pts.length, timeBase: { num: 1, den: 1000 } });
  }

  /** Serialises to a compact form: deflated differences. A constant frame rate takes a few bytes. */
  encode(): Buffer {
    const header = {
      timeBase: this.timeBase,
      frames: this.pts.length,
      keys: this.keyFrames.length,
      seeks: this.seekPts.length,
      endPts: this.endPts,
      hints: this.hints,
      seekTable: this.seekTable,
    };
    const json = Buffer.from(JSON.stringify(header));
    const numbers = new Float64Array(this.pts.length + this.keyFrames.length + 2 * this.seekPts.length);
    let at = 0;
    at = putDeltas(numbers, at, this.pts);
    at = putDeltas(numbers, at, this.keyFrames);
    at = putDeltas(numbers, at, this.seekPts);
    putDeltas(numbers, at, this.seekDts);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(json.length);
    const body = deflateSync(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    return Buffer.concat([Buffer.from(MAGIC), length, json, body]);
  }

  /** Deserialises `encode`. Throws MEDIA_INVALID for other bytes. */
  static decode(buffer: Buffer): FrameIndex {
    try {
      if (buffer.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new RangeError('wrong magic');
      const jsonAt = MAGIC.length + 4;
      const bodyAt = jsonAt + buffer.readUInt32BE(MAGIC.length);
      const header: Header = JSON.parse(buffer.toString('utf8', jsonAt, bodyAt));
      const count = header.frames + header.keys + 2 * header.seeks;
      const body = inflateSync(buffer.subarray(bodyAt), { maxOutputLength: Math.max(count * 8, 8) });
      if (body.length !== count * 8) throw new RangeError('wrong length');
      const numbers = new Float64Array(count);
      Buffer.from(numbers.buffer).set(body);
      const pts = sums(numbers.subarray(0, header.frames));
      const keys = sums(numbers.subarray(header.frames, header.frames + header.keys));
      const seekAt = header.frames + header.keys;
      return new FrameIndex({
        timeBase: header.timeBase,
        pts,
        keyFrames: Uint32Array.from(keys),
        seekPts: sums(numbers.subarray(seekAt, seekAt + header.seeks)),
        seekDts: sums(numbers.subarray(seekAt + header.seeks)),
        endPts: header.endPts,
        hints: header.hints,
        // Indexes of earlier versions have no seek table.
        seekTable: header.seekTable ?? null,
      });
    } catch (error) {
      throw new AditError('MEDIA_INVALID', 'Not a frame index.', { cause: error });
    }
  }
}

/** Header of `encode`, in front of the numbers. */
interface Header {
  timeBase: Rational;
  frames: number;
  keys: number;
  seeks: number;
  endPts: number;
  hints: PictureHints;
  seekTable?: SeekTable | null;
}

/** Returns how many of the ascending `values` are at most `limit`. */
export function countUpTo(values: ArrayLike<number>, limit: number): number {
  return firstPlace(values.length, (middle) => !(elementAt(values, middle) <= limit));
}

/** Bisects for the first of `count` places that is `far` enough, as all later ones are; `count` when none is. */
export function firstPlace(count: number, far: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (far(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function putDeltas(target: Float64Array, at: number, values: Iterable<number>): number {
  let previous = 0;
  for (const value of values) {
    target[at++] = value - previous;
    previous = value;
  }
  return at;
}

function sums(deltas: Float64Array): Float64Array {
  let value = 0;
  return deltas.map((delta) => (value += delta));
}
