import { AditError } from '@adit/contracts';
import { tensor } from './graph-writing.js';
import { fieldHead, message, type Field } from './protobuf.js';
import { integers, modelFields, node, valueInfo } from './spec-graph.js';

interface HeadGraph {
  /** Length of an embedding. */
  dimensions: number;
  /** In the order of `scores`. */
  classes: readonly { id: string; label: string; centres: readonly Float32Array[] }[];
  /** Cosine from which on a class matches. */
  threshold: number;
}

/** Largest size of one ONNX file. */
const MAX_BYTES = 2 ** 31 - 2 ** 20;

/** Bytes of weights that are held at a time. */
const PIECE_BYTES = 8 * 2 ** 20;

/**
 * Yields the bytes, in pieces, of an ONNX graph that compares embeddings, `embedding` (N×dimensions, of any non-zero
 * length), with the centres of classes. `scores` (N×classes) has the cosine with the nearest centre of each class,
 * `threshold` (1) the cosine from which on a class matches. Its metadata name the classes, as JSON. Throws VALIDATION,
 * before the first piece, when the file would be too large.
 */
export function* embeddingHeadGraph({ dimensions, classes, threshold }: HeadGraph): Generator<Uint8Array, void> {
  const each = classes.reduce((most, { centres }) => Math.max(most, centres.length), 1);
  const columns = classes.length * each;
  if (columns * dimensions * 4 > MAX_BYTES) {
    throw new AditError('VALIDATION', `${classes.length} classes of ${each} centres are too many for one graph.`);
  }
  const bytes = dimensions * columns * 4;
  const weights = message([
    [1, dimensions],
    [1, columns],
    [2, 1],
    [8, 'centres'],
  ]);
  const raw = fieldHead(9, bytes);
  const before = Buffer.concat([
    message([
      [2, 'graph'],
      [1, withAttributes(node('LpNormalization', ['embedding'], 'direction'), [integer('axis', 1), integer('p', 2)])],
      [1, node('MatMul', ['direction', 'centres'], 'cosines')],
      [1, node('Reshape', ['cosines', 'shape'], 'by_class')],
      [1, withAttributes(node('ReduceMax', ['by_class'], 'scores'), [list('axes', [2]), integer('keepdims', 0)])],
      [1, node('Identity', ['least'], 'threshold')],
    ]),
    fieldHead(5, weights.length + raw.length + bytes),
    weights,
    raw,
  ]);
  const behind = message([
    [5, tensor('least', 1, [1], Float32Array.of(threshold))],
    [5, integers('shape', [0, classes.length, each])],
    [11, valueInfo('embedding', ['N', dimensions])],
    [12, valueInfo('scores', ['N', classes.length])],
    [12, valueInfo('threshold', [1])],
  ]);
  yield Buffer.concat([message(modelFields()), fieldHead(7, before.length + bytes + behind.length), before]);
  yield* weightsOf(classes, { dimensions, each, columns });
  const labels = JSON.stringify(classes.map(({ id, label }) => ({ id, label })));
  // Protobuf fields may follow in any order and in pieces: metadata_props.
  yield Buffer.concat([behind, message([[14, metadata('classes', labels)]])]);
}

/** Yields dimensions × (classes · each), some rows at a time; a class with fewer centres repeats its first one. */
function* weightsOf(
  classes: HeadGraph['classes'],
  { dimensions, each, columns }: { dimensions: number; each: number; columns: number },
): Generator<Uint8Array, void> {
  const rows = Math.max(1, Math.floor(PIECE_BYTES / 4 / columns));
  for (let from = 0; from < dimensions; from += rows) {
    const count = Math.min(rows, dimensions - from);
    const piece = new Float32Array(count * columns);
    for (const [place, { centres }] of classes.entries()) {
      for (let at = 0; at < each; at += 1) {
        const centre = centres[at] ?? centres[0];
        const column = place * each + at;
        for (let row = 0; row < count; row += 1) piece[row * columns + column] = centre?.[from + row] ?? 0;
      }
    }
    yield new Uint8Array(piece.buffer);
  }
}

function metadata(key: string, value: string): Buffer {
  return message([
    [1, key],
    [2, value],
  ]);
}

function withAttributes(bare: Buffer, attributes: readonly Buffer[]): Buffer {
  return Buffer.concat([bare, message(attributes.map((attribute): Field => [5, attribute]))]);
}

/** AttributeProto of type INT. */
function integer(name: string, value: number): Buffer {
  return message([
    [1, name],
    [3, value],
    [20, 2],
  ]);
}

/** AttributeProto of type INTS. */
function list(name: string, values: readonly number[]): Buffer {
  return message([[1, name], ...values.map((value): Field => [8, value]), [20, 7]]);
}
