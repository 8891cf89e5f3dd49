import { elementAt } from '@adit/contracts';
import type { PixelBox } from '../../../picture/affine.js';
import type { FloatTensor } from '../../../tensor.js';
import { SurestBoxes } from './surest-boxes.js';
import { unlike, type Decoding, type DetectorShape, type Outputs } from './decoding.js';

/** Overlap limit of NanoDet's configuration. */
const MAX_OVERLAP = 0.6;
const STRIDES = [8, 16, 32];
/** PicoDet and NanoDet-Plus have one more, coarser grid. */
const FOUR_STRIDES = [8, 16, 32, 64];
/** Bins of a distance in NanoDet-Plus. */
const BINS_OF_PLUS = 8;

/** Grid with the offsets of its values: per cell a score for each class and distributions of four distances. */
interface Grid {
  stride: number;
  columns: number;
  rows: number;
  scores: Float32Array;
  edges: Float32Array;
  /** Offset from a value of one cell to the same of the next. */
  scoreStep: number;
  edgeStep: number;
  bins: number;
  /** Reference point of distances within a cell. */
  centre: number;
}

/**
 * NanoDet (RangiLyu, github.com/RangiLyu/nanodet; heads as in "Generalized Focal Loss", Li et al. 2020). Each cell of
 * each grid has a score per class, and for each edge of the box a distribution over distances of 0, 1, … strides, whose
 * mean is the distance. There are two outputs for each of three grids, or of four in PicoDet (Yu et al. 2021).
 * NanoDet-Plus has all four grids in one output and measures from a cell's corner.
 */
export const nanodet: Decoding = {
  maxOverlap: MAX_OVERLAP,
  decode(outputs, shape, minScore) {
    const { kinds } = shape;
    const grids = gridsOf(outputs, shape);
    const found = new SurestBoxes(minScore);
    // Places are numbered by cell, kind and grid.
    for (const [level, { rows, columns, scores, scoreStep }] of grids.entries()) {
      for (let cell = 0; cell < rows * columns; cell++) {
        for (let kind = 0; kind < kinds; kind++)
          found.offer(scores[cell * scoreStep + kind] ?? 0, (cell * kinds + kind) * grids.length + level);
      }
    }
    return found.read((place, score) => {
      const ofGrid = Math.floor(place / grids.length);
      const grid = elementAt(grids, place % grids.length);
      return { kind: ofGrid % kinds, score, ...boxOfCell(grid, Math.floor(ofGrid / kinds)) };
    });
  },
};

function boxOfCell({ stride, columns, edges, edgeStep, bins, centre }: Grid, cell: number): PixelBox {
  const x = ((cell % columns) + centre) * stride;
  const y = (Math.floor(cell / columns) + centre) * stride;
  const [left, top, right, bottom] = distances(edges, cell * edgeStep, bins, stride);
  return { x: x - left, y: y - top, w: left + right, h: top + bottom };
}

function gridsOf(outputs: Outputs, shape: DetectorShape): Grid[] {
  const all = Object.values(outputs);
  const [only] = all;
  if (all.length === 1 && only !== undefined) return gridsOfPlus(only, shape);
  const strides = all.length === 2 * FOUR_STRIDES.length ? FOUR_STRIDES : STRIDES;
  return strides.map((stride) => gridOf(all, stride, shape));
}

function gridOf(outputs: readonly FloatTensor[], stride: number, { width, height, kinds }: DetectorShape): Grid {
  const columns = Math.ceil(width / stride);
  const rows = Math.ceil(height / stride);
  const own = outputs.filter(({ dims }) => dims.length === 2 && dims[0] === rows * columns);
  const scores = own.find(({ dims }) => dims[1] === kinds);
  const edges = own.find((output) => output !== scores);
  const bins = (edges?.dims[1] ?? 0) / 4;
  if (own.length !== 2 || !scores || !edges || !Number.isInteger(bins) || bins < 2) {
    throw new RangeError(`The outputs are not those of ${kinds} classes on ${rows}×${columns}.`);
  }
  const step = { scoreStep: kinds, edgeStep: 4 * bins };
  return { stride, columns, rows, scores: scores.data, edges: edges.data, ...step, bins, centre: 0.5 };
}

/** Splits one output with a row per cell: the scores, then the distributions. */
function gridsOfPlus(output: FloatTensor, { width, height, kinds }: DetectorShape): Grid[] {
  const { data, dims } = output;
  const step = kinds + 4 * BINS_OF_PLUS;
  let first = 0;
  const grids = FOUR_STRIDES.map((stride) => {
    const columns = Math.ceil(width / stride);
    const rows = Math.ceil(height / stride);
    const scores = data.subarray(first * step);
    first += rows * columns;
    const steps = { scoreStep: step, edgeStep: step, bins: BINS_OF_PLUS, centre: 0 };
    return { stride, columns, rows, scores, edges: scores.subarray(kinds), ...steps };
  });
  if (dims.length !== 2 || dims[0] !== first || dims[1] !== step)
    throw unlike(output, `[${first}, ${step}] for ${kinds} labels`);
  return grids;
}

/** Returns the means of the four distributions that begin at `at`: left, top, right, bottom, in pixels. */
function distances(edges: Float32Array, at: number, bins: number, stride: number): [number, number, number, number] {
  const distance = (edge: number): number => meanBin(edges, at + edge * bins, bins) * stride;
  return [distance(0), distance(1), distance(2), distance(3)];
}

/** Computes Σ i · softmax(logits)_i, 0..bins − 1. */
export function meanBin(logits: Float32Array, at: number, bins: number): number {
  const own = logits.subarray(at, at + bins);
  const highest = Math.max(...own);
  let total = 0;
  let sum = 0;
  for (const [i, logit] of own.entries()) {
    // Subtracting the highest logit avoids overflow.
    const share = Math.exp(logit - highest);
    total += share;
    sum += share * i;
  }
  return sum / total;
}
