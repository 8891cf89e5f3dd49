import { matchGreedily, type Box } from '@adit/contracts';
import { overlap } from '../picture/box.js';

/** Finding of a version of a network in one picture. */
export interface Seen {
  label: string;
  /** Score of the network, 0..1. */
  score: number;
  /** In fractions of the picture; null for the whole picture. */
  box: Box | null;
}

/** Counts of a label that both versions found, or one alone. */
export interface Agreement {
  both: number;
  stable: number;
  candidate: number;
}

/** A picture in which the findings of two versions differ. */
export interface Difference {
  /** Index among the pictures of the pack. */
  index: number;
  frame: number;
  /** Seconds from the source's first frame. */
  time: number;
  /** Sum of the scores that one version alone found. */
  difference: number;
  stable: Seen[];
  candidate: Seen[];
}

/** Comparison of two versions of a network over one unit. */
export interface Comparison {
  /** Number of pictures that both analysed. */
  pictures: number;
  labels: Map<string, Agreement>;
  differences: Difference[];
}

/** One picture as one version saw it. */
export interface ComparedPicture {
  frame: number;
  time: number;
  seen: Seen[];
}

/** Matches findings of two versions in one picture that mean the same thing. */
export type MatchSeen = (stable: readonly Seen[], candidate: readonly Seen[]) => { left: Seen; right: Seen }[];

/** Intersection over union from which two boxes of a label match, as in PASCAL VOC. */
const SAME_FROM = 0.5;

/** Matches boxes of the same label that overlap by half or more, the largest overlap first. */
export const matchBoxes: MatchSeen = (stable, candidate) =>
  matchGreedily(
    stable.flatMap((left) =>
      candidate.flatMap((right) => {
        if (left.label !== right.label || left.box === null || right.box === null) return [];
        const common = overlap(left.box, right.box);
        return common < SAME_FROM ? [] : { left, right, cost: -common };
      }),
    ),
  );

/**
 * Compares the findings of two versions in the same pictures, in order. Findings below `sureFrom` in both versions are
 * ignored: a score that fluctuates around the threshold is no difference, so each version's sure findings are compared
 * with all of the other's. With `countedAs` everything counts under that label, since sentences and texts from private
 * pictures must not appear in statistics.
 */
export function comparePictures(
  stable: readonly ComparedPicture[],
  candidate: readonly ComparedPicture[],
  { match, sureFrom, countedAs }: { match: MatchSeen; sureFrom: number; countedAs?: string },
): Comparison {
  const others = new Map(candidate.map(({ frame, seen }) => [frame, seen]));
  const comparison: Comparison = { pictures: 0, labels: new Map(), differences: [] };
  for (const [index, { frame, time, seen }] of stable.entries()) {
    const other = others.get(frame);
    if (other === undefined) continue;
    comparison.pictures += 1;
    const pairs = match(seen, other);
    const [lefts, rights] = [new Set(pairs.map(({ left }) => left)), new Set(pairs.map(({ right }) => right))];
    const sure = ({ score }: Seen): boolean => score >= sureFrom;
    const alone = {
      stable: seen.filter((each) => sure(each) && !lefts.has(each)),
      candidate: other.filter((each) => sure(each) && !rights.has(each)),
    };
    for (const { left, right } of pairs)
      if (sure(left) || sure(right)) count(comparison.labels, countedAs ?? left.label, 'both');
    for (const side of ['stable', 'candidate'] as const) {
      for (const { label } of alone[side]) count(comparison.labels, countedAs ?? label, side);
    }
    const difference = [...alone.stable, ...alone.candidate].reduce((sum, { score }) => sum + score, 0);
    if (difference > 0) {
      comparison.differences.push({
        ...{ index, frame, time, difference },
        stable: seen.filter((each) => sure(each)),
        candidate: other.filter((each) => sure(each)),
      });
    }
  }
  return comparison;
}

function count(labels: Map<string, Agreement>, label: string, side: keyof Agreement): void {
  const agreement = labels.get(label) ?? { both: 0, stable: 0, candidate: 0 };
  agreement[side] += 1;
  labels.set(label, agreement);
}
