import { AditError } from '@adit/contracts';
import type { FilmLimits } from '../film-limits.js';
import { NumberList } from '../ffmpeg/number-list.js';

/** Samples `from` to `to` (exclusive) of the decoded sound, per channel, and the source position of the first one. */
export interface SoundPiece {
  from: number;
  to: number;
  at: number;
}

export interface SoundStart {
  /** Samples from the clock's zero to the source's start; null where the source starts with its first sample. */
  start: number | null;
  /** True for Ogg, whose chained links all count from 0, in units of the first one's rate. */
  isOgg: boolean;
  limits: FilmLimits;
}

const COUNTED = 'lavfi.astats.Overall.Number_of_samples';

/**
 * End of a filter chain that prints the time and sample count of each frame on standard output, for a SoundClock. It
 * strips the times from frames, since raw sample files have none and ffmpeg would complain of jumps.
 */
export const TELL_TIMES =
  'astats=metadata=1:reset=1:measure_perchannel=none:measure_overall=Number_of_samples,' +
  `ametadata=print:key=${COUNTED}:file=-,asetpts=NAN`;

/** Container clocks are imprecise; smaller deviations count as continuous. */
const ROUGH_SECONDS = 0.1;
/** Number of gaps in a day of sound with one in each second. */
const MAX_JUMPS = 100_000;
/** Seconds that sound may extend beyond the longest film. */
const BEHIND_SECONDS = 60;

/**
 * Places decoded samples by the times of their packets. ffmpeg rebuilds its filters wherever the format changes within
 * a recording, and they lose their state about the start and about gaps, so it is tracked here. Gaps are silence and
 * repeated sound is dropped. In sound alone, a clock that restarts marks a recording joined to the one before.
 */
export class SoundClock {
  private readonly froms = new NumberList();
  private readonly positions = new NumberList();
  /** Samples reported so far. */
  private reported = 0;
  /** Position of the next sample if the sound is continuous. */
  private next = 0;
  private start: number | null;
  private pts: number | null = null;
  private isBelieved = true;
  private isJoin = false;

  constructor(
    private readonly sampleRate: number,
    private readonly source: SoundStart,
  ) {
    this.start = source.start;
  }

  /** Takes one line written by TELL_TIMES. */
  add(line: string): void {
    const time = /^frame:\d+\s+pts:(-?\d+)/.exec(line)?.[1];
    if (line.startsWith('frame:')) this.pts = time === undefined ? null : Number(time);
    const count = line.startsWith(`${COUNTED}=`) ? Number.parseInt(line.slice(COUNTED.length + 1), 10) : NaN;
    if (count > 0) this.place(count);
  }

  /** Starts another recording, which is placed after the one before. */
  join(): void {
    this.isJoin = true;
    this.isBelieved = true;
  }

  /** Returns the pieces of `total` samples per channel that are played, in order and without overlap. */
  pieces(total: number): SoundPiece[] {
    const pieces: SoundPiece[] = [];
    const [froms, positions] = [this.froms.view(), this.positions.view()];
    let end = 0;
    for (const [i, position] of positions.entries()) {
      const at = Math.max(position, end);
      const from = (froms[i] ?? 0) + at - position;
      const to = Math.min(froms[i + 1] ?? total, total);
      if (from >= to) continue;
      const last = pieces.at(-1);
      if (last?.to === from && end === at) last.to = to;
      else pieces.push({ from, to, at });
      end = at + to - from;
    }
    return pieces;
  }

  private place(count: number): void {
    const rough = ROUGH_SECONDS * this.sampleRate;
    const isFirst = this.reported === 0;
    if (this.pts !== null && this.isJoin) this.start = this.pts - this.next;
    if (this.pts !== null) this.start ??= this.pts;
    this.isJoin = false;
    let position = this.pts === null || !this.isBelieved ? this.next : Math.round(this.pts - (this.start ?? 0));
    if (this.pts !== null && position < this.next - rough && this.source.start === null) {
      this.start = this.pts - this.next;
      position = this.next;
      if (this.source.isOgg) this.isBelieved = false;
    }
    if (isFirst || Math.abs(position - this.next) > rough) this.jump(position);
    this.next += count;
    this.reported += count;
  }

  private jump(position: number): void {
    const seconds = this.source.limits.maxFilmSeconds + BEHIND_SECONDS;
    if (position > seconds * this.sampleRate) {
      throw new AditError(
        'LIMIT_EXCEEDED',
        `By its timestamps there is sound ${(position / this.sampleRate).toFixed(1)} s behind the start; a film may last ` +
          `${this.source.limits.maxFilmSeconds} s.`,
      );
    }
    if (this.positions.length >= MAX_JUMPS) {
      throw new AditError('MEDIA_INVALID', `The timestamps of the sound jump more than ${MAX_JUMPS} times.`);
    }
    this.froms.push(this.reported);
    this.positions.push(position);
    this.next = position;
  }
}
