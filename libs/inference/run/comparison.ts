import { matchGreedily, type Box } from '@adit/contracts';
import { overlap } from '../picture/box.js';

/** What a version of a network saw in one picture. */
export interface Seen {
  label: string;
  /** The network's own, 0..1. */
  score: number;
  /** In fractions of the picture; null for what is said of the whole of it. */
  box: Box | null;
}

/** How often two versions said a label of the same thing, and how often one alone did. */
export interface Agreement {
  both: number;
  stable: number;
  candidate: number;
}

/** A picture of which two versions said different things. */
export interface Difference {
  /** Among the pictures of the pack. */
  index: number;
  frame: number;
  /** Seconds from the source's first frame. */
  time: number;
  /** Sum of the scores of what one alone saw. */
  difference: number;
  stable: Seen[];
  candidate: Seen[];
}

/** What two versions of a network made of the same unit. */
export interface Comparison {
  /** Pictures that both looked at. */
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

/** Pairs of the same thing, of what two versions saw in one picture. */
export type MatchSeen = (stable: readonly Seen[], candidate: readonly Seen[]) => { left: Seen; right: Seen }[];

/** Intersection over union from which two boxes of a label are the same thing, as PASCAL VOC counts. */
const SAME_FROM = 0.5;

/** Boxes of the same label that overlap by half or more; those that overlap most first. */
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
 * Compares what two versions saw in the same pictures, in their order. What neither is surer of than `sureFrom` counts for
 * nothing: a score that wanders about a bound is no difference, so what one is sure of is held against all that the other saw.
 * With `countedAs` all counts under that: labels that are sentences, or text of somebody's pictures, are nobody else's.
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
