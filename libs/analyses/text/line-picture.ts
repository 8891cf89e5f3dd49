import type { ImageInput } from '@adit/contracts';
import { floatTensor, imageTensor, type Affine, type FloatTensor, type RgbImage } from '@adit/inference';
import type { Corners } from './rotated-rect.js';

/** Widest line that is read in one go, in line heights: a longer one is squeezed. */
const MAX_RATIO = 45;
const MIN_RATIO = 0.5;

/** The map that shows a line upright in `width` × `height` pixels. */
function lineMap([begin, end, , below]: Corners, width: number, height: number): Affine {
  return [
    (end[0] - begin[0]) / width,
    (below[0] - begin[0]) / height,
    begin[0],
    (end[1] - begin[1]) / width,
    (below[1] - begin[1]) / height,
    begin[1],
  ];
}

/** Width at which a line of that height in pixels keeps its shape, a multiple of 8. */
function lineWidth([begin, end, , below]: Corners, height: number): number {
  const length = Math.hypot(end[0] - begin[0], end[1] - begin[1]);
  const across = Math.hypot(below[0] - begin[0], below[1] - begin[1]);
  const ratio = Math.min(MAX_RATIO, Math.max(MIN_RATIO, across > 0 ? length / across : MIN_RATIO));
  return Math.max(8, Math.round((ratio * height) / 8) * 8);
}

/** A line as its recogniser wants it: the manifest's height, the width that keeps its shape. */
export function lineTensor(picture: RgbImage, line: Corners, input: ImageInput): FloatTensor {
  const width = lineWidth(line, input.height);
  return imageTensor(picture, lineMap(line, width, input.height), { ...input, width });
}

/**
 * A line as Tesseract's networks want it: 1×H×W grey, stretched so that the dark quarter of the minima along its middle
 * is −1 and the light quarter of the maxima is 1 (after `NetworkIO::FromPixes` of Tesseract, Apache-2.0). `light` text on
 * a dark ground is turned into dark on light.
 */
export function stretchedLine(picture: RgbImage, line: Corners, height: number, light: boolean): FloatTensor {
  const width = lineWidth(line, height);
  const grey = imageTensor(picture, lineMap(line, width, height), {
    ...{ tensor: 'line', width, height, layout: 'nchw', colour: 'grey', mean: [0], std: [1] },
  });
  const { dark, bright } = extremes(grey.data.subarray((height >> 1) * width, ((height >> 1) + 1) * width));
  const half = Math.max(1, (bright - dark) / 2);
  const sign = light ? -1 : 1;
  const stretched = grey.data.map((value) => sign * Math.max(-1, Math.min(1, (value - dark) / half - 1)));
  return floatTensor(stretched, grey.dims);
}

function extremes(row: Float32Array): { dark: number; bright: number } {
  const minima: number[] = [];
  const maxima: number[] = [];
  for (const [x, here] of row.entries()) {
    const [before, after] = [row[x - 1], row[x + 1]];
    if (before === undefined || after === undefined) continue;
    if ((here < before && here <= after) || (here <= before && here < after)) minima.push(here);
    if ((here > before && here >= after) || (here >= before && here > after)) maxima.push(here);
  }
  const at = (values: number[], share: number, otherwise: number): number =>
    values.sort((a, b) => a - b)[Math.floor(values.length * share)] ?? otherwise;
  return { dark: at(minima, 0.25, 0), bright: at(maxima, 0.75, 255) };
}
