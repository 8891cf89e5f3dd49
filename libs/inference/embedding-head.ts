import { AditError } from '@adit/contracts';
import { message, type Field } from './protobuf.js';
import { integers, model, node, valueInfo } from './spec-graph.js';

interface HeadGraph {
  /** Values of an embedding. */
  dimensions: number;
  /** In the order of `scores`. */
  classes: readonly { id: string; label: string; centres: readonly Float32Array[] }[];
  /** Cosine from which on a class is meant. */
  threshold: number;
}

/** What one file of ONNX can hold. */
const MOST_BYTES = 2 ** 31 - 2 ** 20;

/**
 * An ONNX graph that compares embeddings, `embedding` (N×dimensions, of any length but 0), with the centres of classes:
 * `scores` (N×classes) has the cosine with the nearest centre of each, `threshold` (1) from which on it means that class. Its
 * metadata name the classes, as JSON. Throws VALIDATION when it would be too large for one file.
 */
export function embeddingHeadGraph({ dimensions, classes, threshold }: HeadGraph): Buffer {
  const each = Math.max(1, ...classes.map(({ centres }) => centres.length));
  const columns = classes.length * each;
  if (columns * dimensions * 4 > MOST_BYTES) {
    throw new AditError('VALIDATION', `${classes.length} classes of ${each} centres are too many for one graph.`);
  }
  // Dimensions × (classes · each): a class with fewer centres repeats its first.
  const weights = new Float32Array(dimensions * columns);
  classes.forEach(({ centres }, place) => {
    for (let at = 0; at < each; at += 1) {
      const centre = centres[at] ?? centres[0];
      centre?.forEach((value, row) => (weights[row * columns + place * each + at] = value));
    }
  });
  const graph = model([
    [1, withAttributes(node('LpNormalization', ['embedding'], 'direction'), [integer('axis', 1), integer('p', 2)])],
    [1, node('MatMul', ['direction', 'centres'], 'cosines')],
    [1, node('Reshape', ['cosines', 'shape'], 'by_class')],
    [1, withAttributes(node('ReduceMax', ['by_class'], 'scores'), [list('axes', [2]), integer('keepdims', 0)])],
    [1, node('Identity', ['least'], 'threshold')],
    [5, floats('centres', [dimensions, columns], weights)],
    [5, floats('least', [1], Float32Array.of(threshold))],
    [5, integers('shape', [0, classes.length, each])],
    [11, valueInfo('embedding', ['N', dimensions])],
    [12, valueInfo('scores', ['N', classes.length])],
    [12, valueInfo('threshold', [1])],
  ]);
  const labels = JSON.stringify(classes.map(({ id, label }) => ({ id, label })));
  // Fields of a message may follow each other in any order, and in pieces: metadata_props.
  return Buffer.concat([graph, message([[14, metadata('classes', labels)]])]);
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

function floats(name: string, dims: readonly number[], values: Float32Array): Buffer {
  const raw = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return message([...dims.map((dim): Field => [1, dim]), [2, 1], [8, name], [9, raw]]);
}
