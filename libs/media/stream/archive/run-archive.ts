import { AditError, type VideoFacts } from '@adit/contracts';
import type { LiveHead } from '../live-head.js';
import type { LiveRun } from '../live-run.js';
import { fragmentTimes, trackIn, type Box, type Track } from './boxes.js';
import { AHEAD_SECONDS, MAX_FRAGMENT_BYTES, soundOptions, startCopy, type Copier } from './copier.js';

/** A part of a run as fragmented MP4, from a keyframe to another. */
export interface ArchivedSegment {
  /** `ftyp` and `moov`, without which no segment of the run can be played. */
  init: Buffer;
  /** One or more fragments. */
  bytes: Buffer;
  /** Microseconds on the run's own clock from its first picture, whenever the copying began. */
  startUs: number;
  durationUs: number;
}

/** Copies one run into segments. */
export interface RunArchive extends Omit<Copier, 'boxes'> {
  /** The segments as they are complete; throws MEDIA_INVALID with a reason for clients. To be read once. */
  segments: AsyncGenerator<ArchivedSegment>;
}

/** Codecs of pictures that players of HLS take in MP4. */
const PICTURES: ReadonlySet<string> = new Set(['h264', 'hevc', 'av1']);
/** Seconds after which a segment ends at the next keyframe. */
const SEGMENT_SECONDS = 4;

/** Why no player of HLS would show the pictures; null where they do. */
export function unrecordable({ codec }: VideoFacts): string | null {
  if (PICTURES.has(codec)) return null;
  return `browsers play recordings of H.264, H.265 and AV1, and this stream has ${codec}.`;
}

/**
 * Copies the pictures of a run, and its first sound, into segments, from its beginning or from where one may begin to read
 * it.
 */
export async function archiveRun(
  { facts, start }: Pick<LiveHead, 'facts' | 'start'>,
  container: LiveRun['container'],
): Promise<RunArchive> {
  const { codec, stream, audioStreams } = facts;
  const [sound] = audioStreams;
  const { boxes, ...copier } = await startCopy({
    container,
    streams: [
      ...['-map', `0:${stream}`, '-c:v', 'copy', ...(codec === 'hevc' ? ['-tag:v', 'hvc1'] : [])],
      ...(sound === undefined ? [] : ['-map', `0:${sound.stream}`, ...soundOptions(sound)]),
    ],
    fragments: { flags: 'frag_keyframe+' },
  });
  return { ...copier, segments: segmentsOf(boxes, start + AHEAD_SECONDS) };
}

/** @param zero - seconds of the run's first picture in the copy */
async function* segmentsOf(boxes: AsyncGenerator<Box>, zero: number): AsyncGenerator<ArchivedSegment> {
  const segments = new SegmentJoiner(zero);
  for await (const box of boxes) {
    const segment = segments.add(box);
    if (segment !== null) yield segment;
  }
  const last = segments.end();
  if (last !== null) yield last;
}

/** Joins fragments to segments of SEGMENT_SECONDS or a little more. */
class SegmentJoiner {
  private init: Buffer[] = [];
  private track: Track | null = null;
  private parts: Buffer[] = [];
  private bytes = 0;
  /** Ticks of the segment in hand. */
  private start = 0;
  private length = 0;

  /** @param zero - seconds of the run's first picture */
  constructor(private readonly zero: number) {}

  /** Takes a box; returns the segment that ends before it. */
  add({ type, bytes }: Box): ArchivedSegment | null {
    switch (type) {
      case 'ftyp':
        this.init = [bytes];
        return null;
      case 'moov':
        this.init.push(bytes);
        this.track = trackIn(bytes, 'vide');
        return null;
      case 'moof':
        return this.begin(bytes);
      case 'mdat':
        this.push(bytes);
        return null;
      default:
        return null;
    }
  }

  /** Returns what is left. */
  end(): ArchivedSegment | null {
    return this.bytes === 0 || this.length === 0 ? null : this.take();
  }

  private begin(moof: Buffer): ArchivedSegment | null {
    if (this.track === null) throw new AditError('MEDIA_INVALID', 'The recording has no header.');
    const times = fragmentTimes(moof, this.track);
    const isFull =
      this.length >= SEGMENT_SECONDS * this.track.timescale || this.bytes + moof.length > MAX_FRAGMENT_BYTES;
    const ended = isFull && times !== null ? this.take() : null;
    this.push(moof);
    // Fragments of sound alone belong to the pictures before them.
    if (times === null) return ended;
    if (this.length === 0) this.start = times.start;
    this.length = times.start + times.length - this.start;
    return ended;
  }

  private push(bytes: Buffer): void {
    this.parts.push(bytes);
    this.bytes += bytes.length;
  }

  private take(): ArchivedSegment {
    const { timescale } = this.track ?? { timescale: 1 };
    const us = (ticks: number): number => Math.round((ticks * 1e6) / timescale);
    const segment = {
      init: Buffer.concat(this.init),
      bytes: Buffer.concat(this.parts),
      startUs: us(this.start) - Math.round(this.zero * 1e6),
      durationUs: us(this.length),
    };
    this.parts = [];
    this.bytes = 0;
    this.length = 0;
    return segment;
  }
}
