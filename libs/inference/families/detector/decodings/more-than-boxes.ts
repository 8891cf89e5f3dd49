import type { FloatTensor } from '../../../tensor.js';
import { onlyOutput, unlike, type Outputs } from './decoding.js';

/** Extra values per box: none, keypoints, or coefficients of masks. */
export type More = 'nothing' | 'points' | 'masks';

export interface BoxesOutput {
  /** Boxes, rows × columns. */
  output: FloatTensor;
  /** Number of masks; null without any. */
  masks: number | null;
}

/** Returns the output with the boxes. Throws RangeError for another number of outputs. */
export function boxesOutput(outputs: Outputs, more: More): BoxesOutput {
  if (more !== 'masks') return { output: onlyOutput(outputs), masks: null };
  const all = Object.values(outputs);
  const output = all.find(({ dims }) => dims.length === 2);
  const masks = all.find(({ dims }) => dims.length === 3)?.dims[0];
  if (all.length === 2 && output !== undefined && masks !== undefined) return { output, masks };
  const shapes = Object.entries(outputs).map(([name, { dims }]) => `${name} [${dims.join(', ')}]`);
  throw new RangeError(`The network has the outputs ${shapes.join(', ') || 'none'}; expected are boxes and masks.`);
}

/** Throws RangeError unless the extra columns of a box match its points or masks. */
export function checkMore(
  output: FloatTensor,
  count: number,
  { more, masks, wanted }: { more: More; masks: number | null; wanted: string },
): void {
  const isPoints = count > 0 && (count % 2 === 0 || count % 3 === 0);
  const fits = { nothing: count === 0, points: isPoints, masks: count === masks }[more];
  if (output.dims.length === 2 && fits) return;
  const behind = {
    nothing: '',
    points: ', and two or three more for each point',
    masks: `, and ${masks} more for masks`,
  };
  throw unlike(output, `${wanted}${behind[more]}`);
}
