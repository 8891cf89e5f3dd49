import { float32At, float64At } from '@adit/contracts';

/** Attention weights of the alignment heads: heads × rows × frames of 20 ms. */
export interface Attention {
  data: Float32Array;
  heads: number;
  rows: number;
  /** Encoder frames, of which `used` hold sound. */
  frames: number;
  used: number;
}

/**
 * Returns the frame in which each of the rows `from` to `to` begins: weights are normalised over all rows, smoothed,
 * averaged over the heads, and aligned by the cheapest monotonic path.
 */
export function startsOfRows(attention: Attention, from: number, to: number): Int32Array {
  const { data, heads, rows, frames, used } = attention;
  const count = to - from;
  const mean = new Float64Array(count * used);
  const normal = new Float64Array(count * used);
  for (let head = 0; head < heads; head++) {
    const sums = Float64Array.from({ length: rows }, (_, row) => {
      let sum = 0;
      for (let frame = 0; frame < used; frame++) sum += float32At(data, (head * rows + row) * frames + frame);
      return sum;
    });
    const shares = new Float64Array(rows);
    for (let frame = 0; frame < used; frame++) {
      let sum = 0;
      let squares = 0;
      for (let row = 0; row < rows; row++) {
        const share = float32At(data, (head * rows + row) * frames + frame) / float64At(sums, row);
        shares[row] = share;
        sum += share;
        squares += share * share;
      }
      const average = sum / rows;
      const deviation = Math.sqrt(Math.max(squares / rows - average * average, 1e-20));
      for (let row = 0; row < count; row++)
        normal[row * used + frame] = (float64At(shares, from + row) - average) / deviation;
    }
    addMedians(normal, mean, { rows: count, frames: used, share: 1 / heads });
  }
  return cheapestPath(mean, count, used);
}

/** Adds medians of 7 along the frames, with reflected ends. */
function addMedians(
  values: Float64Array,
  to: Float64Array,
  { rows, frames, share }: { rows: number; frames: number; share: number },
): void {
  const seven = new Float64Array(7);
  for (let row = 0; row < rows; row++) {
    const at = (frame: number): number => {
      const near = Math.abs(frame);
      const inside = near >= frames ? 2 * (frames - 1) - near : near;
      return float64At(values, row * frames + Math.min(Math.max(inside, 0), frames - 1));
    };
    for (let k = -3; k <= 3; k++) seven[k + 3] = at(k);
    seven.sort();
    for (let frame = 0; frame < frames; frame++) {
      const place = row * frames + frame;
      to[place] = float64At(to, place) + float64At(seven, 3) * share;
      replace(seven, at(frame - 3), at(frame + 4));
    }
  }
}

/** Replaces a value of a sorted list, and keeps it sorted. */
function replace(sorted: Float64Array, old: number, value: number): void {
  const last = sorted.length - 1;
  let i = 0;
  while (i < last && float64At(sorted, i) < old) i++;
  for (; i > 0 && float64At(sorted, i - 1) > value; i--) sorted[i] = float64At(sorted, i - 1);
  for (; i < last && float64At(sorted, i + 1) < value; i++) sorted[i] = float64At(sorted, i + 1);
  sorted[i] = value;
}

/** Dynamic time warping that maximises gains; returns the first frame of each row. */
function cheapestPath(gains: Float64Array, rows: number, frames: number): Int32Array {
  const width = frames + 1;
  const cost = new Float64Array((rows + 1) * width).fill(Infinity);
  const trace = new Uint8Array((rows + 1) * width);
  cost[0] = 0;
  for (let row = 1; row <= rows; row++) {
    for (let frame = 1; frame <= frames; frame++) {
      const both = float64At(cost, (row - 1) * width + frame - 1);
      const next = float64At(cost, (row - 1) * width + frame);
      const stay = float64At(cost, row * width + frame - 1);
      const way = both < next && both < stay ? 0 : next < both && next < stay ? 1 : 2;
      cost[row * width + frame] = Math.min(both, next, stay) - float64At(gains, (row - 1) * frames + frame - 1);
      trace[row * width + frame] = way;
    }
  }
  const starts = new Int32Array(rows).fill(frames);
  let [row, frame] = [rows, frames];
  while (row > 0 && frame > 0) {
    starts[row - 1] = frame - 1;
    const way = trace[row * width + frame];
    if (way !== 2) row--;
    if (way !== 1) frame--;
  }
  return starts;
}
