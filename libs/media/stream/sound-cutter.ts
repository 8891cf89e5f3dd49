import type { AudioInterval } from '@adit/contracts';
import { LIVE_SOUND_RATE, type SoundBlock } from './live-sound.js';

/** A decoded part of a stream's sound. Positions are samples from the zero of the stream's clock. */
export interface LiveSound {
  interval: AudioInterval;
  /** Position of the first of `samples`, which begin up to `LEAD_SECONDS` before the part and end behind it. */
  start: number;
  samples: Float32Array;
  /** Why sound may be missing before it, where that is known. */
  missing?: string;
  /** Milliseconds since 1970 when its own last sample was decoded, or a little later. */
  arrived: number;
}

const SECOND = LIVE_SOUND_RATE;
/** Parts are whole milliseconds. */
const MS = LIVE_SOUND_RATE / 1000;
/** A step of loudness, 10 ms. */
const STEP = 10 * MS;
/** Seconds of sound before a part that come with it. */
export const LEAD_SECONDS = 30;
/** Steps of the shortest part, of one that ends at any pause, and of the longest. */
const [SHORTEST, SOON, LONGEST] = [300, 450, 600];
/** Steps from the start of a pause within which it is cut where it is quietest: words fade away. */
const FADING = 30;
/**
 * Steps of sound that is known behind the place where a pause is looked for. At least 1.2 s of it come with a part:
 * voices are told apart by windows of 1.6 s, and one that begins at its end has to be three quarters full.
 */
const TRAIL = 150;
/** Steps on both sides of a cut over which loudness is measured: 0.3 s, a pause rather than a consonant. */
const AROUND = 15;
/** Power of a pause, as a share of the loudest 0.3 s of the part: where sentences end, and where words do. */
const [PAUSE, BREATH] = [0.01, 0.03];
/** Mean square of silence: -60 dB. */
const SILENCE = 1e-6;

/** Distance of two samples by their times that is no gap: containers are imprecise. As for films. */
const ROUGH = 0.1 * SECOND;
/** A part of a run that is shorter says nothing. */
const LEAST = 0.1 * SECOND;
/** Time by which sound may be placed by pictures that come after it. */
const BEFORE_PICTURE_US = 5_000_000;
/** Time by which sound may be ahead of the pictures; it is held until they follow. */
const AHEAD_US = 10_000_000;
/** Sound that is held for pictures; the oldest is left out beyond that. */
const HELD = 30 * SECOND;

/** A place where the run's clock is put on that of the stream: what follows has this distance. */
interface Anchor {
  runUs: number;
  us: number;
}

interface SoundCutting {
  /** Run time of the first picture, from which run times of pictures are counted, in samples. */
  zero: number;
  /** Stream time up to which sound was read before, in microseconds: what comes again is dropped. */
  from: number;
  /** Seconds whose multiples on the stream's clock no part reaches over; left out: none. */
  borderSeconds?: number | undefined;
  onSound: (sound: LiveSound) => void;
}

/**
 * Puts the sound of a run on the stream's clock, by its pictures, and cuts it: at the first pause behind 3 s, at a
 * shorter one behind 4.5 s, where it is quietest before 6 s are over, and at borders. Gaps end a part; nothing is put
 * into them.
 */
export class SoundCutter {
  private readonly anchors: Anchor[] = [];
  private seenUs = -Infinity;
  private held: SoundBlock[] = [];
  private heldSamples = 0;
  private readonly tape = new Tape();
  /** Position of the part that is being read; null before the first sample and behind a gap. */
  private own: number | null = null;
  private steps: number[] = [];
  /** Position up to which all was read or dropped. */
  private next: number;
  /** Position of the next sample if the run goes on without a gap and repeats nothing. */
  private expected: number | null = null;
  /** Why sound is missing before the part that is being read. */
  private missing: string | undefined;

  constructor(private readonly cutting: SoundCutting) {
    this.next = Math.ceil((cutting.from * SECOND) / 1e6);
  }

  /** Notes a picture of the run, and what places it. */
  see(runUs: number, anchor: Anchor): void {
    this.seenUs = runUs;
    const last = this.anchors.at(-1);
    // The run's clock is corrected little by little.
    if (last?.runUs === anchor.runUs) last.us = anchor.us;
    else this.anchors.push({ ...anchor });
    // Only those that sound may still need: a run may go on for days.
    if (this.anchors.length > 2) this.anchors.shift();
  }

  add(blocks: readonly SoundBlock[]): void {
    for (const block of blocks) {
      this.held.push(block);
      this.heldSamples += block.samples.length;
    }
    while (this.heldSamples > HELD) this.heldSamples -= this.held.shift()?.samples.length ?? 0;
    for (let first = this.held[0]; first !== undefined && this.place(first); first = this.held[0]) {
      this.held.shift();
      this.heldSamples -= first.samples.length;
    }
  }

  /** Seconds of sound in memory. */
  get heldSeconds(): number {
    return (this.heldSamples + this.tape.length) / SECOND;
  }

  /** The run has ended: cuts what is left. */
  end(): void {
    this.cutRest();
  }

  /** False for a block whose pictures are still to come. */
  private place({ start, samples, missing }: SoundBlock): boolean {
    const run = start - Math.round(this.cutting.zero);
    const runUs = (run / SECOND) * 1e6;
    if (this.anchors.length === 0 || runUs > this.seenUs + AHEAD_US) return false;
    const anchor = this.anchors.findLast((each) => each.runUs - BEFORE_PICTURE_US <= runUs) ?? this.anchors[0];
    if (anchor === undefined) return false;
    this.lay(run + Math.round(((anchor.us - anchor.runUs) * SECOND) / 1e6), samples, missing);
    return true;
  }

  private lay(position: number, samples: Float32Array, missing: string | undefined): void {
    const isNear = this.expected !== null && Math.abs(position - this.expected) <= ROUGH;
    const at = isNear && this.expected !== null ? this.expected : position;
    this.expected = at + samples.length;
    // It was read before.
    const repeated = Math.max(this.next - at, 0);
    if (repeated >= samples.length) return;
    if (at > this.next || this.own === null) {
      this.cutRest();
      this.missing = missing ?? this.missing;
      this.tape.restart(at + repeated);
      this.own = Math.ceil((at + repeated) / MS) * MS;
    }
    this.tape.add(samples.subarray(repeated));
    this.next = at + samples.length;
    this.measure();
  }

  /** Measures the steps that are complete, and cuts where one may. */
  private measure(): void {
    while (this.own !== null && this.next >= this.own + (this.steps.length + 1) * STEP) {
      const from = this.own + this.steps.length * STEP;
      this.steps.push(this.tape.power(from, from + STEP));
      const border = this.borderBehind(this.own);
      if (from + STEP >= border) {
        if (border - this.own >= LEAST) this.emit(this.own, border);
        this.own = border;
        this.steps = [];
        continue;
      }
      const cut = cutIn(this.steps);
      if (cut === null) continue;
      const end: number = this.own + cut * STEP;
      this.emit(this.own, end);
      this.own = end;
      this.steps = this.steps.slice(cut);
    }
  }

  private borderBehind(position: number): number {
    const { borderSeconds } = this.cutting;
    if (borderSeconds === undefined) return Infinity;
    return (Math.floor(position / (borderSeconds * SECOND)) + 1) * borderSeconds * SECOND;
  }

  private cutRest(): void {
    if (this.own === null) return;
    const end = Math.floor(this.next / MS) * MS;
    if (end - this.own >= LEAST) this.emit(this.own, end);
    this.own = null;
    this.steps = [];
  }

  private emit(from: number, to: number): void {
    const start = Math.max(from - LEAD_SECONDS * SECOND, this.tape.start);
    const end = Math.min(to + (TRAIL - FADING) * STEP, this.next);
    this.cutting.onSound({
      interval: { startMs: from / MS, endMs: to / MS },
      start,
      samples: this.tape.samples(start, end),
      arrived: Date.now(),
      ...(this.missing !== undefined && { missing: this.missing }),
    });
    this.missing = undefined;
    this.tape.forget(to - LEAD_SECONDS * SECOND);
  }
}

/**
 * Returns the number of steps before the cut of a part whose latest step has just been measured; null where it goes on.
 * A pause is looked for before the last 1.5 s.
 */
export function cutIn(powers: readonly number[]): number | null {
  const at = powers.length - TRAIL;
  if (at < SHORTEST) return null;
  const here = around(powers, at);
  const loudest = Math.max(...Array.from({ length: Math.ceil(at / AROUND) }, (_, i) => around(powers, i * AROUND)));
  const isPause = here <= SILENCE || here <= loudest * (at < SOON ? PAUSE : BREATH);
  // What is silent from the start may be longer.
  if (isPause && loudest > SILENCE) return quietest(powers, at, at + FADING);
  return at < LONGEST ? null : quietest(powers, SOON, at);
}

/** Returns the quietest step of a range, the last one of several. */
function quietest(powers: readonly number[], from: number, to: number): number {
  let best = from;
  for (let cut = from; cut <= to; cut++) if (around(powers, cut) <= around(powers, best)) best = cut;
  return best;
}

/** Mean square around the border before a step. */
function around(powers: readonly number[], step: number): number {
  const near = powers.slice(Math.max(step - AROUND, 0), step + AROUND);
  return near.reduce((sum, power) => sum + power, 0) / Math.max(near.length, 1);
}

/** The latest samples without a gap. */
class Tape {
  start = 0;
  private end = 0;
  private buffer = new Float32Array(SECOND);

  get length(): number {
    return this.end - this.start;
  }

  restart(start: number): void {
    this.start = start;
    this.end = start;
  }

  add(samples: Float32Array): void {
    const { length } = this;
    if (length + samples.length > this.buffer.length) {
      const larger = new Float32Array(2 * (length + samples.length));
      larger.set(this.buffer.subarray(0, length));
      this.buffer = larger;
    }
    this.buffer.set(samples, length);
    this.end += samples.length;
  }

  samples(from: number, to: number): Float32Array {
    return this.buffer.slice(from - this.start, to - this.start);
  }

  /** Mean square of a part. */
  power(from: number, to: number): number {
    let sum = 0;
    for (const sample of this.buffer.subarray(from - this.start, to - this.start)) {
      // NaN and infinite samples count as silence.
      if (isFinite(sample)) sum += sample * sample;
    }
    return sum / (to - from);
  }

  forget(before: number): void {
    if (before <= this.start) return;
    this.buffer.copyWithin(0, before - this.start, this.end - this.start);
    this.start = before;
  }
}
