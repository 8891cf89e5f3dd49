import { pipeline } from 'node:stream/promises';
import { AditError } from '@adit/contracts';
import { backoffDelay, createLogger, pause } from '@adit/runtime';
import { ffmpegInfo } from '../ffmpeg/ffmpeg-binary.js';
import { ffmpegArguments } from '../ffmpeg/ffmpeg-run.js';
import { audible, type ProbedStream } from '../ffmpeg/stream-facts.js';
import { DEFAULT_MEMORY_BYTES, inputGuard, LIVE_CONTAINERS } from '../sandbox/ffmpeg-guard.js';
import { openChild } from '../sandbox/open-child.js';
import { openHead, type LiveHead } from './live-head.js';
import type { LiveRun } from './live-run.js';
import { LIVE_SOUND_RATE, SoundReader, soundOutputs, type SoundBlock } from './live-sound.js';
import { nextDistance, soundDistance, type RunTimes } from './sound-distance.js';

const log = createLogger('recorder');

/** Time that sound may take to come as far as the pictures at the end of their run. */
const LAST_MILLISECONDS = 3000;
/** Sound that waits for pictures is read no further beyond this. */
const WAITING_SECONDS = 60;
/** Seconds by which sound is given out before its pictures. */
const AHEAD_SECONDS = 8;
/** One stream is found soon: what is analysed is only heard afterwards. */
const ANALYSED = ['-probesize', '1000000', '-analyzeduration', '500000'];
/** Waits before sound that could not be decoded is opened again. */
const AGAIN = { baseMs: 2000, maxMs: 30_000 };

export interface BesideOptions {
  /** Opens the sound, see `LiveRun`. */
  open: NonNullable<LiveRun['sound']>;
  pictures: RunTimes;
  /** Folder for private files. */
  directory: string;
  signal: AbortSignal;
}

/** Decodes sound that comes apart from the pictures of a run, which never wait for it. */
export class SoundBeside {
  private readonly ending = new AbortController();
  private readonly signal: AbortSignal;
  private readonly found: Promise<ProbedStream | null>;
  private tell: (stream: ProbedStream | null) => void = () => undefined;
  private reading: Promise<void> | null = null;
  private current: { reader: SoundReader; run: LiveRun; distance: number | null | undefined } | null = null;
  /** Nothing has been read yet. */
  private isOpening = true;
  /** Placed on the clock of the pictures' run. */
  private blocks: SoundBlock[] = [];
  private seen = 0;
  /** Seconds from the first picture up to which sound has come. */
  private heard = -Infinity;

  constructor(private readonly options: BesideOptions) {
    this.signal = AbortSignal.any([options.signal, this.ending.signal]);
    this.found = new Promise((resolve) => (this.tell = resolve));
  }

  /** Begins to read; safe to repeat. */
  start(): void {
    this.reading ??= this.read().finally(() => this.tell(null));
  }

  /** The stream that is heard; null when it is not known within so much time. */
  async known(milliseconds: number): Promise<ProbedStream | null> {
    this.start();
    const over = new AbortController();
    const late = pause(milliseconds, over.signal)
      .catch(() => undefined)
      .then(() => null);
    return Promise.race([this.found, late]).finally(() => over.abort());
  }

  /** Takes what has come up to shortly behind a picture, at that many microseconds from the first one. */
  take(runUs: number): SoundBlock[] {
    this.seen = Math.max(this.seen, runUs / 1e6);
    this.collect();
    return this.takeUntil(this.seen + AHEAD_SECONDS);
  }

  /** Waits shortly for sound that is not as far as the pictures, ends it, and returns what is left. */
  async end(): Promise<SoundBlock[]> {
    const deadline = Date.now() + LAST_MILLISECONDS;
    const isOver = { value: this.reading === null };
    void this.reading?.finally(() => (isOver.value = true));
    while (
      !isOver.value &&
      (this.current !== null || this.isOpening) &&
      !this.signal.aborted &&
      this.heard < this.seen &&
      Date.now() < deadline
    ) {
      this.collect();
      await pause(50);
    }
    this.collect();
    this.ending.abort(new Error('The pictures have ended.'));
    await this.reading;
    return this.takeUntil(this.seen + AHEAD_SECONDS);
  }

  private takeUntil(seconds: number): SoundBlock[] {
    const latest = (this.options.pictures.start + seconds) * LIVE_SOUND_RATE;
    const later = this.blocks.findIndex(({ start }) => start > latest);
    return this.blocks.splice(0, later < 0 ? this.blocks.length : later);
  }

  private read(): Promise<void> {
    return readSound(this.options.open, this.signal, async (run) => {
      await this.decode(run).finally(() => (this.isOpening = false));
      while (this.waiting > WAITING_SECONDS) await pause(200, this.signal);
    });
  }

  private get waiting(): number {
    return this.blocks.reduce((sum, { samples }) => sum + samples.length, 0) / LIVE_SOUND_RATE;
  }

  private async decode(run: LiveRun): Promise<void> {
    const { signal } = this;
    const { directory } = this.options;
    const head = await openHead(run, { directory, signal, soundAlone: true, soundIsAll: true });
    const [stream] = audible(head.sounds);
    if (stream === undefined) {
      head.body.destroy();
      throw new AditError('MEDIA_INVALID', 'What should be sound is none that can be decoded.');
    }
    this.tell(stream);
    const child = await openSoundDecoder(stream, run);
    const stop = (): void => void (child.stop(), head.body.destroy());
    signal.addEventListener('abort', stop, { once: true });
    const reader = new SoundReader(child.pipes);
    this.current = { reader, run, distance: undefined };
    try {
      if (signal.aborted) stop();
      child.stdout.resume();
      const fed = feed(head, child.stdin);
      await child.ended;
      await reader.ended();
      this.collect();
      const broken = await fed;
      if (broken !== null && !signal.aborted) throw broken;
    } finally {
      this.current = null;
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  /** Puts what has been decoded on the clock of the pictures. */
  private collect(): void {
    const { current } = this;
    // What decodes it waits where much has not been taken.
    if (current === null || this.waiting > WAITING_SECONDS) return;
    const { pictures } = this.options;
    for (const { start, samples } of takenFrom(current.reader)) {
      const isFirst = current.distance === undefined;
      const own = start / LIVE_SOUND_RATE;
      if (current.distance === undefined) {
        const sound = { ...current.run, start: own };
        const goesOn = this.heard > -Infinity && sound.gap === null;
        const distance = goesOn ? nextDistance(sound, pictures, this.heard) : soundDistance(sound, pictures, this.seen);
        current.distance = distance === null ? null : distance - own;
        if (distance === null && !goesOn) log.info('the times of sound do not fit those of its pictures');
      }
      if (current.distance === null) continue;
      const at = own + current.distance;
      this.heard = Math.max(this.heard, at + samples.length / LIVE_SOUND_RATE);
      const missing = isFirst ? current.run.gap : null;
      const placed = { start: Math.round((pictures.start + at) * LIVE_SOUND_RATE), samples };
      this.blocks.push(missing === null ? placed : { ...placed, missing });
    }
  }
}

/**
 * Reads the runs of sound beside pictures to their end, and opens what cannot be used again. Never fails: pictures are
 * there without their sound, too.
 */
export async function readSound(
  open: NonNullable<LiveRun['sound']>,
  signal: AbortSignal,
  use: (run: LiveRun) => Promise<void>,
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let reason: string | null = null;
  for (let failures = 0; !isOver();) {
    let fault: unknown = null;
    try {
      for await (const run of open(signal)) {
        await use({ ...run, gap: run.gap ?? reason }).catch((error: unknown) => (fault = error));
        if (fault !== null) break;
        failures = 0;
        reason = null;
      }
      if (fault === null) return;
    } catch (error) {
      fault = error;
      if (AditError.from(error).code !== 'SOURCE_UNAVAILABLE') failures = Infinity;
    }
    if (isOver()) return;
    log.info({ err: fault }, 'the sound of a live stream, apart from its pictures, cannot be read');
    if (failures === Infinity) return;
    reason = AditError.from(fault).message;
    await pause(backoffDelay(++failures, AGAIN), signal).catch(() => undefined);
  }
}

/** What a reader has; nothing where it has failed, which its process tells. */
function takenFrom(reader: SoundReader): SoundBlock[] {
  try {
    return reader.take();
  } catch (error) {
    log.warn({ err: error }, 'decoded sound cannot be read');
    // eslint-disable-next-line adit/no-lost-errors -- its process tells why, and the sound is read anew
    return [];
  }
}

/** Resolves with what broke the sound; null at its end. */
async function feed(head: Pick<LiveHead, 'body'>, stdin: NodeJS.WritableStream): Promise<unknown> {
  return pipeline(head.body, stdin).then(
    () => null,
    (error: unknown) => error,
  );
}

async function openSoundDecoder(stream: ProbedStream, { container }: LiveRun) {
  const { path } = await ffmpegInfo();
  const demuxer = LIVE_CONTAINERS[container];
  const { graph, outputs } = soundOutputs(stream);
  const child = await openChild({
    program: path,
    args: ffmpegArguments({
      input: 'pipe:0',
      inputOptions: [...inputGuard([demuxer]), ...ANALYSED, '-copyts', '-threads', '1', '-f', demuxer],
      filterGraph: graph,
      outputs,
      globalOptions: ['-filter_complex_threads', '1'],
    }),
    limits: { dataBytes: DEFAULT_MEMORY_BYTES, fileBytes: 0 },
    stdin: true,
    pipes: 2,
  });
  const { stdin } = child;
  if (stdin === null) throw new AditError('INTERNAL', 'The decoder of sound has no input.');
  return { ...child, stdin };
}
