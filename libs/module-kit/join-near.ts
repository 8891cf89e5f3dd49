import { elementAt, float64At } from '@adit/contracts';

/**
 * Number of near pairs above which nothing is joined. Clusters have few; a crowd of one face, separated because one
 * picture shows it, has half a square of them, and each join searches all.
 */
const MAX_PAIRS = 5_000;

/** Members known by their mean alone: its direction, of length 1, and its weight. */
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
 * Joins means within `maxDistance`, the nearest two first, which then have one mean, until no two are near. The result
 * does not depend on the order of their members, unlike leader clustering: an outlier between two groups no longer
 * joins them. `areApart` tells members that must never be joined. Nothing is joined in a crowd of near members.
 * @returns indexes into `means`, in groups; both ascending.
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
    if (near.length > MAX_PAIRS) return means.map((_, at) => [at]);
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

/** Returns the mean of several, equal to the mean of all their members. */
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

/** Orders equally near ones by their first members. */
function nearestFirst(one: Near, other: Near): number {
  const [a, b] = [firstOf(one), firstOf(other)];
  return one.squared - other.squared || elementAt(a, 0) - elementAt(b, 0) || elementAt(a, 1) - elementAt(b, 1);
}

function firstOf({ a, b }: Near): number[] {
  return [elementAt(a.members, 0), elementAt(b.members, 0)].sort((one, other) => one - other);
}

/** Returns Infinity once it exceeds the limit, as it nearly always does. */
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
