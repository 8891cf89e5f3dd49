import { elementAt, matchGreedily } from '@adit/contracts';
import { overlap, type PixelBox, type RgbImage } from '@adit/inference';
import { cosine } from '../faces/embedding.js';
import { FOLLOWED_SECONDS } from '../tracking/gaps.js';
import type { DetectedLine } from './detect.js';

/** A line in one sampled frame; `index` counts the unit's sampled frames, the box is upright and in fractions. */
export interface SightedLine extends DetectedLine {
  index: number;
  /** Seconds from the source's first frame. */
  time: number;
  box: PixelBox;
  appearance: Float32Array;
}

/** One followed line; `steadiness` is the mean similarity of its appearances, see observations. */
export interface FollowedLine {
  sightings: SightedLine[];
  steadiness: number;
}

const ACROSS = 32;
const DOWN = 8;
/** Intersection over union of one line's boxes in neighbouring frames. */
export const MIN_OVERLAP = 0.35;
/** Similarity below which other words are in the same place; words that blend in or out stay similar. */
export const MIN_LIKENESS = 0.55;

/** Returns the upright box around a line's corners. */
export function boxOf({ corners }: DetectedLine): PixelBox {
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}

/**
 * Returns a line's appearance: luma in 32×8 cells of its box, normalised for brightness and contrast, so that a product
 * is a correlation.
 */
export function lumaTemplate(picture: RgbImage, box: PixelBox): Float32Array {
  const appearance = new Float32Array(ACROSS * DOWN);
  for (let row = 0; row < DOWN; row++) {
    for (let column = 0; column < ACROSS; column++) {
      const x = Math.floor((box.x + ((column + 0.5) / ACROSS) * box.w) * picture.width);
      const y = Math.floor((box.y + ((row + 0.5) / DOWN) * box.h) * picture.height);
      const at = (Math.min(y, picture.height - 1) * picture.width + Math.min(x, picture.width - 1)) * 3;
      const [r, g, b] = [elementAt(picture.data, at), elementAt(picture.data, at + 1), elementAt(picture.data, at + 2)];
      appearance[row * ACROSS + column] = 0.299 * r + 0.587 * g + 0.114 * b;
    }
  }
  const mean = appearance.reduce((sum, value) => sum + value, 0) / appearance.length;
  const norm = Math.sqrt(appearance.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return appearance.map((value) => (norm > 0 ? (value - mean) / norm : 0));
}

/**
 * Follows lines by position and appearance. Unlike faces they are followed across cuts, since a caption stays while the
 * shot changes. Text that moves more than its own height between samples, such as rolling credits, becomes many lines.
 */
export class LineFollower {
  private readonly open: { sightings: SightedLine[]; likeness: number }[] = [];
  private readonly closed: FollowedLine[] = [];

  /** Adds all lines of one sampled frame at `time`; `templateOf` gives the appearance of any box in this frame. */
  add(lines: readonly SightedLine[], time: number, templateOf: (box: PixelBox) => Float32Array): void {
    for (const track of [...this.open]) {
      if (time - elementAt(track.sightings, -1).time > FOLLOWED_SECONDS) this.end(track);
    }
    const pairs = this.open.flatMap((track) => {
      const last = elementAt(track.sightings, -1);
      // Compares the same place in both frames, since detected boxes waver by a pixel and letters would not match.
      const likeness = cosine(last.appearance, templateOf(last.box));
      if (likeness < MIN_LIKENESS) return [];
      return lines
        .map((line) => ({ left: track, right: line, likeness, cost: -overlap(last.box, line.box) }))
        .filter(({ cost }) => -cost >= MIN_OVERLAP);
    });
    const taken = new Set<SightedLine>();
    for (const { left: track, right: line, likeness } of matchGreedily(pairs)) {
      track.sightings.push(line);
      track.likeness += likeness;
      taken.add(line);
    }
    for (const line of lines) if (!taken.has(line)) this.open.push({ sightings: [line], likeness: 0 });
  }

  /** Returns every line, in the order of first sight. */
  finish(): FollowedLine[] {
    for (const track of [...this.open]) this.end(track);
    return this.closed.sort((a, b) => {
      const [first, second] = [elementAt(a.sightings, 0), elementAt(b.sightings, 0)];
      return first.index - second.index || first.box.y - second.box.y || first.box.x - second.box.x;
    });
  }

  private end(track: { sightings: SightedLine[]; likeness: number }): void {
    this.open.splice(this.open.indexOf(track), 1);
    const steps = track.sightings.length - 1;
    this.closed.push({ sightings: track.sightings, steadiness: steps === 0 ? 1 : track.likeness / steps });
  }
}
