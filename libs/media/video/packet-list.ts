import { AditError, dropOldest, type Rational } from '@adit/contracts';
import { ClockOutliers, IN_LINE_SECONDS } from './clock-outliers.js';
import { field, number } from '../ffmpeg/compact-line.js';
import type { HeadFrames } from '../ffmpeg/head-frames.js';
import { NumberList } from '../ffmpeg/number-list.js';

/** Fields that ffprobe reports for each packet of a stream. */
export const PACKET_ENTRIES = 'packet=pts,dts,duration,size,pos,flags';

/**
 * Largest valid distance between a picture's time and its decoding time: seconds, or pictures where those are longer.
 */
const MAX_REORDERING = { seconds: 10, pictures: 32 };
/**
 * Ticks after which the clock of MPEG streams wraps (ISO/IEC 13818-1: 33 bits). ffmpeg takes a jump back for a wrap and
 * adds them; a jump over more than half of them was one back.
 */
export const MPEG_CLOCK = 2 ** 33;
/** A picture's second packet stands alone; this many in a row without a picture mean that the film is damaged. */
const HOLE = 3;

export interface FrameList {
  /** Ticks, ascending. */
  pts: Float64Array;
  keyFrames: Uint32Array;
  /** Ticks; 0 when unknown. */
  lastDuration: number;
}

/** Packets at which decoding may start, in the order of the file; byte positions, -1 where unknown. */
export interface KeyPackets {
  pts: Float64Array;
  dts: Float64Array;
  places: Float64Array;
}

/** A packet as ffprobe reports it; NaN where a field is missing. */
interface Packet {
  pts: number;
  dts: number;
  duration: number;
  place: number;
  key: boolean;
  discarded: boolean;
}

/** A reference picture whose packet states no presentation time. */
interface Unstated {
  dts: number;
  key: boolean;
  place: number;
}

/** Collects the pictures that the packets of a video stream announce, in the order of the file. */
export class PacketList {
  private readonly pts = new NumberList();
  private readonly durations = new Map<number, number>();
  private readonly keys = new NumberList();
  private readonly keyPts = new NumberList();
  private readonly keyDts = new NumberList();
  private readonly keyPlaces = new NumberList();
  private readonly order = new NumberList();
  private unstated: Unstated | null = null;
  private missing = 0;
  private lost = 0;
  private misdated = 0;
  private count = 0;
  private reordered = false;
  private startedAtKey = false;
  private lastDts = -Infinity;
  private lastDuration = 0;
  private latestPts = -Infinity;
  private first = Infinity;
  private end = 0;
  private readonly second: number;
  private readonly clock: ClockOutliers<Packet>;

  constructor(
    timeBase: Rational,
    /** True for the clock of an MPEG stream, which may be wrong here and there in a damaged stream. */
    private readonly isMpegClock: boolean,
    /** Throws when there are more packets than a film of its size, or any film, may have. */
    private readonly checkCount: (packets: number) => void,
    /** Keeps the decoding time of every packet, for films whose pictures may have to be counted. */
    private readonly keepsOrder = false,
  ) {
    this.second = timeBase.den / timeBase.num;
    this.clock = new ClockOutliers(this.second, MPEG_CLOCK, {
      inLine: (packet, dts) => this.take(packet, dts),
      // The presentation time of the picture may still be right.
      outlier: (packet, clock) => {
        this.misdated++;
        this.take({ ...packet, dts: NaN }, clock);
      },
      back: (ticks) => this.refuseJump(ticks),
    });
  }

  /** True when some pictures' times had to be derived. */
  get someMissed(): boolean {
    return this.missing > 0;
  }

  /** True when some pictures of an MPEG stream have, or may have, a wrong time; a missing one counts as damaged. */
  get someMisdated(): boolean {
    return this.isMpegClock && this.misdated + this.lost > 0;
  }

  /** True when every picture is shown when it is decoded. */
  get inDecodingOrder(): boolean {
    return this.missing === 0 && !this.reordered;
  }

  /** Ticks between two packets; 0 when unknown. */
  get duration(): number {
    return this.lastDuration;
  }

  /** Bytes of the file from the first packet's to the last one's end. */
  get extent(): { first: number; end: number } {
    return { first: this.first, end: this.end };
  }

  /** The latest time of a picture so far, in ticks. */
  get latest(): number {
    return this.latestPts;
  }

  /** Takes one line of ffprobe's compact writer. */
  add(line: string): void {
    const flags = field(line, 'flags');
    if (flags === undefined) return;
    this.checkCount(++this.count);
    const dts = number(field(line, 'dts'));
    if (this.keepsOrder) this.order.push(dts);
    const place = this.notePlace(number(field(line, 'pos')), number(field(line, 'size')));
    const packet: Packet = {
      pts: number(field(line, 'pts')),
      dts,
      duration: number(field(line, 'duration')),
      place,
      key: flags.includes('K'),
      discarded: flags.includes('D'),
    };
    if (this.isMpegClock) return this.clock.add(packet, dts);
    // Other containers list times in an index, which is right or wrong as a whole.
    if (this.lastDts - dts > IN_LINE_SECONDS * this.second) this.refuseJump(this.lastDts - dts);
    this.take(packet, dts);
  }

  /** Takes a packet whose decoding time is right, about `clock`, or unknown. */
  private take({ pts, dts, duration, place, key, discarded }: Packet, clock: number): void {
    if (!Number.isNaN(dts)) this.lastDts = Math.max(this.lastDts, dts);
    if (duration > 0) this.lastDuration = duration;
    if (key) this.startedAtKey = true;
    const hidden = discarded || !this.startedAtKey;
    if (Number.isNaN(pts)) {
      if (hidden) return;
      this.missing++;
      if (!Number.isNaN(dts)) return this.resolveUnstated(dts, { dts, key, place });
      this.lost++;
      if (key) this.noteKey(NaN, NaN, place);
      return;
    }
    if (this.isMisplaced(pts, Number.isNaN(clock) ? this.lastDts : clock)) {
      this.misdated++;
      return;
    }
    if (pts !== dts) this.reordered = true;
    // MPEG-2 (ISO/IEC 13818-1, 2.7.5): a reference picture is shown when the next one is decoded.
    if (pts > dts) this.resolveUnstated(dts, null);
    if (key) this.noteKey(pts, Number.isNaN(dts) ? pts : dts, place);
    if (!hidden) this.keep(pts, key, duration);
  }

  private isMisplaced(pts: number, clock: number): boolean {
    if (!this.isMpegClock || clock === -Infinity) return false;
    const { seconds, pictures } = MAX_REORDERING;
    return Math.abs(pts - clock) > Math.max(seconds * this.second, pictures * this.lastDuration);
  }

  /** Call after the last packet. */
  finish(): void {
    this.clock.finish();
    this.resolveUnstated(this.lastDts + this.lastDuration, null);
  }

  /** Tests whether the decoded pictures are those that the packets announce, except for damaged parts. */
  agreesWith(head: HeadFrames): boolean {
    if (this.lost > 0 || this.pts.length === 0 || head.pts.length === 0) return false;
    const { shown, announced } = this.compare(head);
    if (!shown.every((pts) => announced.has(pts))) return false;
    return announced.size - lostInARow(shown, announced) <= shown.length * 1.25 + 1;
  }

  isExactly(head: HeadFrames): boolean {
    const { shown, announced } = this.compare(head);
    return shown.length === announced.size && new Set(shown).size === shown.length;
  }

  /** @param first pts of the first decoded picture; earlier ones are no frames. */
  frames(first: number = -Infinity): FrameList {
    const sorted = this.pts.sorted();
    let count = 0;
    for (const value of sorted) {
      if (value < first || (count > 0 && sorted[count - 1] === value)) continue;
      sorted[count++] = value;
    }
    const pts = sorted.slice(0, count);
    const lastDuration = this.durations.get(pts.at(-1) ?? NaN) ?? 0;
    return { pts, keyFrames: keyFramesAmong(pts, this.keys.sorted()), lastDuration };
  }

  /** Returns them in the order of the file, including those without a time. */
  keyPackets(): KeyPackets {
    return { pts: this.keyPts.view(), dts: this.keyDts.view(), places: this.keyPlaces.view() };
  }

  /** Returns the decoding times of all packets in the order of the file; NaN where one has none. */
  decodingTimes(): Float64Array {
    return this.order.view();
  }

  private compare(head: HeadFrames): { shown: number[]; announced: Set<number> } {
    // Without decoded pictures nothing counts as announced, since comparisons with NaN are false.
    const first = head.pts[0] ?? NaN;
    // The last pictures of the head may be missing because their packets were not read.
    const last = head.pts[Math.floor(head.pts.length * 0.8)] ?? NaN;
    const announced = new Set<number>();
    for (const pts of this.pts.view()) if (pts >= first && pts <= last) announced.add(pts);
    return { shown: head.pts.filter((pts) => pts <= last), announced };
  }

  private resolveUnstated(pts: number, next: Unstated | null): void {
    if (this.unstated) {
      const { dts, key, place } = this.unstated;
      if (key) this.noteKey(pts, dts, place);
      this.keep(pts, key, 0);
    }
    this.unstated = next;
  }

  private keep(pts: number, key: boolean, duration: number): void {
    this.pts.push(pts);
    this.latestPts = Math.max(this.latestPts, pts);
    if (key) this.keys.push(pts);
    if (!(duration > 0)) return;
    // Only the last frame's duration is used, and it is among the last few packets.
    this.durations.set(pts, duration);
    dropOldest(this.durations, 64);
  }

  private noteKey(pts: number, dts: number, place: number): void {
    this.keyPts.push(pts);
    this.keyDts.push(dts);
    this.keyPlaces.push(place);
  }

  private notePlace(place: number, size: number): number {
    if (Number.isNaN(place)) return -1;
    this.first = Math.min(this.first, place);
    this.end = Math.max(this.end, place + (Number.isNaN(size) ? 0 : size));
    return place;
  }

  private refuseJump(ticks: number): never {
    const back = ticks / this.second;
    throw new AditError(
      'MEDIA_INVALID',
      `Timestamps jump back by ${back.toFixed(1)} s within the film (joined recordings?): rewrite it with continuous timestamps, or mine its parts.`,
    );
  }
}

/** Returns the numbers of the frames whose time is among `keys`; both ascending. */
export function keyFramesAmong(pts: Float64Array, keys: Float64Array): Uint32Array {
  const numbers = new NumberList();
  let next = 0;
  for (const [frame, time] of pts.entries()) {
    while ((keys[next] ?? Infinity) < time) next++;
    if (keys[next] === time) numbers.push(frame);
  }
  return Uint32Array.from(numbers.view());
}

/** Returns how many announced pictures lie in holes: `HOLE` or more in a row that decoding does not show. */
function lostInARow(shown: readonly number[], announced: ReadonlySet<number>): number {
  const seen = new Set(shown);
  let lost = 0;
  let row = 0;
  for (const pts of Float64Array.from(announced).sort()) {
    row = seen.has(pts) ? 0 : row + 1;
    if (row === HOLE) lost += HOLE;
    else if (row > HOLE) lost++;
  }
  return lost;
}
