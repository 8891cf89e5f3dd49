import { boxAround, outputOf, unlike, type Decoding, type FoundObject, type Outputs } from './decoding.js';

/**
 * DETR (Carion et al. 2020) as Hugging Face exports it: for each query logits of the classes and of one for nothing, and
 * centre and size of a box as parts of the picture. The surest class of a query counts.
 */
export const detr: Decoding = {
  maxOverlap: null,
  decode: (outputs, { width, height, kinds }, minScore) =>
    queries(outputs, kinds + 1, (logits) => {
      const highest = Math.max(...logits);
      const total = logits.reduce((sum, logit) => sum + Math.exp(logit - highest), 0);
      // The last is nothing.
      return surest(logits.slice(0, kinds), (logit) => Math.exp(logit - highest) / total);
    })
      .filter(({ score }) => score >= minScore)
      .map((query) => inPixels(query, width, height)),
};

/** RT-DETR and others of its kin: as DETR, with a sigmoid for each class and none for nothing. */
export const rtDetr: Decoding = {
  maxOverlap: null,
  decode: (outputs, { width, height, kinds }, minScore) =>
    queries(outputs, kinds, (logits) => surest(logits, (logit) => 1 / (1 + Math.exp(-logit))))
      .filter(({ score }) => score >= minScore)
      .map((query) => inPixels(query, width, height)),
};

function queries(
  outputs: Outputs,
  columns: number,
  read: (logits: number[]) => { kind: number; score: number },
): FoundObject[] {
  const logits = outputOf(outputs, 'logits', 'pred_logits');
  const places = outputOf(outputs, 'pred_boxes');
  const [rows = 0] = logits.dims;
  if (logits.dims.length !== 2 || logits.dims[1] !== columns) throw unlike(logits, `[queries, ${columns}]`);
  if (places.data.length !== rows * 4) throw unlike(places, `[${rows}, 4]`);
  return Array.from({ length: rows }, (_, row) => {
    const [x = 0, y = 0, w = 0, h = 0] = places.data.subarray(row * 4, row * 4 + 4);
    return { ...read([...logits.data.subarray(row * columns, (row + 1) * columns)]), ...boxAround(x, y, w, h) };
  });
}

function surest(logits: readonly number[], scoreOf: (logit: number) => number): { kind: number; score: number } {
  const highest = Math.max(...logits);
  return { kind: logits.indexOf(highest), score: scoreOf(highest) };
}

function inPixels({ kind, score, x, y, w, h }: FoundObject, width: number, height: number): FoundObject {
  return { kind, score, x: x * width, y: y * height, w: w * width, h: h * height };
}
