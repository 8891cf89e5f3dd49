import { elementAt, float64At } from '@adit/contracts';

/**
 * Pairs that lie near each other, beyond which nobody is joined. Whoever clusters leaves few; a crowd of one face, told apart since one
 * picture shows it, has half a square of them, and each join looks through all.
 */
const MOST_PAIRS = 5_000;

/** Members known by their mean alone: its direction, of length 1, and how much counts in it. */
export interface Mean {
  direction: ArrayLike<number>;
  weight: number;
}

interface Group {
  members: number[];
  direction: Float64Array;
  weight: number;
}

interface Near {
  a: Group;
  b: Group;
  squared: number;
}

/**
 * Which of these are one, since their means lie within `maxDistance` of each other: the nearest two are joined first and have one
 * mean from then on, until no two are near. The same whatever order their members came in, which leader clustering is not: whoever
 * comes between two groups joins them no more there. `areApart` says which two of those given are never one. Of a crowd whose members
 * are near each other nobody is joined.
 *
 * @returns places in `means`, in groups; both in rising order.
 */
export function* joinNear(
  means: readonly Mean[],
  maxDistance: number,
  areApart: (one: number, other: number) => boolean,
): Generator<void, number[][]> {
  const limit = maxDistance ** 2;
  const groups = new Set(means.map((mean, at) => groupOf(mean, at)));
  const pairs = (a: Group, others: Iterable<Group>): Near[] =>
    [...others].flatMap((b) => {
      const squared = squaredDistance(a.direction, b.direction, limit);
      return squared <= limit ? [{ a, b, squared }] : [];
    });
  let near: Near[] = [];
  const before: Group[] = [];
  for (const group of groups) {
    near.push(...pairs(group, before));
    if (near.length > MOST_PAIRS) return means.map((_, at) => [at]);
    before.push(group);
    yield;
  }
  near.sort(nearestFirst);
  for (let next = near.shift(); next !== undefined; next = near.shift()) {
    const { a, b } = next;
    if (a.members.some((one) => b.members.some((other) => areApart(one, other)))) continue;
    groups.delete(a);
    groups.delete(b);
    const members = [...a.members, ...b.members].sort((one, other) => one - other);
    const joined = { members, ...joinedMean(members.map((member) => elementAt(means, member))) };
    near = [...near.filter((pair) => groups.has(pair.a) && groups.has(pair.b)), ...pairs(joined, groups)];
    near.sort(nearestFirst);
    groups.add(joined);
    yield;
  }
  return [...groups].map(({ members }) => members).sort((a, b) => elementAt(a, 0) - elementAt(b, 0));
}

/** The mean of some, which is what one has of all their members. */
export function joinedMean(means: readonly Mean[]): Mean & { direction: Float64Array } {
  const dimensions = means[0]?.direction.length ?? 0;
  const sum = Float64Array.from({ length: dimensions }, (_, axis) =>
    means.reduce((total, { direction, weight }) => total + elementAt(direction, axis) * weight, 0),
  );
  const length = Math.hypot(...sum) || 1;
  return {
    direction: sum.map((value) => value / length),
    weight: means.reduce((total, { weight }) => total + weight, 0),
  };
}

function groupOf({ direction, weight }: Mean, at: number): Group {
  return { members: [at], direction: Float64Array.from(direction), weight };
}

/** Of equally near ones those whose first members come first. */
function nearestFirst(one: Near, other: Near): number {
  const [a, b] = [firstOf(one), firstOf(other)];
  return one.squared - other.squared || elementAt(a, 0) - elementAt(b, 0) || elementAt(a, 1) - elementAt(b, 1);
}

function firstOf({ a, b }: Near): number[] {
  return [elementAt(a.members, 0), elementAt(b.members, 0)].sort((one, other) => one - other);
}

/** Gives up with Infinity once it is beyond the limit, as nearly all are. */
function squaredDistance(one: Float64Array, other: Float64Array, limit: number): number {
  let sum = 0;
  for (let at = 0; at < one.length;) {
    const end = Math.min(one.length, at + 64);
    for (; at < end; at += 1) {
      sum += (float64At(one, at) - float64At(other, at)) ** 2;
    }
    if (sum > limit) return Infinity;
  }
  return sum;
}
