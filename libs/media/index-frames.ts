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
/** A day at 240 frames a second; beyond it a file is lying. */
const MAX_FRAMES = 20_736_000;
/** A jump back in decoding time that reordering cannot explain, in seconds. */
const BACKWARDS_SECONDS = 1;

/** Decodes the first pictures of a stream. */
export async function readHead(path: string, stream: number, options: ProbeRun): Promise<HeadFrames> {
  const pts: number[] = [];
  let interlaced = 0;
  await probeLines(
    path,
    [
      '-select_streams',
      String(stream),
      '-read_intervals',
      `%+#${HEAD_PACKETS}`,
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
 * before the first picture that can be decoded, are no frames. Where packets carry no usable pts, or one picture takes
 * two packets (fields), the whole stream is decoded instead: slow, and right.
 */
export async function indexFrames(
  path: string,
  stream: number,
  timeBase: Rational,
  head: HeadFrames,
  hints: PictureHints,
  options: ProbeRun,
): Promise<FrameIndex> {
  const packets = new PacketList(timeBase);
  await probeLines(
    path,
    ['-select_streams', String(stream), '-show_entries', 'packet=pts,dts,duration,flags', '-of', 'compact=p=0:nk=0'],
    (line) => packets.add(line),
    options,
  );
  const frames = packets.agreesWith(head) ? packets.frames(head) : await decodedFrames(path, stream, options);
  if (frames.pts.length === 0) throw new AditError('MEDIA_INVALID', 'The video stream holds no frames.');
  const step = frames.lastDuration || medianStep(frames.pts);
  return new FrameIndex({
    timeBase,
    pts: frames.pts,
    keyFrames: frames.keyFrames,
    seekPoints: packets.seekPoints(),
    endPts: (frames.pts.at(-1) as number) + Math.max(step, 1),
    hints,
  });
}

interface FrameList {
  pts: Float64Array;
  keyFrames: Uint32Array;
  /** Ticks; 0 when unknown. */
  lastDuration: number;
}

/** Median distance of neighbouring frames in ticks; 0 for fewer than two. */
export function medianStep(pts: ArrayLike<number>): number {
  if (pts.length < 2) return 0;
  const steps = new Float64Array(pts.length - 1);
  for (let i = 1; i < pts.length; i++) steps[i - 1] = (pts[i] as number) - (pts[i - 1] as number);
  steps.sort();
  return steps[steps.length >> 1] as number;
}

class PacketList {
  private readonly pts: number[] = [];
  private readonly durations = new Map<number, number>();
  private readonly keys = new Set<number>();
  private readonly seeks: SeekPoint[] = [];
  private missing = 0;
  private startedAtKey = false;
  private lastDts = -Infinity;

  constructor(private readonly timeBase: Rational) {}

  add(line: string): void {
    const flags = field(line, 'flags') ?? '';
    const pts = number(field(line, 'pts'));
    const dts = number(field(line, 'dts'));
    const key = flags.includes('K');
    if (!Number.isNaN(dts)) {
      const back = ((this.lastDts - dts) * this.timeBase.num) / this.timeBase.den;
      if (back > BACKWARDS_SECONDS) {
        throw new AditError(
          'MEDIA_INVALID',
          `Timestamps jump back by ${back.toFixed(1)} s within the film (joined recordings?): rewrite it with continuous timestamps, or mine its parts.`,
        );
      }
      this.lastDts = Math.max(this.lastDts, dts);
    }
    if (key) {
      const at = Number.isNaN(pts) ? dts : pts;
      if (!Number.isNaN(at)) this.seeks.push({ pts: at, dts: Number.isNaN(dts) ? at : dts });
      this.startedAtKey = true;
    }
    if (flags.includes('D') || !this.startedAtKey) return;
    if (Number.isNaN(pts)) {
      this.missing++;
      return;
    }
    if (this.pts.length >= MAX_FRAMES) {
      throw new AditError('MEDIA_INVALID', `The film has more than ${MAX_FRAMES} frames.`);
    }
    this.pts.push(pts);
    if (key) this.keys.add(pts);
    const duration = number(field(line, 'duration'));
    // Only the last frame's duration is ever used, and it is among the last few packets.
    if (duration > 0) {
      this.durations.set(pts, duration);
      if (this.durations.size > 64) this.durations.delete(this.durations.keys().next().value as number);
    }
  }

  /** Whether the pictures that decoding showed are the ones that the packets announce. */
  agreesWith(head: HeadFrames): boolean {
    if (this.missing > 0 || this.pts.length === 0) return false;
    const first = head.pts[0];
    // The last pictures of the head may be missing: their packets were not read.
    const last = head.pts[Math.floor(head.pts.length * 0.8)];
    if (first === undefined || last === undefined) return true;
    const announced = new Set(this.pts.filter((pts) => pts >= first && pts <= last));
    const shown = head.pts.filter((pts) => pts <= last);
    return shown.every((pts) => announced.has(pts)) && announced.size <= shown.length * 1.25 + 1;
  }

  frames(head: HeadFrames): FrameList {
    const first = head.pts[0] ?? -Infinity;
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
    return this.seeks.sort((a, b) => a.pts - b.pts);
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
