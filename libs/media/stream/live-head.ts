import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AditError, type AudioFacts, type Rational, type VideoFacts } from '@adit/contracts';
import { readHead, type HeadFrames } from '../ffmpeg/head-frames.js';
import { probeJson, type ProbeRun } from '../ffmpeg/ffprobe.js';
import {
  audible,
  chooseVideoStream,
  countOf,
  ENTRIES,
  ofProgramme,
  parseRational,
  reduced,
  type ProbedStream,
} from '../ffmpeg/stream-facts.js';
import type { ProbedFile } from '../probe-streams.js';
import { DEFAULT_MAX_FRAME_PIXELS, LIVE_CONTAINERS } from '../sandbox/ffmpeg-guard.js';
import { checkPictures, hintsOf, pictureFacts } from '../video/film-facts.js';
import type { ColourHints } from '../video/jpeg-colours.js';
import type { LiveRun } from './live-run.js';

/** Ticks a second of a stream's clock, as its facts and chunks count. */
export const LIVE_TICKS = 1_000_000;

/** The streams of a run, read from its first bytes. */
export interface LiveHead {
  kind: 'pictures';
  /** Without a start timecode. */
  facts: VideoFacts;
  hints: ColourHints & { framesFlagged: boolean };
  /** Time of the first picture on the run's own clock, in seconds. */
  start: number;
  /** Streams of sound, those included of which too little has arrived to tell what they are. */
  sounds: ProbedStream[];
  /** The whole run, from its first byte. */
  body: Readable;
}

/** The same of a run that has sound alone. */
export interface SoundHead extends Pick<LiveHead, 'sounds' | 'body'> {
  kind: 'sound';
  facts: AudioFacts;
  /** Time of the first sound on the run's own clock, in seconds. */
  start: number;
}

interface HeadOptions {
  /** Folder for a private file. */
  directory: string;
  signal: AbortSignal;
  /** Largest stored frame in pixels; default: that of an 8K film. */
  maxPixels?: number;
  /** Seconds within which a picture has to come. Default: 20, twice the longest usual distance of keyframes. */
  timeoutSeconds?: number;
  /** Takes a run that has sound alone. */
  soundAlone?: boolean;
  /** No pictures are waited for: the run is sound of another one. Default: false. */
  soundIsAll?: boolean;
}

/** Bytes of the first try; each further one has twice as many. */
const FIRST_BYTES = 64 << 10;
/** The same for sound that comes apart from its pictures. */
const FIRST_SOUND_BYTES = 8 << 10;
const MAX_BYTES = 64 << 20;
/** Time that sound which is announced is waited for once there is a picture. */
const SOUND_MILLISECONDS = 3000;
/** Time without another try when little arrives. */
const TRY_MILLISECONDS = 1000;

/**
 * Reads a run until its first picture can be decoded, or until it is known to have sound alone. Throws MEDIA_INVALID for
 * a run without pictures, unless its sound is enough, and for pictures that are too large, SOURCE_UNAVAILABLE where it ended or stalled before that; the body's own error passes through.
 */
export async function openHead(
  run: LiveRun,
  options: HeadOptions & { soundAlone: boolean },
): Promise<LiveHead | SoundHead>;
export async function openHead(run: LiveRun, options: HeadOptions): Promise<LiveHead>;
export async function openHead(run: LiveRun, options: HeadOptions): Promise<LiveHead | SoundHead> {
  const deadline = Date.now() + (options.timeoutSeconds ?? 20) * 1000;
  // Several streams of a process share the folder.
  const path = join(options.directory, `head-${randomUUID()}`);
  const head = new HeadBytes(run.body, options.signal);
  const { soundIsAll = false } = options;
  let next = soundIsAll ? FIRST_SOUND_BYTES : FIRST_BYTES;
  let soundBy = Infinity;
  try {
    for (;;) {
      await head.fill(next, Math.min(Date.now() + TRY_MILLISECONDS, deadline));
      if (head.bytes > 0) {
        await writeFile(path, head.pieces);
        const found = await probeHead(path, run, options);
        if (found !== null) {
          soundBy = Math.min(soundBy, Date.now() + SOUND_MILLISECONDS);
          const isKnown = audible(found.sounds).length === found.sounds.length;
          const isLast = head.ended || head.bytes >= MAX_BYTES || Date.now() >= Math.min(soundBy, deadline);
          // Pictures are announced with the sound, or soon.
          if (isLast || (isKnown && (found.kind === 'pictures' || soundIsAll))) {
            if (found.kind === 'sound' && options.soundAlone !== true) {
              throw new AditError('MEDIA_INVALID', 'The stream has sound and no pictures.');
            }
            return { ...found, body: rest(head.pieces, run.body) };
          }
        }
      }
      if (head.ended) throw new AditError('SOURCE_UNAVAILABLE', 'The stream ended before it showed a picture.');
      if (head.bytes >= MAX_BYTES || Date.now() >= deadline) throw noPicture(head.bytes);
      next = Math.max(next, head.bytes) * 2;
    }
  } catch (error) {
    run.body.destroy();
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

function noPicture(bytes: number): AditError {
  if (bytes === 0) return new AditError('SOURCE_UNAVAILABLE', 'The stream sends nothing.');
  return new AditError('MEDIA_INVALID', 'The stream shows no picture that can be decoded.');
}

/** First bytes of a stream. */
class HeadBytes {
  readonly pieces: Buffer[] = [];
  bytes = 0;
  ended = false;

  constructor(
    private readonly body: Readable,
    private readonly signal: AbortSignal,
  ) {
    // It may break while what has come is probed: reading on tells it.
    body.on('error', () => undefined);
  }

  /** Reads until there are `wanted` bytes, or until that time, or the end. Throws the body's error. */
  async fill(wanted: number, until: number): Promise<void> {
    while (this.bytes < wanted && !this.ended) {
      this.signal.throwIfAborted();
      const piece: unknown = this.body.read();
      if (Buffer.isBuffer(piece)) {
        this.pieces.push(piece);
        this.bytes += piece.length;
      } else if (this.body.readableEnded) this.ended = true;
      else if (!(await this.changed(until - Date.now()))) return;
    }
  }

  /** Waits for more bytes; false when the time is up. */
  private async changed(milliseconds: number): Promise<boolean> {
    if (milliseconds <= 0) return false;
    if (this.body.errored) throw this.body.errored;
    const time = AbortSignal.timeout(milliseconds);
    // Takes its own listeners away with it.
    const over = new AbortController();
    const signal = AbortSignal.any([time, this.signal, over.signal]);
    try {
      // `once` rejects with the body's error.
      await Promise.race([once(this.body, 'readable', { signal }), once(this.body, 'end', { signal })]);
      return true;
    } catch (error) {
      if (time.aborted && !this.signal.aborted) return false;
      throw error;
    } finally {
      over.abort();
    }
  }
}

async function probeHead(
  path: string,
  run: LiveRun,
  { signal, maxPixels = DEFAULT_MAX_FRAME_PIXELS }: HeadOptions,
): Promise<Omit<LiveHead, 'body'> | Omit<SoundHead, 'body'> | null> {
  const probe: ProbeRun = { signal, timeoutSeconds: 30, maxPixels, containers: [LIVE_CONTAINERS[run.container]] };
  let found: ProbedFile;
  let head: HeadFrames;
  try {
    found = await probeJson(path, ENTRIES, probe);
    const video = chooseVideoStream(found.streams ?? []);
    if (video === undefined) return soundHead(found.streams ?? [], run);
    if (countOf(video.width) === 0 || countOf(video.height) === 0) return null;
    head = await readHead(path, video.index, probe);
  } catch (error) {
    // Too little of it is no valid media yet.
    if (AditError.from(error).code === 'MEDIA_INVALID') return null;
    throw error;
  }
  const { streams: all = [], programs = [], format = {} } = found;
  const video = chooseVideoStream(all);
  const streams = ofProgramme(all, programs, video);
  const [first] = head.pts;
  if (video === undefined || first === undefined) return null;
  const timeBase = checkPictures(video, maxPixels);
  return {
    kind: 'pictures',
    facts: {
      ...pictureFacts(video, streams, format, head),
      container: run.container,
      fps: liveRate(video, head.pts, timeBase),
      // A lost frame makes numbers useless as times.
      variableFrameRate: true,
      totalFrames: 0,
      duration: 0,
      timeBase: { num: 1, den: LIVE_TICKS },
      startPts: 0,
      startTimecode: null,
    },
    hints: hintsOf(video, head),
    sounds: streams.filter(({ codec_type: type }) => type === 'audio'),
    start: (first * timeBase.num) / timeBase.den,
  };
}

/** Head of a run by its sound; null as long as none can be heard. */
function soundHead(streams: readonly ProbedStream[], { container }: LiveRun): Omit<SoundHead, 'body'> | null {
  const [first] = audible(streams);
  const [channels, sampleRate] = [countOf(first?.channels), countOf(first?.sample_rate)];
  if (first === undefined || channels < 1 || sampleRate < 1) return null;
  return {
    kind: 'sound',
    facts: { kind: 'audio', container, codec: first.codec_name ?? 'unknown', duration: 0, channels, sampleRate },
    sounds: streams.filter(({ codec_type: type }) => type === 'audio'),
    start: Number(first.start_time) || 0,
  };
}

/** Rates that cameras and broadcasters use. */
const USUAL_RATES: readonly (readonly [number, number])[] = [
  [24_000, 1001],
  [24, 1],
  [25, 1],
  [30_000, 1001],
  [30, 1],
  [50, 1],
  [60_000, 1001],
  [60, 1],
];
/** Relative distance to a usual rate that its times explain: those of some containers are whole milliseconds. */
const RATE_SLACK = 0.0004;

/** Frame rate by the usual distance of the first pictures; the container's claim where these are too few. */
export function liveRate(
  video: Pick<ProbedStream, 'avg_frame_rate' | 'r_frame_rate'>,
  pts: readonly number[],
  timeBase: Rational,
): Rational {
  const stated = [video.avg_frame_rate, video.r_frame_rate]
    .map(parseRational)
    .find((rate) => rate !== null && rate.num / rate.den >= 0.1 && rate.num / rate.den <= 300);
  const span = (pts.at(-1) ?? 0) - (pts[0] ?? 0);
  if (pts.length < 10 || span <= 0) return stated ?? { num: 25, den: 1 };
  const steps = pts.slice(1).map((at, i) => at - (pts[i] ?? 0));
  const middle = steps.toSorted((a, b) => a - b)[steps.length >> 1] ?? 0;
  // The usual steps averaged: whole milliseconds alternate between 33 and 34.
  const usual = steps.filter((step) => Math.abs(step - middle) <= middle / 10 + 1);
  const seconds = (usual.reduce((sum, step) => sum + step, 0) / usual.length / timeBase.den) * timeBase.num;
  const rate = 1 / seconds;
  if (!Number.isFinite(rate) || rate <= 0) return stated ?? { num: 25, den: 1 };
  const usualRate = USUAL_RATES.map(([num, den]) => ({ num, den, off: Math.abs((rate * den) / num - 1) }))
    .filter(({ off }) => off < RATE_SLACK)
    .sort((a, b) => a.off - b.off)[0];
  if (usualRate !== undefined) return { num: usualRate.num, den: usualRate.den };
  return reduced(Math.max(Math.round(rate * 100), 1), 100);
}

/** Returns what was read followed by the rest; destroying it destroys the run. */
function rest(pieces: readonly Buffer[], body: Readable): Readable {
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield* pieces;
    for await (const piece of body) yield piece as Buffer;
  };
  const readable = Readable.from(whole(), { objectMode: false });
  readable.once('close', () => body.destroy());
  return readable;
}
