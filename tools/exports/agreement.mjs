// Agreement of two answers to the same pictures.

/** From here on both have to have found a box; what one of them is a little less sure of may count for the other's. */
const SURE = 0.3;
/** Least width and height of a box, as a share of the picture's. */
const THINNEST = 0.005;
/** Jobs keep so many boxes of a picture, and so do some exporters. */
const MAX_BOXES = 100;
/** Two boxes that overlap less, or whose scores are farther apart, are not the same one. */
const SAME = 0.7;
const ABOUT = 0.1;
/** Tolerance of the score of the last of so many boxes. */
const EDGE = 0.01;

/**
 * { kind, compared, overlap, difference, missed }: of `boxes` the least overlap of two that are the same and the largest difference of
 * their scores, and how many have no counterpart; of `scores` the largest difference; of `embeddings` the least cosine as `overlap`.
 * Null where the exporter says nothing to compare.
 */
export function agreement(expected, found, sizes) {
  if (expected.boxes !== undefined) return ofBoxes(expected.boxes, found, sizes);
  if (expected.scores !== undefined) return ofScores(expected.scores, found);
  if (expected.embeddings !== undefined) return ofEmbeddings(expected.embeddings, found);
  return null;
}

function ofBoxes(expected, found, sizes) {
  const result = { kind: 'boxes', compared: 0, overlap: 1, difference: 0, missed: 0 };
  for (const [at, theirs] of expected.entries()) {
    const shown = theirs.map((each) => ({ ...each, box: within(each.box, sizes[at]) }));
    const wanted = bySureness(shown.filter(({ box }) => !isThin(box, sizes[at])));
    const ours = bySureness(found[at].boxes ?? []);
    const pairs = paired(wanted, ours);
    // Whoever says as many as it may has left others out, from the least sure of them on.
    const [leastOurs, leastTheirs] = [leastWhole(ours), leastWhole(wanted)];
    for (const [a, b] of pairs) {
      if (a.score < leastOurs && b.score < leastTheirs) continue;
      result.compared++;
      result.overlap = Math.min(result.overlap, overlapOf(a.box, b.box));
      result.difference = Math.max(result.difference, Math.abs(a.score - b.score));
    }
    const [left, right] = [new Set(pairs.map(([a]) => a)), new Set(pairs.map(([, b]) => b))];
    result.missed += wanted.filter((a) => !left.has(a) && a.score >= leastOurs).length;
    result.missed += ours.filter((b) => !right.has(b) && b.score >= leastTheirs).length;
  }
  return result;
}

function bySureness(boxes) {
  return [...boxes].sort((a, b) => b.score - a.score);
}

/** The score from which on `boxes`, sorted, have to hold what the other side has. */
function leastWhole(boxes) {
  return boxes.length < MAX_BOXES ? SURE : Math.max(SURE, boxes.at(-1).score + EDGE);
}

/** Boxes of one label, about as sure, that overlap most, each once, those that overlap most of all first. */
function paired(wanted, ours) {
  const all = wanted.flatMap((a) =>
    ours
      .filter(({ label, score }) => label === a.label && Math.abs(score - a.score) <= ABOUT)
      .map((b) => ({ a, b, overlap: overlapOf(a.box, b.box) })),
  );
  const taken = new Set();
  const pairs = [];
  for (const { a, b, overlap } of all.sort((one, other) => other.overlap - one.overlap)) {
    if (overlap < SAME || taken.has(a) || taken.has(b)) continue;
    taken.add(a).add(b);
    if (Math.max(a.score, b.score) >= SURE) pairs.push([a, b]);
  }
  return pairs;
}

/** True for the thin rest of a box outside of the picture, which jobs leave out. */
function isThin([left, top, right, bottom], { width, height }) {
  return right - left < THINNEST * width || bottom - top < THINNEST * height;
}

function within([left, top, right, bottom], { width, height }) {
  const across = (x) => Math.min(width, Math.max(0, x));
  const down = (y) => Math.min(height, Math.max(0, y));
  return [across(left), down(top), across(right), down(bottom)];
}

function overlapOf(a, b) {
  const side = (first, second) => Math.max(0, Math.min(a[second], b[second]) - Math.max(a[first], b[first]));
  const area = ([left, top, right, bottom]) => (right - left) * (bottom - top);
  const common = side(0, 2) * side(1, 3);
  const both = area(a) + area(b) - common;
  return both === 0 ? 0 : common / both;
}

function ofScores(expected, found) {
  const result = { kind: 'scores', compared: expected.length, overlap: null, difference: 0, missed: 0 };
  for (const [at, theirs] of expected.entries()) {
    const ours = found[at].scores ?? [];
    if (ours.length !== theirs.length) return { ...result, missed: expected.length };
    for (const [kind, score] of theirs.entries())
      result.difference = Math.max(result.difference, Math.abs(score - ours[kind]));
  }
  return result;
}

function ofEmbeddings(expected, found) {
  const result = { kind: 'embeddings', compared: expected.length, overlap: 1, difference: null, missed: 0 };
  for (const [at, theirs] of expected.entries()) {
    const ours = found[at].embedding ?? [];
    if (ours.length !== theirs.length) return { ...result, missed: expected.length };
    result.overlap = Math.min(result.overlap, cosine(theirs, ours));
  }
  return result;
}

function cosine(a, b) {
  const dot = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** True when two answers are equal except for rounding. */
export function agrees({ kind, compared, overlap, difference, missed }, bar) {
  const { overlap: least, difference: most, missed: mostMissed = 0 } = bar;
  if (compared === 0 || missed > mostMissed) return false;
  return (kind === 'scores' || overlap >= least) && (kind === 'embeddings' || difference <= most);
}
