import type { PixelBox, RgbImage } from '@adit/inference';

/** Side of a block in pixels: smaller than the smallest face that is looked for. */
const SIDE = 8;
/** Difference of a block's mean brightness, of 255, from which its content is another; compression changes less. */
const CHANGED = 6;

/** Mean brightness of a picture's blocks of 8 × 8 pixels, row by row, 0..255; blocks at the right and bottom edges may be smaller. */
export interface Blocks {
  columns: number;
  rows: number;
  means: Uint8Array;
}

/** Every second pixel of every second row is read: a quarter is enough for a mean. */
export function blocksOf({ data, width, height }: RgbImage): Blocks {
  const [columns, rows] = [Math.ceil(width / SIDE), Math.ceil(height / SIDE)];
  const sums = new Uint32Array(columns * rows);
  const counts = new Uint16Array(columns * rows);
  for (let y = 0; y < height; y += 2) {
    const row = Math.floor(y / SIDE) * columns;
    for (let x = 0; x < width; x += 2) {
      const at = (y * width + x) * 3;
      const block = row + Math.floor(x / SIDE);
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- read for a quarter of all pixels, all within the picture
      sums[block]! += (77 * data[at]! + 150 * data[at + 1]! + 29 * data[at + 2]!) >> 8;
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- the same block
      counts[block]!++;
    }
  }
  return { columns, rows, means: Uint8Array.from(sums, (sum, block) => sum / (counts[block] ?? 1)) };
}

/**
 * Returns how many blocks inside `region`, in pixels, show something else in `now` than in each of `others`; outside of
 * `except`, boxes in pixels. Blocks count when they touch the region, and are left out when they touch an exception.
 */
export function changedBlocks(
  now: Blocks,
  others: readonly Blocks[],
  region: PixelBox,
  except: readonly PixelBox[] = [],
): number {
  const left = except.map((box) => spanOf(box, now));
  const { from, to } = spanOf(region, now);
  let changed = 0;
  for (let row = from.row; row < to.row; row++) {
    for (let column = from.column; column < to.column; column++) {
      const at = row * now.columns + column;
      const value = now.means[at] ?? 0;
      if (others.some(({ means }) => Math.abs(value - (means[at] ?? 0)) < CHANGED)) continue;
      const isLeftOut = left.some(
        (span) => row >= span.from.row && row < span.to.row && column >= span.from.column && column < span.to.column,
      );
      if (!isLeftOut) changed++;
    }
  }
  return changed;
}

/** Blocks that a box touches, in the picture: the first, and the first behind it. */
function spanOf({ x, y, w, h }: PixelBox, { columns, rows }: Blocks) {
  const within = (value: number, most: number): number => Math.min(most, Math.max(0, value));
  return {
    from: { column: within(Math.floor(x / SIDE), columns), row: within(Math.floor(y / SIDE), rows) },
    to: { column: within(Math.ceil((x + w) / SIDE), columns), row: within(Math.ceil((y + h) / SIDE), rows) },
  };
}
