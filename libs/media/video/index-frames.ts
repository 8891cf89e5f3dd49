import { AditError, elementAt, type Rational, zip } from '@adit/contracts';
import { ClockOutliers } from './clock-outliers.js';
import { countFrames } from './counted-frames.js';
import { probeLines, type ProbeRun } from '../ffmpeg/ffprobe.js';
import { checkSeconds, type FilmLimits } from '../film-limits.js';
import { FrameIndex, type PictureHints } from './frame-index.js';
import { medianStep } from './frame-rate.js';
import type { HeadFrames } from '../ffmpeg/head-frames.js';
import { NumberList } from '../ffmpeg/number-list.js';
import { field, number } from '../ffmpeg/compact-line.js';
import {
  keyFramesAmong,
  MPEG_CLOCK,
  PACKET_ENTRIES,
  PacketList,
  type FrameList,
  type KeyPackets,
} from './packet-list.js';

export interface IndexedStream {
  index: number;
  timeBase: Rational;
  container: string;
  /** Throws when the film has more packets or pictures than allowed. */
  checkCount: (count: number) => void;
  limits: FilmLimits;
  /** Runs decoding work once there is memory for it. */
  decoding: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Lists the packets of a stream without decoding. `heading` are the decoded first pictures, which show whether packet
 * times are picture times.
 */
export async function listPackets(
  path: string,
  stream: IndexedStream,
  heading: Promise<HeadFrames>,
  options: ProbeRun,
): Promise<PacketList> {
  const { timeBase, index } = stream;
  const packets = new PacketList(timeBase, isOnMpegClock(stream), stream.checkCount);
  let checkReach = (): void => undefined;
  heading.then(
    (head) => (checkReach = reachCheck(packets, stream, head)),
    () => undefined,
  );
  await probeLines(
    path,
    ['-select_streams', String(index), '-show_entries', PACKET_ENTRIES, '-of', 'compact=p=0'],
    (line) => {
      packets.add(line);
      checkReach();
    },
    options,
  );
  packets.finish();
  return packets;
}

function isOnMpegClock({ timeBase, container }: IndexedStream): boolean {
  return /mpeg/.test(container) && timeBase.den === 90_000;
}

/**
 * Reads the position of every frame from the packets alone (demux, no decoding). Packets hidden by an edit list, and
 * those before the first picture that can be decoded, are no frames. Where the packets contradict the decoded pictures
 * (two packets per picture, missing times, a seek that ends elsewhere), the whole stream is decoded instead, which is
 * slow and exact.
 */
export async function indexFrames(
  path: string,
  stream: IndexedStream,
  { head, packets, hints }: { head: HeadFrames; packets: PacketList; hints: Omit<PictureHints, 'timing'> },
  options: ProbeRun,
): Promise<FrameIndex> {
  if (await mustBeCounted(path, stream, packets, head, options)) {
    return countedIndex(path, stream, packets, hints, options);
  }
  const frames = packets.agreesWith(head)
    ? packets.frames(head.pts[0])
    : await stream.decoding(() => decodedFrames(path, stream, options));
  return statedIndex(stream.timeBase, packets, frames, hints);
}

/**
 * Returns a check of a film's length while its packets, possibly millions, are still listed; it throws TOO_LARGE. It
 * applies only where packet times are picture times, as `indexFrames` verifies at the end.
 */
function reachCheck(packets: PacketList, { timeBase, limits, container }: IndexedStream, head: HeadFrames): () => void {
  const first = head.pts[0] ?? NaN;
  let isTold = /mxf/.test(container);
  return () => {
    const seconds = ((packets.latest - first) * timeBase.num) / timeBase.den;
    if (isTold || !(seconds > limits.maxFilmSeconds)) return;
    isTold = true;
    if (packets.agreesWith(head)) checkSeconds(seconds, limits);
  };
}

/** Returns the index of a film whose pictures have times. Throws MEDIA_INVALID when there are none. */
export function statedIndex(
  timeBase: Rational,
  packets: PacketList,
  frames: FrameList,
  hints: Omit<PictureHints, 'timing'>,
): FrameIndex {
  if (frames.pts.length === 0) throw new AditError('MEDIA_INVALID', 'The video stream holds no frames.');
  const step = frames.lastDuration || medianStep(frames.pts);
  return new FrameIndex({
    timeBase,
    pts: frames.pts,
    keyFrames: frames.keyFrames,
    ...seekPoints(packets.keyPackets()),
    endPts: elementAt(frames.pts, -1) + Math.max(step, 1),
    hints: {
      ...hints,
      timing: packets.someMissed ? 'sparse' : 'stated',
      ...(packets.someMisdated && { misdated: true }),
    },
    seekTable: null,
  });
}

/**
 * Tests whether pictures are known only by counting from the beginning. In MXF times come from the index: without one,
 * or with one that does not state the order of pictures, times and seeks are guesses.
 */
async function mustBeCounted(
  path: string,
  stream: IndexedStream,
  packets: PacketList,
  head: HeadFrames,
  options: ProbeRun,
): Promise<boolean> {
  if (!/mxf/.test(stream.container)) return false;
  if (packets.someMissed || head.pts.length < head.count) return true;
  if (packets.inDecodingOrder && !packets.isExactly(head)) return true;
  return !(await seeksWell(path, stream, packets.keyPackets(), options));
}

/** Tests whether a seek to a keyframe far from the beginning ends at one, with the time found by reading everything. */
async function seeksWell(
  path: string,
  { index, timeBase: { num, den } }: IndexedStream,
  keys: KeyPackets,
  options: ProbeRun,
): Promise<boolean> {
  const at = Math.floor(keys.dts.length * 0.75);
  const [time, first] = [keys.dts[at], keys.dts[0]];
  if (time === undefined || first === undefined || time === first) return true;
  const knownAt = new Map(zip(keys.places, keys.dts));
  let isRight = false;
  await probeLines(
    path,
    [
      ...['-select_streams', String(index), '-read_intervals', `${((time * num) / den).toFixed(6)}%+#1`],
      ...['-show_entries', 'packet=dts,pos', '-of', 'compact=p=0'],
    ],
    (line) => {
      const place = field(line, 'pos');
      if (place !== undefined) isRight = knownAt.get(number(place)) === number(field(line, 'dts'));
    },
    options,
  );
  return isRight;
}

async function countedIndex(
  path: string,
  { index, timeBase, decoding }: IndexedStream,
  packets: PacketList,
  hints: Omit<PictureHints, 'timing'>,
  options: ProbeRun,
): Promise<FrameIndex> {
  const { totalFrames, keyFrames, seekTable } = await decoding(() => countFrames(path, index, packets, options));
  const step = Math.max(packets.duration, 1);
  const pts = new Float64Array(totalFrames);
  for (let frame = 0; frame < totalFrames; frame++) pts[frame] = frame * step;
  const keyPts = Float64Array.from(keyFrames, (frame) => frame * step);
  return new FrameIndex({
    timeBase,
    pts,
    keyFrames,
    seekPts: keyPts,
    seekDts: keyPts,
    endPts: totalFrames * step,
    hints: { ...hints, timing: 'counted' },
    seekTable,
  });
}

/** Returns the times of packets at which decoding may start, by ascending pts, without those that have none. */
function seekPoints({ pts, dts }: KeyPackets): { seekPts: Float64Array; seekDts: Float64Array } {
  const order = Uint32Array.from(pts.keys())
    .filter((i) => !Number.isNaN(pts[i]))
    .sort((a, b) => elementAt(pts, a) - elementAt(pts, b) || a - b);
  return {
    seekPts: Float64Array.from(order, (i) => elementAt(pts, i)),
    seekDts: Float64Array.from(order, (i) => elementAt(dts, i)),
  };
}

async function decodedFrames(path: string, stream: IndexedStream, options: ProbeRun): Promise<FrameList> {
  const times = new NumberList();
  const keys = new NumberList();
  const take = ({ time, key }: { time: number; key: boolean }): void => {
    times.push(time);
    if (key) keys.push(time);
    stream.checkCount(times.length);
  };
  // Wrong times of a damaged stream belong to no picture. Its packets have shown whether its clock jumps back.
  const clock = new ClockOutliers<Parameters<typeof take>[0]>(stream.timeBase.den / stream.timeBase.num, MPEG_CLOCK, {
    inLine: take,
    outlier: () => undefined,
    back: () => undefined,
  });
  const isMpeg = isOnMpegClock(stream);
  await probeLines(
    path,
    [
      '-select_streams',
      String(stream.index),
      '-show_entries',
      'frame=best_effort_timestamp,key_frame',
      '-of',
      'compact=p=0',
    ],
    (line) => {
      const time = number(field(line, 'best_effort_timestamp'));
      if (Number.isNaN(time)) return;
      const frame = { time, key: line.includes('key_frame=1') };
      if (isMpeg) clock.add(frame, time);
      else take(frame);
    },
    // Decoding everything takes a share of the film's duration.
    { ...options, timeoutSeconds: (options.timeoutSeconds ?? 300) * 12 },
  );
  clock.finish();
  const pts = times.sorted().filter((value, i, sorted) => i === 0 || sorted[i - 1] !== value);
  return { pts, keyFrames: keyFramesAmong(pts, keys.sorted()), lastDuration: 0 };
}
