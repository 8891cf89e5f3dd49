import {
  AditError,
  float32At,
  rangeSeconds,
  type AudioInterval,
  type MediaFacts,
  type ProcessingRange,
} from '@adit/contracts';
import type { AudioPack } from './audio-pack.js';
import { checkChunks, DEFAULT_FILM_LIMITS, type FilmLimits } from '../film-limits.js';
import type { FrameIndex } from '../video/frame-index.js';
import { rangeFrames } from '../plan.js';

/** Sample rate at which sound is planned, in mono, whatever analyses ask for. Cuts depend on the media alone. */
export const PLANNING_RATE = 16_000;
/** Length in ms of one loudness step; chunks are cut between steps. */
const STEP_MS = 10;
const STEP_SAMPLES = (PLANNING_RATE * STEP_MS) / 1000;
/** Steps between the middles of two cutting windows, and from a middle to its window's ends: chunks of 20–28 s. */
const EVERY = 24_000 / STEP_MS;
const WITHIN = 2_000 / STEP_MS;
/**
 * Steps on both sides of a cut over which loudness is measured, to find a pause between words rather than a zero
 * crossing.
 */
const AROUND = 150 / STEP_MS;

/**
 * Cuts sound into contiguous chunks of 20–28 s; only the last one may be shorter. Each cut lies within 2 s of a
 * multiple of 24 s, at the quietest point there, and at the last of equally quiet points. A cut therefore depends only
 * on the sound around it. `pieces` are mono samples at PLANNING_RATE, split anywhere; at most 4.3 s of loudness is
 * buffered. Sound shorter than `leastSeconds` is padded with silence. Throws TOO_LARGE for more chunks than `limits`
 * allow.
 */
export async function planAudioGrid(
  pieces: AsyncIterable<Float32Array>,
  { limits = DEFAULT_FILM_LIMITS, leastSeconds = 0 }: { limits?: FilmLimits; leastSeconds?: number } = {},
): Promise<AudioInterval[]> {
  const grid: AudioInterval[] = [];
  const add = (endMs: number): void => {
    grid.push({ startMs: grid.at(-1)?.endMs ?? 0, endMs });
    checkChunks(grid.length, limits);
  };
  const cuts = new QuietCuts(0);
  let samples = 0;
  for await (const piece of lengthened(pieces, leastSeconds * PLANNING_RATE)) {
    samples += piece.length;
    for (const cut of cuts.cutsIn(piece)) add(cut * STEP_MS);
  }
  for (const cut of cuts.ended()) add(cut * STEP_MS);
  const endMs = Math.ceil((samples * 1000) / PLANNING_RATE);
  if (endMs > (grid.at(-1)?.endMs ?? 0)) add(endMs);
  return grid;
}

/** Seconds of the longest of several tracks. Chunks have to cover whichever track a job asks for. */
export function tracksEnd(facts: MediaFacts): number {
  return facts.kind === 'video' && facts.audioStreams.length > 1 ? facts.duration : 0;
}

async function* lengthened(pieces: AsyncIterable<Float32Array>, least: number): AsyncGenerator<Float32Array> {
  let samples = 0;
  for await (const piece of pieces) {
    samples += piece.length;
    yield piece;
  }
  for (; samples < least; samples += PLANNING_RATE) {
    yield new Float32Array(Math.min(PLANNING_RATE, Math.ceil(least - samples)));
  }
}

/** Seconds of sound around a part that are needed to place the grid in it. */
export const GRID_MARGIN_SECONDS = 29;

/**
 * Returns the chunks of the whole sound's grid that overlap a part of it. `part` is a mono pack at PLANNING_RATE with
 * at least GRID_MARGIN_SECONDS of overlap, where there is that much sound; the chunks are then the same for every part.
 */
export async function audioGridAround(part: AudioPack): Promise<AudioInterval[]> {
  const [ownStart, ownEnd] = [part.ownStart / STEP_SAMPLES, part.ownEnd / STEP_SAMPLES];
  // The search starts at the last cut that is certainly before chunk `first` and ends at the first one after `last`.
  const first = Math.floor((ownStart - WITHIN) / EVERY);
  const last = Math.ceil((ownEnd + WITHIN) / EVERY);
  const from = first < 1 ? 0 : first * EVERY - WITHIN - AROUND;
  const to = Math.min((last * EVERY + WITHIN + AROUND) * STEP_SAMPLES, part.end);
  const found = new QuietCuts(from);
  const cuts = first < 1 ? [0] : [];
  for (let at = from * STEP_SAMPLES; at < to; at += 10 * PLANNING_RATE) {
    cuts.push(...found.cutsIn(await part.samples(at, Math.min(at + 10 * PLANNING_RATE, to))));
  }
  cuts.push(...found.ended());
  const ends = [...cuts.slice(1).map((cut) => cut * STEP_MS), Math.ceil((part.end * 1000) / PLANNING_RATE)];
  return cuts
    .map((cut, i) => ({ startMs: cut * STEP_MS, endMs: ends[i] ?? 0 }))
    .filter(({ startMs, endMs }) => endMs > ownStart * STEP_MS && startMs < ownEnd * STEP_MS);
}

/** Finds the steps before which sound is cut, as far as it has been read. The sound begins with step `from`. */
class QuietCuts {
  private middle: number;
  /** Energies of the steps around `middle`. */
  private steps: number[] = [];
  private energy = 0;
  private samples = 0;

  constructor(private at: number) {
    this.middle = Math.max(1, Math.ceil((at + WITHIN + AROUND) / EVERY)) * EVERY;
  }

  cutsIn(piece: Float32Array): number[] {
    const cuts: number[] = [];
    for (let i = 0; i < piece.length;) {
      const end = Math.min(piece.length, i + STEP_SAMPLES - this.samples);
      this.samples += end - i;
      // A local variable avoids one heap object per sample.
      let { energy } = this;
      for (; i < end; i++) {
        const sample = float32At(piece, i);
        // NaN and infinite samples count as silence.
        if (isFinite(sample)) energy += sample * sample;
      }
      this.energy = energy;
      if (this.samples < STEP_SAMPLES) break;
      if (this.at >= this.middle - WITHIN - AROUND) this.steps.push(this.energy);
      this.at += 1;
      this.energy = this.samples = 0;
      if (this.steps.length === 2 * (AROUND + WITHIN)) cuts.push(this.cut());
    }
    return cuts;
  }

  /** Flushes the last cut: a rest longer than 28 s is cut with the sound that was read around the cut. */
  ended(): number[] {
    const most = this.middle + WITHIN;
    return this.at > most || (this.at === most && this.samples > 0) ? [this.cut()] : [];
  }

  private cut(): number {
    const found = this.middle - WITHIN - AROUND + quietest(this.steps);
    this.steps = [];
    this.middle += EVERY;
    return found;
  }
}

/** The number of steps before the quietest cut. */
function quietest(steps: readonly number[]): number {
  let best = AROUND;
  let least = Infinity;
  for (let cut = AROUND; cut <= AROUND + 2 * WITHIN; cut++) {
    const around = steps.slice(cut - AROUND, cut + AROUND);
    const loudness = around.reduce((sum, energy) => sum + energy, 0) / around.length;
    if (loudness > least) continue;
    [best, least] = [cut, loudness];
  }
  return best;
}

/**
 * Returns the chunks of a range. Inner chunks stay as they are in the grid, since their observations may be cached;
 * chunks at the ends are cut to the millisecond. A range of frames covers the time in which they are shown. Throws
 * MEDIA_INVALID for a range outside the sound, and for a range of frames where there are none.
 */
export function planAudioRange(
  grid: readonly AudioInterval[],
  film: FrameIndex | null,
  range: ProcessingRange,
): AudioInterval[] {
  const [from, to] = rangeMs(film, range);
  const endMs = grid.at(-1)?.endMs ?? 0;
  if (from >= endMs) {
    throw new AditError('MEDIA_INVALID', `The range begins at ${from / 1000} s; the sound lasts ${endMs / 1000} s.`);
  }
  return grid
    .filter((chunk) => chunk.endMs > from && chunk.startMs < to)
    .map((chunk) => ({ startMs: Math.max(chunk.startMs, from), endMs: Math.min(chunk.endMs, to) }));
}

function rangeMs(index: FrameIndex | null, range: ProcessingRange): [number, number] {
  if (!('frame_start' in range || 'frame_end' in range)) {
    const { from, to } = rangeSeconds(range);
    const start = Math.round(from * 1000);
    return [start, Math.max(Math.round(to * 1000), start + 1)];
  }
  if (index === null)
    throw new AditError('MEDIA_INVALID', 'The range is one of frames, which sound alone has none of.');
  const [first, end] = rangeFrames(index, range);
  const ms = (frame: number): number => Math.round(index.seconds(index.ptsOf(frame)) * 1000);
  // A range to the film's end includes the sound after the last frame.
  return [ms(first), end >= index.totalFrames ? Infinity : Math.max(ms(end), ms(first) + 1)];
}
