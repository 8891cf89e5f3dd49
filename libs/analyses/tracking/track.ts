import { elementAt, matchGreedily, type Pair } from '@adit/contracts';
import { overlap, type PixelBox } from '@adit/inference';
import { FOLLOWED_SECONDS } from './gaps.js';

/** An object in one sampled frame, its box in fractions of the frame; `index` counts the unit's sampled frames. */
export interface Sighted extends PixelBox {
  index: number;
  /** Seconds from the source's first frame. */
  time: number;
}

/** One followed object: its sightings in the order of time, at most one per frame. */
export interface Followed<S extends Sighted> {
  id: number;
  sightings: S[];
}

const MIN_OVERLAP = 0.2;
/** Largest movement without overlap between two samples, in sizes of the object. */
const MAX_SHIFT = 1.2;
const MAX_GROWTH = 1.6;

/**
 * Follows objects of one kind from sample to sample by position alone: the predicted box first, nearness second. At two
 * frames per second position means nothing across a cut, so every track ends there; callers decide which tracks belong
 * together.
 */
export class Tracker<S extends Sighted> {
  private readonly open: Followed<S>[] = [];
  private readonly closed: Followed<S>[] = [];
  private nextId = 0;

  /** `afterCut`: the frame belongs to another shot than the one before. */
  add(sightings: readonly S[], afterCut: boolean): void {
    const time = sightings[0]?.time;
    if (afterCut) this.closed.push(...this.open.splice(0));
    if (time === undefined) return;
    const late = this.open.filter((track) => time - elementAt(track.sightings, -1).time > FOLLOWED_SECONDS);
    for (const track of late) this.closed.push(...this.open.splice(this.open.indexOf(track), 1));

    // In the order of tracks, then of sightings: ties go to the earlier track.
    const pairs: Pair<Followed<S>, S>[] = [];
    for (const track of this.open) {
      for (const sighting of sightings) {
        const score = affinity(track, sighting);
        if (score > 0) pairs.push({ left: track, right: sighting, cost: -score });
      }
    }
    const taken = new Set<S>();
    for (const { left: track, right: sighting } of matchGreedily(pairs)) {
      track.sightings.push(sighting);
      taken.add(sighting);
    }
    for (const sighting of sightings) {
      if (!taken.has(sighting)) this.open.push({ id: this.nextId++, sightings: [sighting] });
    }
  }

  /** Returns every track, in order of first sight. */
  finish(): Followed<S>[] {
    return [...this.closed, ...this.open].sort((a, b) => a.id - b.id);
  }
}

/** Returns a value above 1 where the predicted box overlaps; 0..1 where it is near enough; 0 for a different object. */
function affinity(track: Followed<Sighted>, sighting: Sighted): number {
  const last = elementAt(track.sightings, -1);
  const growth = Math.max(last.h / sighting.h, sighting.h / last.h);
  if (growth > MAX_GROWTH) return 0;
  const expected = predict(track, sighting.time);
  const common = Math.max(overlap(expected, sighting), overlap(last, sighting));
  if (common >= MIN_OVERLAP) return 1 + common;
  // Boxes are fractions: widths are compared with widths, heights with heights.
  const dx = (centre(sighting).x - centre(last).x) / last.w;
  const dy = (centre(sighting).y - centre(last).y) / last.h;
  const shift = Math.hypot(dx, dy);
  return shift < MAX_SHIFT ? 1 - shift / MAX_SHIFT : 0;
}

/** Predicts the box by extrapolating the last two sightings. */
function predict({ sightings }: Followed<Sighted>, time: number): PixelBox {
  const last = elementAt(sightings, -1);
  const before = sightings.at(-2);
  if (!before) return last;
  const factor = (time - last.time) / (last.time - before.time);
  if (!Number.isFinite(factor) || factor > 2) return last;
  return { x: last.x + (last.x - before.x) * factor, y: last.y + (last.y - before.y) * factor, w: last.w, h: last.h };
}

function centre(box: PixelBox): { x: number; y: number } {
  return { x: box.x + box.w / 2, y: box.y + box.h / 2 };
}
