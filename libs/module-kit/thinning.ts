/** Data of a detection: its frame, then the numbers of its data in the module's own order. */
export type Mark = [frame: number, ...values: number[]];

/**
 * Marks thinned as they arrive, in constant memory: every `stride`-th distinct frame is kept, and the stride doubles
 * whenever the limit is exceeded. Marks of one frame stay together.
 */
export type Thinned = {
  stride: number;
  /** Number of distinct frames seen. */
  seen: number;
  kept: Mark[];
  /** Latest frame seen, kept or not; −1 before the first. */
  latest: number;
};

export function emptyMarks(): Thinned {
  return { stride: 1, seen: 0, kept: [], latest: -1 };
}

/** Adds a mark whose frame is at or after every frame seen. `limit` is the most marks kept. */
export function appendMark(marks: Thinned, mark: Mark, limit: number): void {
  if (mark[0] !== marks.latest) marks.seen += 1;
  marks.latest = mark[0];
  if ((marks.seen - 1) % marks.stride !== 0) return;
  marks.kept.push(mark);
  while (marks.kept.length > limit) halve(marks, limit);
}

/** Joins the marks of two intervals of one thing, without changing them. */
export function joinMarks(a: Thinned, b: Thinned, limit: number): Thinned {
  const stride = Math.max(a.stride, b.stride);
  const joined: Thinned = {
    stride,
    seen: a.seen + b.seen,
    kept: [...atStride(a, stride), ...atStride(b, stride)].sort(byFrame),
    latest: Math.max(a.latest, b.latest),
  };
  while (joined.kept.length > limit) halve(joined, limit);
  return joined;
}

/** Thins the fullest of several until all of them together hold at most `budget` marks. */
export function fitBudget(all: Thinned[], budget: number): void {
  let total = all.reduce((sum, marks) => sum + marks.kept.length, 0);
  while (total > budget) {
    const fullest = all.reduce((a, b) => (b.kept.length > a.kept.length ? b : a));
    const before = fullest.kept.length;
    if (before <= 1) return;
    halve(fullest, before - 1);
    total -= before - fullest.kept.length;
  }
}

function halve(marks: Thinned, limit: number): void {
  const thinned = everyNthFrame(marks.kept, 2);
  // A single frame with more marks than the limit cannot be thinned by frames.
  marks.kept = thinned.length < marks.kept.length ? thinned : marks.kept.slice(0, limit);
  marks.stride *= 2;
}

function atStride(marks: Thinned, stride: number): Mark[] {
  return everyNthFrame(marks.kept, stride / marks.stride);
}

function everyNthFrame(marks: Mark[], n: number): Mark[] {
  let index = -1;
  let frame = Number.NaN;
  return marks.filter((mark) => {
    if (mark[0] !== frame) index += 1;
    frame = mark[0];
    return index % n === 0;
  });
}

function byFrame(a: Mark, b: Mark): number {
  return a[0] - b[0];
}
