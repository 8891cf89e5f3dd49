// Positions of people and things at a time of a film.

const BOX_VALUES = 5;
const PARTS = 10_000;
/** The longest that a face may be taken to go on between two looks, in seconds; and after the last one. */
const MAX_GAP = 2;
const AFTER_LAST = 0.5;

/** Looks of a segment in order, boxes as fractions of the frame, and how far apart two may be for one to lead to the next. */
export function appearancesOf(segment) {
  const { track, frameStart, frameEnd, timeStart, timeEnd } = segment;
  const perFrame = frameEnd > frameStart ? (timeEnd - timeStart) / (frameEnd - frameStart) : 0;
  const looks = [];
  for (let at = 0; at < track.length; at += BOX_VALUES) {
    const [frame, ...box] = track.slice(at, at + BOX_VALUES);
    const time = timeStart + (frame - frameStart) * perFrame;
    if (looks.at(-1)?.time !== time) looks.push({ time, boxes: [] });
    looks.at(-1).boxes.push(box.map((part) => part / PARTS));
  }
  const gaps = looks.slice(1).map(({ time }, at) => time - looks[at].time);
  const usual = gaps.sort((a, b) => a - b)[(gaps.length - 1) >> 1] ?? 0;
  // A long film's are thinned: what is usual then leads on, too.
  return { looks, longest: Math.max(MAX_GAP, 1.5 * usual) };
}

/** Boxes at a time: on the way from one look to the next where both show one, else those of the nearest look. */
export function boxesAt({ looks, longest }, time) {
  let [low, high] = [0, looks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (looks[middle].time <= time) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [looks[low - 1], looks[low]];
  if (before && after && after.time - before.time <= longest) {
    const share = (time - before.time) / (after.time - before.time);
    if (before.boxes.length !== 1 || after.boxes.length !== 1) return (share < 0.5 ? before : after).boxes;
    return [before.boxes[0].map((part, at) => part + (after.boxes[0][at] - part) * share)];
  }
  if (before && time - before.time <= AFTER_LAST) return before.boxes;
  return [];
}
