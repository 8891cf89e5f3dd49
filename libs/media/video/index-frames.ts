import { AditError, elementAt, type Rational, zip } from '@adit/contracts';
import { AVI_CHUNK_HEADER } from '../formats/films/avi.js';
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
  codec: string;
  /** Throws when the film has more packets or pictures than allowed. */
  checkCount: (count: number) => void;
  limits: FilmLimits;
  /** Runs decoding work once there is memory for it. */
  decoding: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The decoded first pictures of a stream, all its packets, and the decoder's hints. */
interface ReadStream {
  head: HeadFrames;
  packets: PacketList;
  hints: Omit<PictureHints, 'timing'>;
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
  const packets = new PacketList(timeBase, isOnMpegClock(stream), stream.checkCount, isAvi(stream));
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

/** Tests for a container whose presentation times may be guesses: MXF states them in its index, AVI nowhere. */
function isCountable({ container }: IndexedStream): boolean {
  return /^(mxf|avi)/.test(container);
}

function isAvi({ container }: IndexedStream): boolean {
  return container === 'avi';
}

function isOnMpegClock({ timeBase, container }: IndexedStream): boolean {
  return /mpeg/.test(container) && timeBase.den === 90_000;
}

/**
 * Reads the position of every frame from the packets alone (demux, no decoding). Packets hidden by an edit list, and
 * those before the first picture that can be decoded, are no frames. Where the packets contradict the decoded pictures
 * (two packets per picture, missing times, packets that show nothing), the whole stream is decoded instead, which is
 * slow and exact.
 */
export async function indexFrames(
  path: string,
  stream: IndexedStream,
  { head, packets, hints }: ReadStream,
  options: ProbeRun,
): Promise<FrameIndex> {
  if (await mustBeCounted(path, stream, packets, head, options)) {
    return countedIndex(path, stream, { head, packets, hints }, options);
  }
  const frames = packetsTell(stream, packets, head)
    ? packets.frames(head.pts[0])
    : await stream.decoding(() => decodedFrames(path, stream, options));
  return statedIndex(stream.timeBase, packets, frames, hints);
}

/** Tests whether each packet is one picture, shown at the packet's time. */
function packetsTell({ container, codec }: IndexedStream, packets: PacketList, head: HeadFrames): boolean {
  // VP8 stores references that are never shown in packets of their own, anywhere in the film.
  if (codec === 'vp8') return false;
  return packets.agreesWith(head) && (!/matroska/.test(container) || packets.isExactly(head));
}

/**
 * Returns a check of a film's length while its packets, possibly millions, are still listed; it throws TOO_LARGE. It
 * applies only where packet times are picture times, as `indexFrames` verifies at the end.
 */
function reachCheck(packets: PacketList, stream: IndexedStream, head: HeadFrames): () => void {
  const { timeBase, limits } = stream;
  const first = head.pts[0] ?? NaN;
  let isReported = isCountable(stream);
  return () => {
    const seconds = ((packets.latest - first) * timeBase.num) / timeBase.den;
    if (isReported || !(seconds > limits.maxFilmSeconds)) return;
    isReported = true;
    if (packetsTell(stream, packets, head)) checkSeconds(seconds, limits);
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
 * or with one that does not state the order of pictures, times and seeks are guesses. AVI states no order of pictures;
 * without an index it has no seeks.
 */
async function mustBeCounted(
  path: string,
  stream: IndexedStream,
  packets: PacketList,
  head: HeadFrames,
  options: ProbeRun,
): Promise<boolean> {
  if (!isCountable(stream)) return false;
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
  const listing = probeLines(
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
  return listing.then(
    () => isRight,
    (error: unknown) => {
      // ffprobe fails where a demuxer cannot seek.
      if (AditError.from(error).code === 'MEDIA_INVALID') return false;
      throw error;
    },
  );
}

async function countedIndex(
  path: string,
  stream: IndexedStream,
  { head, packets, hints }: ReadStream,
  options: ProbeRun,
): Promise<FrameIndex> {
  const { index, timeBase, decoding } = stream;
  const lead = isAvi(stream) ? AVI_CHUNK_HEADER : 0;
  const { totalFrames, keyFrames, seekTable } = await decoding(() => countFrames(path, index, packets, lead, options));
  const step = Math.max(packets.duration, 1);
  const pts = countedTimes(totalFrames, step, packets.decodingTimes(), head.pts[0]);
  const keyPts = Float64Array.from(keyFrames, (frame) => elementAt(pts, frame));
  return new FrameIndex({
    timeBase,
    pts,
    keyFrames,
    seekPts: keyPts,
    seekDts: keyPts,
    endPts: elementAt(pts, -1) + step,
    hints: { ...hints, timing: 'counted' },
    seekTable,
  });
}

/**
 * Returns the times of counted pictures. Where each packet is one picture, the n-th picture is shown as long after the
 * n-th packet as the first one, so that missing pictures (AVI repeats the one before) take up time. @param order -
 * decoding times of the packets; empty where they are not known. @param shown - time of the first decoded picture
 */
function countedTimes(totalFrames: number, step: number, order: Float64Array, shown: number | undefined): Float64Array {
  const delay = order.indexOf(shown ?? NaN);
  const isOrdered = order.every((time, i) => i === 0 || time > elementAt(order, i - 1));
  if (order.length !== totalFrames || !isOrdered || delay < 0) {
    return Float64Array.from({ length: totalFrames }, (_, frame) => frame * step);
  }
  const last = elementAt(order, -1);
  return order.map((_, frame) => order[frame + delay] ?? last + (frame + delay + 1 - totalFrames) * step);
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
