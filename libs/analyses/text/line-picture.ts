import type { ImageInput } from '@adit/contracts';
import { fit, floatTensor, imageTensor, warp, type Affine, type FloatTensor, type RgbImage } from '@adit/inference';
import type { Corners } from './rotated-rect.js';

/** Widest line, in line heights, that is read in one run: a longer one is squeezed. */
const MAX_RATIO = 45;
const MIN_RATIO = 0.5;

/** Returns the map that shows a line upright in `width` × `height` pixels. */
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

/** Returns the width, a multiple of 8, at which a line of that height in pixels keeps its aspect ratio. */
function lineWidth([begin, end, , below]: Corners, height: number): number {
  const length = Math.hypot(end[0] - begin[0], end[1] - begin[1]);
  const across = Math.hypot(below[0] - begin[0], below[1] - begin[1]);
  const ratio = Math.min(MAX_RATIO, Math.max(MIN_RATIO, across > 0 ? length / across : MIN_RATIO));
  return Math.max(8, Math.round((ratio * height) / 8) * 8);
}

/**
 * Returns a line as its recogniser's input: the manifest's height, and the width that keeps its aspect ratio. For a
 * fixed width the rest behind a line is padded (`letterbox`), or the line is stretched (`stretch`).
 */
export function lineTensor(picture: RgbImage, line: Corners, input: ImageInput): FloatTensor {
  if (input.filter !== undefined) return asItsExporter(picture, line, input);
  const { height, openWidth, resize } = input;
  const own = lineWidth(line, height);
  const width = openWidth === true ? own : resize === 'stretch' ? input.width : Math.min(own, input.width);
  const tensor = imageTensor(picture, lineMap(line, width, height), { ...input, width });
  return openWidth === true || width === input.width ? tensor : filledUp(tensor, width, input);
}

/** Straightens the line without scaling. */
function straight(picture: RgbImage, line: Corners): RgbImage {
  const [begin, end, , below] = line;
  const side = (a: Corners[0], b: Corners[0]): number => Math.max(1, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1])));
  const [width, height] = [side(begin, end), side(begin, below)];
  return warp(picture, lineMap(line, width, height), width, height);
}

/**
 * Matches PaddleOCR's input to the pixel (`resize_norm_img` of its predict_rec.py), with the filter of the manifest; an
 * input of open width is at least as wide as the manifest's.
 */
function asItsExporter(picture: RgbImage, line: Corners, input: ImageInput): FloatTensor {
  const { height, openWidth, resize } = input;
  const upright = straight(picture, line);
  const own = height * Math.min(MAX_RATIO, upright.width / upright.height);
  const whole = openWidth === true ? Math.max(input.width, Math.floor(own)) : input.width;
  const width = resize === 'stretch' && openWidth !== true ? whole : Math.min(whole, Math.ceil(own));
  const pixels = new Float32Array(width * height * 3);
  fit(upright, { ...input, width, resize: 'stretch' }, pixels);
  const shown = { data: Uint8Array.from(pixels), width, height };
  const tensor = imageTensor(shown, [1, 0, 0, 0, 1, 0], { ...input, width });
  return width === whole ? tensor : filledUp(tensor, width, { ...input, width: whole });
}

/** Pads each row with zeros, the mean of the training data, as PaddleOCR does. */
function filledUp({ data, dims }: FloatTensor, width: number, input: ImageInput): FloatTensor {
  const planar = input.layout === 'nchw';
  const values = planar ? 1 : (dims[2] ?? 1);
  const [from, to] = [width * values, input.width * values];
  const rows = data.length / from;
  const filled = new Float32Array(rows * to);
  for (let row = 0; row < rows; row++) filled.set(data.subarray(row * from, (row + 1) * from), row * to);
  return floatTensor(filled, planar ? [dims[0] ?? 1, input.height, input.width] : [input.height, input.width, values]);
}

/**
 * Returns a line for Tesseract's networks: 1×H×W grey, scaled so that the dark quarter of the minima along its middle
 * is −1 and the light quarter of the maxima is 1 (after `NetworkIO::FromPixes` of Tesseract, Apache-2.0). `light` text
 * on dark ground is inverted.
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
