import { AditError, type AudioInterval, type ProcessingRange, type VideoFacts } from '@adit/contracts';
import { checkChunks, DEFAULT_FILM_LIMITS, type FilmLimits } from './film-limits.js';
import type { FrameIndex } from './frame-index.js';
import { rangeFrames } from './plan.js';

/** Sound that is planned is heard at this rate, in mono, whatever analyses want of it: cuts are a function of the media alone. */
export const PLANNING_RATE = 16_000;
/** Milliseconds in which the loudness of one step is measured; chunks are cut between steps. */
const STEP_MS = 10;
const STEP_SAMPLES = (PLANNING_RATE * STEP_MS) / 1000;
/** Steps of a chunk: it is cut at the quietest point between these, and stays whole when no more is left than the longer one. */
const SHORTEST = 20_000 / STEP_MS;
const LONGEST = 30_000 / STEP_MS;
/** Steps on both sides of a cut over which quiet is measured: a pause between words, not a zero crossing. */
const AROUND = 150 / STEP_MS;

/**
 * Cuts sound into chunks: contiguous, all of it, of 20–30 s but for the last one, each cut where it is quietest; of equally quiet
 * points at the last one. `pieces` are samples at PLANNING_RATE in mono, cut anywhere; no more than a chunk of their loudness is
 * kept. Throws TOO_LARGE for more chunks than `limits` allow.
 */
export async function planAudioGrid(
  pieces: AsyncIterable<Float32Array>,
  limits: FilmLimits = DEFAULT_FILM_LIMITS,
): Promise<AudioInterval[]> {
  const grid: AudioInterval[] = [];
  let startMs = 0;
  const add = (endMs: number): void => {
    grid.push({ startMs, endMs });
    checkChunks(grid.length, limits);
    startMs = endMs;
  };
  /** Energies of the steps since `startMs`. */
  let steps: number[] = [];
  let energy = 0;
  let samples = 0;
  const step = (): void => {
    steps.push(energy);
    energy = 0;
    if (steps.length < LONGEST + AROUND) return;
    const cut = quietest(steps);
    steps = steps.slice(cut);
    add(startMs + cut * STEP_MS);
  };
  for await (const piece of pieces) {
    for (const sample of piece) {
      // What is no number is no sound.
      if (Number.isFinite(sample)) energy += sample * sample;
      samples += 1;
      if (samples % STEP_SAMPLES === 0) step();
    }
  }
  const endMs = Math.ceil((samples * 1000) / PLANNING_RATE);
  while (endMs - startMs > LONGEST * STEP_MS) {
    const cut = quietest(steps);
    steps = steps.slice(cut);
    add(startMs + cut * STEP_MS);
  }
  if (endMs > startMs) add(endMs);
  return grid;
}

/** The number of steps before the quietest cut. */
function quietest(steps: readonly number[]): number {
  let best = LONGEST;
  let least = Infinity;
  for (let cut = SHORTEST; cut <= LONGEST; cut++) {
    const around = steps.slice(cut - AROUND, cut + AROUND);
    const loudness = around.reduce((sum, energy) => sum + energy, 0) / around.length;
    if (loudness > least) continue;
    [best, least] = [cut, loudness];
  }
  return best;
}

/**
 * The chunks of a range: those inside it as they are in the grid (their observations may be known already), those at its ends
 * cut to the millisecond. Frames of a film are a range of the time in which they are shown. Throws MEDIA_INVALID for a range
 * outside, or of frames where there are none.
 */
export function planAudioRange(
  grid: readonly AudioInterval[],
  film: { facts: VideoFacts; index: FrameIndex } | null,
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

function rangeMs(film: { facts: VideoFacts; index: FrameIndex } | null, range: ProcessingRange): [number, number] {
  if (!('frame_start' in range || 'frame_end' in range)) {
    const { time_start: from = 0, time_end: to = Infinity } = range as { time_start?: number; time_end?: number };
    const start = Math.round(from * 1000);
    return [start, Math.max(Math.round(to * 1000), start + 1)];
  }
  if (film === null) throw new AditError('MEDIA_INVALID', 'The range is one of frames, which sound alone has none of.');
  const { facts, index } = film;
  const [first, end] = rangeFrames(facts, index, range);
  const ms = (frame: number): number => Math.round(index.seconds(index.ptsOf(frame)) * 1000);
  // A range to the end of the film takes what is heard after its last frame, too.
  return [ms(first), end >= index.totalFrames ? Infinity : Math.max(ms(end), ms(first) + 1)];
}
