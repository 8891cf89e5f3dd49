import { AditError } from '@adit/contracts';
import { ffmpegPath } from '../../ffmpeg/ffmpeg-binary.js';
import { shortReason } from '../../ffmpeg/ffprobe.js';
import { inputGuard, LIVE_CONTAINERS } from '../../sandbox/ffmpeg-guard.js';
import { openChild } from '../../sandbox/open-child.js';
import type { LiveRun } from '../live-run.js';
import { BoxReader, type Box } from './boxes.js';

/** An ffmpeg without a network that copies the bytes of a run into fragmented MP4. */
export interface Copier {
  /**
   * Takes the next bytes of the run without waiting. False once too many wait for ffmpeg, or it has ended: nothing more
   * is taken then, and the copy ends with what was complete.
   */
  take(bytes: Buffer): boolean;
  /** So much waits for ffmpeg that whoever reads the copy must not keep it waiting. */
  isBehind: () => boolean;
  /** No more bytes follow: what is left of the copy comes, too. */
  end(): void;
  /** Ends it at once. */
  stop(): void;
  /** The boxes of the copy; throws MEDIA_INVALID with a reason for clients. To be read once. */
  boxes: AsyncGenerator<Box>;
}

/** Bytes of one fragment, as from a keyframe to the next; more is no stream that a player could follow. */
export const MAX_FRAGMENT_BYTES = 64 << 20;
/** Bytes that may wait for ffmpeg, which only copies them: seconds of a camera. */
const WAITING_BYTES = 16 << 20;
/** Private memory of ffmpeg: it holds one fragment. */
const MEMORY_BYTES = 512 * 2 ** 20;
/** Seconds that are added to all times of a run: MP4 has no negative ones, with which some runs begin. */
export const AHEAD_SECONDS = 1000;
/** The run was probed before: this much is enough to find its streams again. */
const ANALYSED = ['-probesize', '5000000', '-analyzeduration', '2000000'];

interface Copy {
  container: LiveRun['container'];
  /** Options that choose streams and their codecs. */
  streams: readonly string[];
  /** When a fragment ends, beside what both kinds have. */
  fragments: { flags: string; options?: readonly string[] };
}

export async function startCopy({ container, streams, fragments: { flags, options = [] } }: Copy): Promise<Copier> {
  const demuxer = LIVE_CONTAINERS[container];
  const child = await openChild({
    program: await ffmpegPath(),
    args: [
      ...['-nostdin', '-loglevel', 'error', ...inputGuard([demuxer]), ...ANALYSED],
      // Decoders are for sound alone.
      ...['-copyts', '-threads', '1', '-f', demuxer, '-i', 'pipe:0', ...streams],
      ...['-map_metadata', '-1', '-max_muxing_queue_size', '4096', '-use_editlist', '0'],
      // Times stay those of the run, by which its decoder tells where a segment belongs.
      ...['-avoid_negative_ts', 'disabled', '-output_ts_offset', String(AHEAD_SECONDS)],
      // The header waits for the first packets: only then are all parameters known.
      ...['-movflags', `${flags}delay_moov+default_base_moof+negative_cts_offsets+skip_trailer+frag_discont`],
      ...[...options, '-f', 'mp4', '-flush_packets', '1', 'pipe:1'],
    ],
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
    isBehind: () => stdin.writableLength > WAITING_BYTES / 2,
    end,
    stop() {
      isOpen = false;
      child.stop();
    },
    boxes: boxesOf(child),
  };
}

/** Options that copy sound; other than AAC, which players of HLS may not know, is encoded. */
export function soundOptions({ codec, channels }: { codec: string; channels: number }): string[] {
  // Its first packet may be a part of one, which keeps ffmpeg from adding the filter itself.
  if (codec === 'aac') return ['-c:a', 'copy', '-bsf:a', 'aac_adtstoasc'];
  // Sound of cameras has 8 kHz and one channel; that of programmes may have six.
  // The encoder takes floating point, for which ffmpeg mixes channels without making room for their sum.
  const mixed = channels > 2 ? ['-af', 'aresample=rematrix_maxval=1'] : [];
  return ['-c:a', 'aac', ...mixed, '-ac', String(Math.min(channels, 2))];
}

async function* boxesOf(child: Awaited<ReturnType<typeof openChild>>): AsyncGenerator<Box> {
  try {
    const boxes = new BoxReader(MAX_FRAGMENT_BYTES);
    for await (const piece of child.stdout) yield* boxes.add(piece as Buffer);
    const { code, killedBy, stderr } = await child.ended;
    if (code !== 0 && killedBy !== 'SIGKILL') {
      throw new AditError('MEDIA_INVALID', `copying failed: ${shortReason(stderr, 'pipe:0')}.`);
    }
  } finally {
    child.stop();
  }
}
