import { AditError, type Rational } from '@adit/contracts';
import { probeLines, type ProbeRun } from './ffprobe.js';
import { FrameIndex, type PictureHints, type SeekPoint } from './frame-index.js';

/** What decoding the first pictures shows: pts that a player shows, and whether they are interlaced. */
export interface HeadFrames {
  /** Ascending, in ticks. */
  pts: number[];
  interlaced: boolean;
}

const HEAD_PACKETS = 90;
/** An edit list hides the pictures between a keyframe and the cut, which may be all of the head. */
const HEAD_PACKETS_BEHIND_A_CUT = 15_000;
/** A day at 240 frames a second; beyond it a file is lying. */
const MAX_FRAMES = 20_736_000;
/** A jump back in decoding time that reordering cannot explain, in seconds. */
const BACKWARDS_SECONDS = 1;

/** Decodes the first pictures of a stream; none where nothing of its beginning can be decoded. */
export async function readHead(path: string, stream: number, options: ProbeRun): Promise<HeadFrames> {
  const head = await decodeFirst(HEAD_PACKETS, path, stream, options);
  return head.pts.length > 0 ? head : await decodeFirst(HEAD_PACKETS_BEHIND_A_CUT, path, stream, options);
}

async function decodeFirst(packets: number, path: string, stream: number, options: ProbeRun): Promise<HeadFrames> {
  const pts: number[] = [];
  let interlaced = 0;
  await probeLines(
    path,
    [
      '-select_streams',
      String(stream),
      '-read_intervals',
      `%+#${packets}`,
      '-show_entries',
      'frame=best_effort_timestamp,interlaced_frame',
      '-of',
      'compact=p=0',
    ],
    (line) => {
      const value = Number(/best_effort_timestamp=(-?\d+)/.exec(line)?.[1] ?? NaN);
      if (!Number.isNaN(value)) pts.push(value);
      if (line.includes('interlaced_frame=1')) interlaced++;
    },
    options,
  );
  pts.sort((a, b) => a - b);
  return { pts, interlaced: interlaced * 2 > pts.length };
}

/**
 * Reads where every frame lies from the packets alone (demux, no decoding). Packets that an edit list hides, and those
 * before the first picture that can be decoded, are no frames. Where the packets don't bear out what decoding shows
 * (two packets a picture, times missing altogether), the whole stream is decoded instead: slow, and right.
 */
export async function indexFrames(
  path: string,
  stream: { index: number; timeBase: Rational; container: string },
  head: HeadFrames,
  hints: Omit<PictureHints, 'timing'>,
  options: ProbeRun,
): Promise<FrameIndex> {
  const { timeBase } = stream;
  const packets = new PacketList(timeBase);
  await probeLines(
    path,
    ['-select_streams', String(stream.index), '-show_entries', 'packet=pts,dts,duration,flags', '-of', 'compact=p=0'],
    (line) => packets.add(line),
    options,
  );
  packets.finish();
  let timing: PictureHints['timing'] = packets.someMissed ? 'sparse' : 'stated';
  let frames: FrameList;
  if (/mxf/.test(stream.container) && packets.inDecodingOrder && !packets.isExactly(head)) {
    // Reordered pictures in a container whose index says nothing of their order.
    timing = 'counted';
    frames = packets.frames();
  } else if (packets.agreesWith(head)) {
    frames = packets.frames(head.pts[0]);
  } else {
    frames = await decodedFrames(path, stream.index, options);
  }
  if (frames.pts.length === 0) throw new AditError('MEDIA_INVALID', 'The video stream holds no frames.');
  const step = frames.lastDuration || medianStep(frames.pts);
  return new FrameIndex({
    timeBase,
    pts: frames.pts,
    keyFrames: frames.keyFrames,
    seekPoints: packets.seekPoints(),
    endPts: (frames.pts.at(-1) as number) + Math.max(step, 1),
    hints: { ...hints, timing },
  });
}

interface FrameList {
  pts: Float64Array;
  keyFrames: Uint32Array;
  /** Ticks; 0 when unknown. */
  lastDuration: number;
}

/** A second packet of a picture stands alone; where so many in a row show nothing, the film is damaged. */
const HOLE = 3;

/** How many of the announced pictures lie in holes: `HOLE` or more in a row that decoding doesn't show. */
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

/** Median distance of neighbouring frames in ticks; 0 for fewer than two. */
export function medianStep(pts: ArrayLike<number>): number {
  if (pts.length < 2) return 0;
  const steps = new Float64Array(pts.length - 1);
  for (let i = 1; i < pts.length; i++) steps[i - 1] = (pts[i] as number) - (pts[i - 1] as number);
  steps.sort();
  return steps[steps.length >> 1] as number;
}

/** A reference picture whose packet states no presentation time. */
interface Unstated {
  dts: number;
  key: boolean;
}

class PacketList {
  private readonly pts: number[] = [];
  private readonly durations = new Map<number, number>();
  private readonly keys = new Set<number>();
  private readonly seeks: SeekPoint[] = [];
  private unstated: Unstated | null = null;
  private missing = 0;
  private lost = 0;
  private reordered = false;
  private startedAtKey = false;
  private lastDts = -Infinity;
  private lastDuration = 0;

  constructor(private readonly timeBase: Rational) {}

  /** Whether some pictures' times had to be worked out. */
  get someMissed(): boolean {
    return this.missing > 0;
  }

  /** Whether every picture is said to be shown when it is decoded. */
  get inDecodingOrder(): boolean {
    return this.missing === 0 && !this.reordered;
  }

  add(line: string): void {
    const flags = field(line, 'flags') ?? '';
    const pts = number(field(line, 'pts'));
    const dts = number(field(line, 'dts'));
    const duration = number(field(line, 'duration'));
    const key = flags.includes('K');
    if (!Number.isNaN(dts)) this.noteDecodingTime(dts);
    if (duration > 0) this.lastDuration = duration;
    if (key) this.startedAtKey = true;
    const hidden = flags.includes('D') || !this.startedAtKey;
    if (Number.isNaN(pts)) {
      if (hidden) return;
      this.missing++;
      if (Number.isNaN(dts)) this.lost++;
      else this.resolveUnstated(dts, { dts, key });
      return;
    }
    if (pts !== dts) this.reordered = true;
    // MPEG-2 (ISO/IEC 13818-1, 2.7.5): a reference picture is shown when the next one is decoded.
    if (pts > dts) this.resolveUnstated(dts, null);
    if (key) this.seeks.push({ pts, dts: Number.isNaN(dts) ? pts : dts });
    if (!hidden) this.keep(pts, key, duration);
  }

  /** To be called after the last packet. */
  finish(): void {
    this.resolveUnstated(this.lastDts + this.lastDuration, null);
    this.seeks.sort((a, b) => a.pts - b.pts);
  }

  /** Whether the pictures that decoding showed are the ones that the packets announce, but for those of damaged parts. */
  agreesWith(head: HeadFrames): boolean {
    if (this.lost > 0 || this.pts.length === 0) return false;
    const { shown, announced } = this.compare(head);
    if (!shown.every((pts) => announced.has(pts))) return false;
    return announced.size - lostInARow(shown, announced) <= shown.length * 1.25 + 1;
  }

  isExactly(head: HeadFrames): boolean {
    const { shown, announced } = this.compare(head);
    return shown.length === announced.size && new Set(shown).size === shown.length;
  }

  /** @param first pts of the first picture that decoding shows; those before it are no frames. */
  frames(first: number = -Infinity): FrameList {
    const sorted = Float64Array.from(this.pts).sort();
    let count = 0;
    for (const value of sorted) {
      if (value < first || (count > 0 && sorted[count - 1] === value)) continue;
      sorted[count++] = value;
    }
    const pts = sorted.slice(0, count);
    const keyFrames: number[] = [];
    for (let frame = 0; frame < count; frame++) if (this.keys.has(pts[frame] as number)) keyFrames.push(frame);
    return {
      pts,
      keyFrames: Uint32Array.from(keyFrames),
      lastDuration: this.durations.get(pts[count - 1] as number) ?? 0,
    };
  }

  seekPoints(): SeekPoint[] {
    return this.seeks;
  }

  private compare(head: HeadFrames): { shown: number[]; announced: Set<number> } {
    const first = head.pts[0] as number;
    // The last pictures of the head may be missing: their packets were not read.
    const last = head.pts[Math.floor(head.pts.length * 0.8)] as number;
    return {
      shown: head.pts.filter((pts) => pts <= last),
      announced: new Set(this.pts.filter((pts) => pts >= first && pts <= last)),
    };
  }

  private resolveUnstated(pts: number, next: Unstated | null): void {
    if (this.unstated) {
      const { dts, key } = this.unstated;
      if (key) this.seeks.push({ pts, dts });
      this.keep(pts, key, 0);
    }
    this.unstated = next;
  }

  private keep(pts: number, key: boolean, duration: number): void {
    if (this.pts.length >= MAX_FRAMES) {
      throw new AditError('MEDIA_INVALID', `The film has more than ${MAX_FRAMES} frames.`);
    }
    this.pts.push(pts);
    if (key) this.keys.add(pts);
    if (!(duration > 0)) return;
    // Only the last frame's duration is ever used, and it is among the last few packets.
    this.durations.set(pts, duration);
    if (this.durations.size > 64) this.durations.delete(this.durations.keys().next().value as number);
  }

  private noteDecodingTime(dts: number): void {
    const back = ((this.lastDts - dts) * this.timeBase.num) / this.timeBase.den;
    if (back > BACKWARDS_SECONDS) {
      throw new AditError(
        'MEDIA_INVALID',
        `Timestamps jump back by ${back.toFixed(1)} s within the film (joined recordings?): rewrite it with continuous timestamps, or mine its parts.`,
      );
    }
    this.lastDts = Math.max(this.lastDts, dts);
  }
}

async function decodedFrames(path: string, stream: number, options: ProbeRun): Promise<FrameList> {
  const pts: number[] = [];
  const keys = new Set<number>();
  await probeLines(
    path,
    ['-select_streams', String(stream), '-show_entries', 'frame=best_effort_timestamp,key_frame', '-of', 'compact=p=0'],
    (line) => {
      const value = number(field(line, 'best_effort_timestamp'));
      if (Number.isNaN(value)) return;
      pts.push(value);
      if (line.includes('key_frame=1')) keys.add(value);
      if (pts.length > MAX_FRAMES) throw new AditError('MEDIA_INVALID', `The film has more than ${MAX_FRAMES} frames.`);
    },
    // Decoding everything takes a share of the film's duration.
    { ...options, timeoutSeconds: (options.timeoutSeconds ?? 300) * 12 },
  );
  const sorted = Float64Array.from(new Set(pts)).sort();
  const keyFrames: number[] = [];
  sorted.forEach((value, frame) => keys.has(value) && keyFrames.push(frame));
  return { pts: sorted, keyFrames: Uint32Array.from(keyFrames), lastDuration: 0 };
}

/** Value of `name=value` in a line of ffprobe's compact writer. */
function field(line: string, name: string): string | undefined {
  let at = line.startsWith(`${name}=`) ? 0 : line.indexOf(`|${name}=`);
  if (at < 0) return undefined;
  at = line.indexOf('=', at) + 1;
  const end = line.indexOf('|', at);
  return end < 0 ? line.slice(at) : line.slice(at, end);
}

function number(text: string | undefined): number {
  return text === undefined || !/^-?\d+$/.test(text) ? NaN : Number(text);
}
