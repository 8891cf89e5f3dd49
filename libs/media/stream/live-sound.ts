import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { AditError } from '@adit/contracts';
import { PLANNING_RATE } from '../audio/audio-plan.js';
import { SAMPLE_BYTES } from '../audio/sound-level.js';
import { chooseTracks, mixed } from '../audio/sound-track.js';
import { OutputLines } from '../ffmpeg/output-lines.js';
import type { ProbedStream } from '../ffmpeg/stream-facts.js';

/** Samples a second of the sound of live streams, in mono. */
export const LIVE_SOUND_RATE = PLANNING_RATE;

/** Decoded sound without a gap. */
export interface SoundBlock {
  /** Samples from the zero of the run's clock to the first one. */
  start: number;
  samples: Float32Array;
  /** Why sound may be missing before it, where that is known. */
  missing?: string;
}

/**
 * Returns the track that a live stream is heard by: the one that is asked for, else its default one; several are not
 * mixed. Null where it has none.
 */
export function liveTrack(streams: readonly ProbedStream[], track: string | undefined): ProbedStream | null {
  try {
    const [first, ...others] = chooseTracks(streams, track);
    return first === undefined || (track === 'all' && others.length > 0) ? null : first;
  } catch (error) {
    if (AditError.from(error).code === 'MEDIA_INVALID') return null;
    throw error;
  }
}

/**
 * Filters and outputs that decode a track beside the pictures, with the mix and the resampler of films. The graph is
 * one of its own: a stream that announces sound and sends none shows its pictures all the same. Samples leave by
 * descriptor 3, their times by 4.
 */
export function soundOutputs(stream: ProbedStream): {
  graph: string;
  outputs: { target: string; options: string[] }[];
} {
  const mono = `aresample=${LIVE_SOUND_RATE}:rematrix_maxval=1,aformat=sample_fmts=flt:channel_layouts=mono`;
  const pcm = ['-c:a', 'pcm_f32le', '-flush_packets', '1'];
  return {
    graph: `[0:${stream.index}]${mixed(stream, 'usual', 1)}${mono},asplit[sound][times]`,
    outputs: [
      { target: 'pipe:3', options: ['-map', '[sound]', ...pcm, '-f', 'f32le'] },
      { target: 'pipe:4', options: ['-map', '[times]', ...pcm, '-f', 'framecrc'] },
    ],
  };
}

/** Samples between two marks of the clock of a run that has sound alone: 0.2 s. */
export const CLOCK_SAMPLES = LIVE_SOUND_RATE / 5;

/** Filters and an output that tell the times of such a run in samples, as those of pictures are told. */
export function soundClock({ index }: ProbedStream): { graph: string; output: { target: string; options: string[] } } {
  const marks = `aresample=${LIVE_SOUND_RATE},aformat=sample_fmts=s16:channel_layouts=mono,asetnsamples=n=${CLOCK_SAMPLES}:p=0`;
  return {
    graph: `[0:${index}]${marks}[clock]`,
    output: {
      target: 'pipe:1',
      options: ['-map', '[clock]', '-c:a', 'pcm_s16le', '-f', 'framecrc', '-flush_packets', '1'],
    },
  };
}

/** Bytes of sound that wait for pictures: about two minutes. */
const MOST_BYTES = 120 * LIVE_SOUND_RATE * SAMPLE_BYTES;

/** Puts samples and their times together, as they arrive on two descriptors. Whoever reads pictures takes them. */
export class SoundReader {
  private readonly times: { start: number; bytes: number }[] = [];
  private readonly lines = new OutputLines((line) => this.addTime(line));
  private pieces: Buffer[] = [];
  private bytes = 0;
  private fault: unknown = null;
  private isEnding = false;

  constructor(private readonly pipes: readonly Readable[]) {
    const [samples, times] = pipes;
    samples?.on('data', (piece: Buffer) => {
      this.pieces.push(piece);
      this.bytes += piece.length;
      // Nobody takes it while no picture comes: what decodes it waits then.
      if (!this.isEnding && this.bytes > MOST_BYTES) for (const pipe of pipes) pipe.pause();
    });
    times?.on('data', (piece: Buffer) => {
      try {
        this.lines.add(piece);
      } catch (error) {
        this.fault ??= error;
      }
    });
    for (const pipe of pipes) pipe.on('error', (error) => (this.fault ??= error));
  }

  /** Resolves when nothing more comes: their writer has ended. */
  async ended(): Promise<void> {
    // What is left is no more than the pipes hold: nothing may wait for somebody who takes it.
    this.isEnding = true;
    for (const pipe of this.pipes) pipe.resume();
    await Promise.all(this.pipes.map((pipe) => finished(pipe, { writable: false }).catch(() => undefined)));
  }

  /** Takes what has come. Throws what reading it failed with. */
  take(): SoundBlock[] {
    if (this.fault !== null) throw this.fault;
    const blocks: SoundBlock[] = [];
    const isNext = (at: number): boolean => this.times.length > 0 && at + (this.times[0]?.bytes ?? 0) <= this.bytes;
    if (!isNext(0)) return blocks;
    const all = Buffer.concat(this.pieces);
    let at = 0;
    while (isNext(at)) {
      const { start, bytes } = this.times.shift() ?? { start: 0, bytes: 0 };
      const samples = new Float32Array(bytes / SAMPLE_BYTES);
      for (let i = 0; i < samples.length; i++) samples[i] = all.readFloatLE(at + i * SAMPLE_BYTES);
      blocks.push({ start, samples });
      at += bytes;
    }
    this.pieces = [all.subarray(at)];
    this.bytes -= at;
    for (const pipe of this.pipes) pipe.resume();
    return blocks;
  }

  /** A line of ffmpeg's framecrc muxer: stream, dts, pts, duration, bytes, checksum. */
  private addTime(line: string): void {
    if (line.startsWith('#')) return;
    const [, , pts, , size] = line.split(',').map(Number);
    if (Number.isSafeInteger(pts) && Number.isSafeInteger(size)) this.times.push({ start: pts ?? 0, bytes: size ?? 0 });
  }
}
