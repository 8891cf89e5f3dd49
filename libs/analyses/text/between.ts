import { float32At, matchGreedily } from '@adit/contracts';
import { overlap, type PixelBox } from '@adit/inference';
import { cosine } from '../faces/embedding.js';
import type { DetectedLine } from './detect.js';
import { MIN_LIKENESS, MIN_OVERLAP, type SightedLine } from './follow.js';

/** Largest distance in seconds of analysed frames: longer text is in one of them. */
const MAX_SECONDS = 1.05;
/** Tolerance of a cell's brightness in a colour, of 255, outside of both neighbours' range. */
const OWN = 10;

/** Similarity from which a line is fully visible, and up to which it is gone: in between it blends in or out. */
const SURELY_THERE = 0.9;
const SURELY_GONE = 0.3;

/** A frame in which lines were detected. */
export interface AnalysedFrame {
  /** Seconds from the source's first frame. */
  time: number;
  /** Result of `frameSignature`. */
  signature: Float32Array;
  lines: readonly SightedLine[];
}

/** A frame between two of those. */
export interface Between {
  signature: Float32Array;
  /** Returns the appearance of any box in it. */
  templateOf: (box: PixelBox) => Float32Array;
}

/**
 * Infers the lines of a frame from its two neighbours: lines that both have and that look the same in it, and lines of
 * one neighbour that are certainly visible. Null where detection is necessary, also for a frame with content of its
 * own; detection costs more than all else.
 */
export function linesBetween(
  before: AnalysedFrame,
  after: AnalysedFrame,
  { signature, templateOf }: Between,
): DetectedLine[] | null {
  if (after.time - before.time > MAX_SECONDS || showsItsOwn(signature, before.signature, after.signature)) return null;
  const likeness = ({ appearance, box }: SightedLine): number => cosine(appearance, templateOf(box));
  const pairs = before.lines.flatMap((left) =>
    after.lines
      .map((right) => ({ left, right, cost: -overlap(left.box, right.box) }))
      .filter(({ cost }) => -cost >= MIN_OVERLAP),
  );
  const lines: DetectedLine[] = [];
  const inBoth = new Set<SightedLine>();
  for (const { left, right } of matchGreedily(pairs)) {
    // Other words in the same place are two lines.
    if (cosine(left.appearance, right.appearance) < MIN_LIKENESS) continue;
    if (Math.min(likeness(left), likeness(right)) < MIN_LIKENESS) return null;
    inBoth.add(left).add(right);
    const { score, corners } = left.score >= right.score ? left : right;
    lines.push({ score, corners });
  }
  for (const line of [...before.lines, ...after.lines].filter((each) => !inBoth.has(each))) {
    const alike = likeness(line);
    if (alike >= SURELY_THERE) lines.push({ score: line.score, corners: line.corners });
    else if (alike > SURELY_GONE) return null;
  }
  return lines;
}

/**
 * Tests whether a part of a frame is brighter or darker than in both neighbours: a shot or a bar that comes and goes in
 * between.
 */
function showsItsOwn(signature: Float32Array, before: Float32Array, after: Float32Array): boolean {
  return signature.some((own, cell) => {
    const [a, b] = [float32At(before, cell), float32At(after, cell)];
    return own < Math.min(a, b) - OWN || own > Math.max(a, b) + OWN;
  });
}
