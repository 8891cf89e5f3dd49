import { AditError, type VideoFacts } from '@adit/contracts';
import { ffmpegPath } from '../../ffmpeg/ffmpeg-binary.js';
import { shortReason } from '../../ffmpeg/ffprobe.js';
import { inputGuard, LIVE_CONTAINERS } from '../../sandbox/ffmpeg-guard.js';
import { openChild } from '../../sandbox/open-child.js';
import type { LiveHead } from '../live-head.js';
import type { LiveRun } from '../live-run.js';
import { BoxReader, fragmentTimes, pictureTrack, type PictureTrack } from './boxes.js';

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
export interface RunArchive {
  /**
   * Takes the next bytes of the run without waiting. False once too many wait for ffmpeg, or it has ended: nothing more
   * is taken then, and the segments end with what was complete.
   */
  take(bytes: Buffer): boolean;
  /** No more bytes follow: the last segment comes, too. */
  end(): void;
  /** Ends it at once. */
  stop(): void;
  /** The segments as they are complete; throws MEDIA_INVALID with a reason for clients. To be read once. */
  segments: AsyncGenerator<ArchivedSegment>;
}

/** Codecs of pictures that players of HLS take in MP4. */
const PICTURES: ReadonlySet<string> = new Set(['h264', 'hevc', 'av1']);
/** Seconds after which a segment ends at the next keyframe. */
const SEGMENT_SECONDS = 4;
/** Bytes from a keyframe to the next; more is no stream that a player could follow. */
const MAX_FRAGMENT_BYTES = 64 << 20;
/** Bytes that may wait for ffmpeg, which only copies them: seconds of a camera. */
const WAITING_BYTES = 16 << 20;
/** Private memory of ffmpeg: it holds one fragment. */
const MEMORY_BYTES = 512 * 2 ** 20;
/** Seconds that are added to all times of a run: MP4 has no negative ones, with which some runs begin. */
const AHEAD_SECONDS = 1000;
/** The run was probed before: this much is enough to find its streams again. */
const ANALYSED = ['-probesize', '5000000', '-analyzeduration', '2000000'];

/** Why no player of HLS would show the pictures; null where they do. */
export function unrecordable({ codec }: VideoFacts): string | null {
  if (PICTURES.has(codec)) return null;
  return `browsers play recordings of H.264, H.265 and AV1, and this stream has ${codec}.`;
}

/**
 * Starts an ffmpeg without a network that copies the pictures of a run, and its first sound, into fragmented MP4, from
 * its beginning or from where one may begin to read it. Sound that is not AAC is encoded.
 */
export async function archiveRun(
  { facts, start }: Pick<LiveHead, 'facts' | 'start'>,
  container: LiveRun['container'],
): Promise<RunArchive> {
  const child = await openChild({
    program: await ffmpegPath(),
    args: archiveArguments(facts, container),
    limits: { dataBytes: MEMORY_BYTES, fileBytes: 0 },
    stdin: true,
  });
  const { stdin } = child;
  if (stdin === null) throw new AditError('INTERNAL', 'The copier of the stream has no input.');
  let isOpen = true;
  void child.ended.then(() => (isOpen = false));
  const end = (): void => {
    isOpen = false;
    stdin.end();
  };
  return {
    take(bytes) {
      if (!isOpen) return false;
      stdin.write(bytes);
      if (stdin.writableLength > WAITING_BYTES) end();
      return isOpen;
    },
    end,
    stop() {
      isOpen = false;
      child.stop();
    },
    segments: segmentsOf(child, start + AHEAD_SECONDS),
  };
}

function archiveArguments({ codec, stream, audioStreams }: VideoFacts, container: LiveRun['container']): string[] {
  const demuxer = LIVE_CONTAINERS[container];
  const [sound] = audioStreams;
  const audio =
    sound === undefined
      ? []
      : [
          ...['-map', `0:${sound.stream}`, '-c:a', sound.codec === 'aac' ? 'copy' : 'aac'],
          // Sound of cameras has 8 kHz and one channel; that of programmes may have six.
          ...(sound.codec === 'aac'
            ? // Its first packet may be a part of one, which keeps ffmpeg from adding this itself.
              ['-bsf:a', 'aac_adtstoasc']
            : ['-ac', String(Math.min(sound.channels, 2))]),
        ];
  return [
    ...['-nostdin', '-loglevel', 'error', ...inputGuard([demuxer]), ...ANALYSED],
    // Decoders are for sound alone.
    ...['-copyts', '-threads', '1', '-f', demuxer, '-i', 'pipe:0'],
    ...['-map', `0:${stream}`, '-c:v', 'copy', ...(codec === 'hevc' ? ['-tag:v', 'hvc1'] : []), ...audio],
    ...['-map_metadata', '-1', '-max_muxing_queue_size', '4096', '-use_editlist', '0'],
    // Times stay those of the run, by which its decoder tells where a segment belongs.
    ...['-avoid_negative_ts', 'disabled', '-output_ts_offset', String(AHEAD_SECONDS)],
    // The header waits for the first keyframe: only then are all parameters known.
    ...['-movflags', 'frag_keyframe+delay_moov+default_base_moof+negative_cts_offsets+skip_trailer+frag_discont'],
    ...['-f', 'mp4', '-flush_packets', '1', 'pipe:1'],
  ];
}

/** @param zero - seconds of the run's first picture in the copy */
async function* segmentsOf(
  child: Awaited<ReturnType<typeof openChild>>,
  zero: number,
): AsyncGenerator<ArchivedSegment> {
  try {
    const boxes = new BoxReader(MAX_FRAGMENT_BYTES);
    const segments = new SegmentJoiner(zero);
    for await (const piece of child.stdout) {
      for (const box of boxes.add(piece as Buffer)) {
        const segment = segments.add(box);
        if (segment !== null) yield segment;
      }
    }
    const last = segments.end();
    if (last !== null) yield last;
    const { code, killedBy, stderr } = await child.ended;
    if (code !== 0 && killedBy !== 'SIGKILL') {
      throw new AditError('MEDIA_INVALID', `copying failed: ${shortReason(stderr, 'pipe:0')}.`);
    }
  } finally {
    child.stop();
  }
}

/** Joins fragments to segments of SEGMENT_SECONDS or a little more. */
class SegmentJoiner {
  private init: Buffer[] = [];
  private track: PictureTrack | null = null;
  private parts: Buffer[] = [];
  private bytes = 0;
  /** Ticks of the segment in hand. */
  private start = 0;
  private length = 0;

  /** @param zero - seconds of the run's first picture */
  constructor(private readonly zero: number) {}

  /** Takes a box; returns the segment that ends before it. */
  add({ type, bytes }: { type: string; bytes: Buffer }): ArchivedSegment | null {
    switch (type) {
      case 'ftyp':
        this.init = [bytes];
        return null;
      case 'moov':
        this.init.push(bytes);
        this.track = pictureTrack(bytes);
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
