import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AditError,
  frameSpecName,
  nullIfNoFile,
  type FrameInterval,
  type FrameSpec,
  type PackedFrame,
} from '@adit/contracts';
import { pictureSize } from '../decode.js';
import { ffmpegInfo } from '../ffmpeg/ffmpeg-binary.js';
import { ffmpegArguments } from '../ffmpeg/ffmpeg-run.js';
import { shortReason } from '../ffmpeg/ffprobe.js';
import type { ProbedStream } from '../ffmpeg/stream-facts.js';
import { OutputLines } from '../ffmpeg/output-lines.js';
import { DEFAULT_MEMORY_BYTES, inputGuard, LIVE_CONTAINERS } from '../sandbox/ffmpeg-guard.js';
import { openChild } from '../sandbox/open-child.js';
import { sizeKey } from '../video/chunk-run.js';
import { liveGraph, type LiveOutput } from './live-graph.js';
import { LIVE_TICKS, type LiveHead, type SoundHead } from './live-head.js';
import type { LiveRun } from './live-run.js';
import { CLOCK_SAMPLES, LIVE_SOUND_RATE, soundClock, SoundReader, soundOutputs } from './live-sound.js';
import { SoundBeside } from './sound-beside.js';
import { SoundCutter, type LiveSound } from './sound-cutter.js';
import { packedFrame, PieceCutter, sampledFrames, type CutPiece, type StreamPlace } from './piece-cutter.js';

/** A decoded part of a stream, with what a film's chunk has. */
export interface LivePiece {
  /** On the stream's own clock of microseconds; it may be decoded from its own first frame only. */
  interval: FrameInterval;
  /** Sampled pictures by the name of their spec; specs with identical pictures share them. */
  pictures: Map<string, SampledPictures>;
  /** Milliseconds since 1970 when its first frame was decoded. */
  arrived: number;
}

/** Frames of a pack with their JPEGs. */
export interface SampledPictures {
  frames: PackedFrame[];
  jpegs: Buffer[];
}

export interface LiveDecoding {
  /** Of a run that has sound alone, the pieces have no pictures, and `sound` is read. */
  head: LiveHead | SoundHead;
  /** Size that the stream is shown with, where that is not the run's: its pictures are fitted into it. */
  shown?: { width: number; height: number };
  container: LiveRun['container'];
  isSegmented: boolean;
  specs: readonly FrameSpec[];
  /** Sound that is decoded beside the pictures; default none. It is given out as it is cut, between the pieces. */
  sound?: SoundWanted;
  /** Seconds of a piece. */
  pieceSeconds: number;
  /** Returns the place in the stream of a frame that arrived then, and the stream time up to which all was read. */
  place(arrived: number): StreamPlace & { endUs: number };
  /** Folder for pictures that are not packed yet. */
  directory: string;
  signal: AbortSignal;
  /** Sees the bytes of the run before they are decoded; it must not wait. */
  tap?: ((bytes: Buffer) => void) | undefined;
  /** Told of each picture when it was placed: microseconds from the run's first one, and on the stream's clock. */
  onPlaced?: (runUs: number, us: number) => void;
  /** Seconds without a picture after which the run counts as broken. Default: 10. */
  idleSeconds?: number;
  /** Private memory of ffmpeg in bytes; default 4 GiB. */
  memoryBytes?: number;
}

/** Sound of a run. */
export interface SoundWanted {
  /** A stream of the run, or what comes apart from it. */
  stream: ProbedStream | SoundBeside;
  /** Stream time in microseconds up to which sound was read before: what comes again is dropped. */
  fromUs: number;
  /** Whole seconds whose multiples on the stream's clock no part of the sound reaches over; left out: none. */
  borderSeconds?: number | undefined;
  onSound: (sound: LiveSound) => void;
}

/** Time that ffmpeg may take for the first picture, beside the pause that a stream may make. */
const START_MILLISECONDS = 5_000;
/** Pause that a stream in segments may make: they come whole. */
const SEGMENTS_MILLISECONDS = 60_000;
/** Time that a picture is waited for after its frame was decoded. */
const PICTURE_MILLISECONDS = 2000;
/** Bytes of one picture. */
const FILE_BYTES = 512 * 2 ** 20;
/** A run's streams are known from its head: this much is enough to find them again. */
const ANALYSED = ['-probesize', '5000000', '-analyzeduration', '2000000'];

/**
 * Decodes a run while it arrives, in one ffmpeg process without a network, and yields its pieces as they are complete.
 * Returns at the end of the run. Throws the error of the run's body after the last piece, MEDIA_INVALID when decoding
 * fails, and the signal's reason.
 */
export async function* decodeLive(decoding: LiveDecoding): AsyncGenerator<LivePiece> {
  const { head, specs, pieceSeconds, signal } = decoding;
  const shown = decoding.shown ?? (head.kind === 'sound' ? NO_SIZE : head.facts);
  const frameUs = frameLength(head);
  const outputs = head.kind === 'sound' ? [] : outputsOf(shown, specs);
  const folder = await mkdtemp(join(decoding.directory, 'adit-live-'));
  try {
    for (const i of outputs.keys()) await mkdir(join(folder, String(i)));
    const child = await openDecoder(decoding, outputs, folder);
    const stop = (): void => void (child.stop(), head.body.destroy());
    signal.addEventListener('abort', stop, { once: true });
    // ffmpeg ends by itself after the body, and shows what it has until then.
    const { tap } = decoding;
    const feeding =
      tap === undefined ? pipeline(head.body, child.stdin) : pipeline(head.body, tapped(tap), child.stdin);
    const fed = feeding.then(
      () => null,
      (error: unknown) => error,
    );
    const cutter = new PieceCutter({
      ...{ pieceUs: pieceSeconds * LIVE_TICKS, frameUs, place: decoding.place },
      isPaced: !decoding.isSegmented,
    });
    const sound = decoding.sound && soundOf(decoding.sound, head, child.pipes);
    const read = (piece: CutPiece): Promise<LivePiece> => readPiece(piece, { outputs, specs, shown, folder });
    const pictures = { haveStopped: false };
    // Sound may go on where the pictures have stopped.
    const usual = decoding.isSegmented ? SEGMENTS_MILLISECONDS : 0;
    const idleMs = Math.max((decoding.idleSeconds ?? 10) * 1000, (3 * frameUs) / 1000, usual);
    const silence = setTimeout(() => {
      pictures.haveStopped = true;
      stop();
    }, idleMs + START_MILLISECONDS);
    try {
      for await (const time of frameTimes(child.stdout)) {
        const runUs = head.kind === 'sound' ? soundTime(time, head) : time;
        silence.refresh();
        const piece = cutter.add(runUs, Date.now());
        const { placed } = cutter;
        sound?.see(runUs, placed);
        decoding.onPlaced?.(runUs, placed.us + runUs - placed.runUs);
        if (piece !== null) yield await read(piece);
      }
      const left = cutter.end();
      if (left !== null) yield await read(left);
      signal.throwIfAborted();
      const { code, killedBy, stderr } = await child.ended;
      if (pictures.haveStopped) {
        const what = head.kind === 'sound' ? 'sends no sound' : 'shows no pictures';
        throw new AditError('SOURCE_UNAVAILABLE', `The stream ${what} any more.`);
      }
      const broken = await fed;
      if (broken instanceof AditError) throw broken;
      if (killedBy !== null || code === 126 || code === 127) {
        throw new AditError('INTERNAL', `The decoder of the stream ended on ${killedBy ?? stderr.trim()}.`);
      }
      if (code !== 0)
        throw new AditError('MEDIA_INVALID', `Decoding the stream failed: ${shortReason(stderr, folder)}.`);
      // It says 0 to most of what it cannot read any further.
      if (broken !== null) throw new AditError('SOURCE_UNAVAILABLE', 'What decodes the stream ended before it.');
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
      stop();
      await child.ended;
      await sound?.end();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Size of pictures that are not there. */
const NO_SIZE = { width: 0, height: 0 };

/** Usual distance of pictures in microseconds, or of the marks that stand for them. */
function frameLength(head: LiveHead | SoundHead): number {
  if (head.kind === 'sound') return (CLOCK_SAMPLES / LIVE_SOUND_RATE) * LIVE_TICKS;
  return Math.round((head.facts.fps.den * LIVE_TICKS) / head.facts.fps.num);
}

/** Returns the run time of a mark, in microseconds, by its sample. */
function soundTime(sample: number, { start }: SoundHead): number {
  return Math.round((sample / LIVE_SOUND_RATE - start) * LIVE_TICKS);
}

/** Passes bytes on and shows them to the tap. */
function tapped(tap: (bytes: Buffer) => void) {
  return async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const bytes of body) {
      tap(bytes);
      yield bytes;
    }
  };
}

async function openDecoder(
  { head, container, sound, memoryBytes = DEFAULT_MEMORY_BYTES }: LiveDecoding,
  outputs: LiveOutput[],
  folder: string,
) {
  const info = await ffmpegInfo();
  const demuxer = LIVE_CONTAINERS[container];
  const pictures = outputs.map((_, i) => ({
    target: join(folder, String(i), '%d.jpg'),
    options: [
      ...['-map', `[o${i}]`, info.fpsModeOption, 'passthrough', '-enc_time_base', `1:${LIVE_TICKS}`],
      // A file that is there is complete. Its name is the frame's time.
      ...['-f', 'image2', '-frame_pts', '1', '-atomic_writing', '1'],
      ...['-c:v', 'mjpeg', '-q:v', '2', '-threads', '1'],
    ],
  }));
  const stream = sound === undefined || sound.stream instanceof SoundBeside ? null : sound.stream;
  const heard = stream === null ? null : soundOutputs(stream);
  const marks = head.kind === 'sound' && stream !== null ? soundClock(stream) : null;
  const clock = {
    target: 'pipe:1',
    options: [
      ...['-map', '[clock]', info.fpsModeOption, 'passthrough', '-enc_time_base', `1:${LIVE_TICKS}`],
      // A line for each frame, without its pixels.
      ...['-c:v', 'wrapped_avframe', '-f', 'framecrc', '-flush_packets', '1'],
    ],
  };
  const child = await openChild({
    program: info.path,
    args: ffmpegArguments({
      input: 'pipe:0',
      inputOptions: [
        ...inputGuard([demuxer]),
        ...ANALYSED,
        ...['-copyts', '-threads', threadsFor(head), '-f', demuxer],
      ],
      filterGraph: marks?.graph ?? (head.kind === 'sound' ? '' : liveGraph(head, outputs, info.filters)),
      outputs: [...pictures, marks?.output ?? clock, ...(heard?.outputs ?? [])],
      globalOptions: ['-filter_complex_threads', '1', ...(heard === null ? [] : ['-filter_complex', heard.graph])],
    }),
    limits: { dataBytes: memoryBytes, fileBytes: FILE_BYTES },
    stdin: true,
    writes: true,
    pipes: heard === null ? 0 : 2,
  });
  const { stdin } = child;
  if (stdin === null) throw new AditError('INTERNAL', 'The decoder has no input.');
  return { ...child, stdin };
}

/** Reads the sound of a run beside its pictures. */
function soundOf(
  { stream, fromUs, borderSeconds, onSound }: SoundWanted,
  { start }: Pick<LiveHead, 'start'>,
  pipes: readonly Readable[],
) {
  const cutter = new SoundCutter({ zero: start * LIVE_SOUND_RATE, from: fromUs, borderSeconds, onSound });
  if (stream instanceof SoundBeside) {
    stream.start();
    return {
      see(runUs: number, placed: { runUs: number; us: number }): void {
        cutter.see(runUs, placed);
        cutter.add(stream.take(runUs));
      },
      async end(): Promise<void> {
        cutter.add(await stream.end());
        cutter.end();
      },
    };
  }
  const reader = new SoundReader(pipes);
  return {
    see(runUs: number, placed: { runUs: number; us: number }): void {
      cutter.see(runUs, placed);
      cutter.add(reader.take());
    },
    async end(): Promise<void> {
      await reader.ended();
      cutter.add(reader.take());
      cutter.end();
    },
  };
}

/** Each thread holds one frame back, so a stream gets no more than it needs to keep up. */
function threadsFor(head: LiveHead | SoundHead): string {
  if (head.kind === 'sound') return '1';
  const pixels = head.facts.width * head.facts.height;
  if (pixels < 500_000) return '1';
  return pixels < 3_000_000 ? '2' : '4';
}

/** Returns one output per distinct size, with the rates of all specs that want it. */
function outputsOf(shown: Size, specs: readonly FrameSpec[]): LiveOutput[] {
  const bySize = new Map<string, LiveOutput & { rates: number[] }>();
  for (const spec of specs) {
    const size = pictureSize(shown, spec);
    const output = bySize.get(sizeKey(size)) ?? { ...size, rates: [] };
    if (!output.rates.includes(spec.rate)) output.rates.push(spec.rate);
    bySize.set(sizeKey(size), output);
  }
  return [...bySize.values()];
}

/** Yields the run times of the decoded frames, in microseconds, as ffmpeg's framecrc muxer writes them. */
async function* frameTimes(stdout: AsyncIterable<unknown>): AsyncGenerator<number> {
  const times: number[] = [];
  const lines = new OutputLines((line) => {
    if (line.startsWith('#')) return;
    const pts = Number(line.split(',')[2]);
    if (Number.isSafeInteger(pts)) times.push(pts);
  });
  for await (const piece of stdout) {
    lines.add(piece as Buffer);
    yield* times.splice(0);
  }
  lines.end();
  yield* times;
}

type Size = { width: number; height: number };

interface Reading {
  outputs: readonly LiveOutput[];
  specs: readonly FrameSpec[];
  shown: Size;
  folder: string;
}

/** Reads the pictures of a piece, and removes them. One that ffmpeg did not write is left out. */
async function readPiece({ frames, endUs }: CutPiece, { outputs, specs, shown, folder }: Reading): Promise<LivePiece> {
  const deadline = Date.now() + PICTURE_MILLISECONDS;
  const folders = new Map(outputs.map((output, i) => [sizeKey(output), join(folder, String(i))]));
  const shared = new Map<string, SampledPictures>();
  const pictures = new Map<string, SampledPictures>();
  for (const spec of specs) {
    if (outputs.length === 0) {
      pictures.set(frameSpecName(spec), { frames: [], jpegs: [] });
      continue;
    }
    const size = pictureSize(shown, spec);
    const wanted = sampledFrames(frames, spec.rate);
    const key = `${sizeKey(size)} ${wanted.map(({ runUs }) => runUs).join()}`;
    let found = shared.get(key);
    if (found === undefined) {
      found = { frames: [], jpegs: [] };
      for (const frame of wanted) {
        const jpeg = await pictureAt(join(folders.get(sizeKey(size)) ?? folder, `${frame.runUs}.jpg`), deadline);
        if (jpeg === null) continue;
        found.frames.push(packedFrame(frame, size));
        found.jpegs.push(jpeg);
      }
      shared.set(key, found);
    }
    pictures.set(frameSpecName(spec), found);
  }
  const [first] = frames;
  const last = frames.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('A piece has a frame.');
  for (const each of folders.values()) await removeUpTo(each, last.runUs);
  return {
    interval: {
      frameStart: first.at.frame,
      frameEnd: last.at.frame + 1,
      ptsStart: first.at.us,
      ptsEnd: endUs,
      seekPts: first.at.us,
    },
    pictures,
    arrived: first.arrived,
  };
}

/** Reads a picture, which may be written a little after its frame was counted. */
async function pictureAt(path: string, deadline: number): Promise<Buffer | null> {
  for (;;) {
    const jpeg = await readFile(path).catch(nullIfNoFile);
    if (jpeg !== null || Date.now() >= deadline) return jpeg;
    await sleep(10);
  }
}

/** Removes the pictures up to a time, also those that nobody asked for: a changed size begins the sampling anew. */
async function removeUpTo(folder: string, runUs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (Number(name.slice(0, -'.jpg'.length)) <= runUs) await rm(join(folder, name), { force: true });
  }
}
