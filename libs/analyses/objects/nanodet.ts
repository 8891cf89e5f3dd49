import type { FloatTensor } from '@adit/inference';
import { suppress, type ScoredBox } from '../tracking/box.js';

/** A box in pixels of the network's input, of class `kind` (its place in the network's labels), score 0..1. */
interface Found extends ScoredBox {
  kind: number;
}

/** Outputs of `general-c`: one pair for each grid, with the pixels of a cell's side. */
const GRIDS = [
  { stride: 8, scores: 'Identity', edges: 'Identity_3' },
  { stride: 16, scores: 'Identity_1', edges: 'Identity_4' },
  { stride: 32, scores: 'Identity_2', edges: 'Identity_5' },
] as const;

/** Two boxes of one class that overlap more than this are one object (NanoDet's own setting). */
const MAX_OVERLAP = 0.6;
/** No box of one class is dropped for lying inside another: a child stands before its mother. */
const NEVER_CONTAINED = Infinity;

/** What the decoding must know of the network. */
interface Shape {
  /** Pixels of the input. */
  width: number;
  height: number;
  /** How many labels it has. */
  kinds: number;
}

/**
 * NanoDet's outputs (RangiLyu, github.com/RangiLyu/nanodet; heads as in "Generalized Focal Loss", Li et al. 2020) as
 * boxes: per place of each grid a score for every class, and for each edge of the box a distribution over distances of
 * 0, 1, … strides whose mean is the distance. Best first, suppressed class by class, those below `minScore` left out.
 * Throws RangeError when an output is missing or has another size.
 */
export function decodeNanodet(outputs: Record<string, FloatTensor>, shape: Shape, minScore: number): Found[] {
  const found: Found[] = [];
  for (const { stride, scores: scoresName, edges: edgesName } of GRIDS) {
    const columns = Math.ceil(shape.width / stride);
    const rows = Math.ceil(shape.height / stride);
    const scores = outputs[scoresName]?.data;
    const edges = outputs[edgesName]?.data;
    const bins = (edges?.length ?? 0) / (rows * columns * 4);
    if (!scores || !edges || scores.length !== rows * columns * shape.kinds || !Number.isInteger(bins) || bins < 2) {
      throw new RangeError(
        `${scoresName} and ${edgesName} are not those of ${shape.kinds} classes on ${rows}×${columns}.`,
      );
    }
    for (let place = 0, at = 0; place < rows * columns; place++) {
      for (let kind = 0; kind < shape.kinds; kind++, at++) {
        // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- read for every class at every place, and counted above
        const score = scores[at]!;
        if (score < minScore) continue;
        const x = ((place % columns) + 0.5) * stride;
        const y = (Math.floor(place / columns) + 0.5) * stride;
        const [left, top, right, bottom] = distances(edges, place * 4 * bins, bins, stride);
        found.push({ kind, score, x: x - left, y: y - top, w: left + right, h: top + bottom });
      }
    }
  }
  const kinds = new Set(found.map(({ kind }) => kind));
  return [...kinds]
    .flatMap((kind) =>
      suppress(
        found.filter((box) => box.kind === kind),
        MAX_OVERLAP,
        NEVER_CONTAINED,
      ),
    )
    .sort((a, b) => b.score - a.score || a.kind - b.kind);
}

/** Means of the four distributions that begin at `at`: left, top, right, bottom, in pixels. */
function distances(edges: Float32Array, at: number, bins: number, stride: number): [number, number, number, number] {
  const distance = (edge: number): number => meanBin(edges, at + edge * bins, bins) * stride;
  return [distance(0), distance(1), distance(2), distance(3)];
}

/** Σ i · softmax(logits)_i, 0..bins − 1. */
export function meanBin(logits: Float32Array, at: number, bins: number): number {
  const own = logits.subarray(at, at + bins);
  const highest = Math.max(...own);
  let total = 0;
  let sum = 0;
  for (const [i, logit] of own.entries()) {
    // Taken from the highest, so that no logit overflows.
    const share = Math.exp(logit - highest);
    total += share;
    sum += share * i;
  }
  return sum / total;
}
