// A detector as somebody's own YOLO export would be: general-c's network behind the head that YOLOv8 exports with, so that it is of the
// same size, takes the same pictures and really finds things.
import { readFile } from 'node:fs/promises';
import { fieldsOf, message } from '../../libs/inference/dist/graph/protobuf.js';
import { floats, integers, node, valueInfo } from '@adit/inference/spec-graph';

// Field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
const MODEL = { graph: 7 };
const GRAPH = { node: 1, initializer: 5, output: 12 };
const NODE = { attribute: 5 };
const ATTRIBUTE = { name: 1, i: 3, ints: 8, type: 20 };
const INT = 2;
const INTS = 7;

/** Grids of general-c, finest first: columns, pixels of a cell, outputs. */
const GRIDS = [
  { columns: 52, stride: 8, scores: 'Identity', edges: 'Identity_3' },
  { columns: 26, stride: 16, scores: 'Identity_1', edges: 'Identity_4' },
  { columns: 13, stride: 32, scores: 'Identity_2', edges: 'Identity_5' },
];
const CLASSES = 80;
/** Steps of a distance from a cell's centre to an edge. */
const BINS = 11;
const EDGES = 4;
/** Weights of the left, top, right and bottom distance in a box's centre and size. */
const SHARES = [
  [-0.5, 0, 1, 0],
  [0, -0.5, 0, 1],
  [0.5, 0, 1, 0],
  [0, 0.5, 0, 1],
];

/** The bytes of the graph with one output `output0`, N×84×3549: centre, size and 80 scores of each cell. */
export async function yoloGraph(generalC) {
  const file = await readFile(generalC);
  const fields = [...fieldsOf(file)];
  const graph = fields.find(({ number }) => number === MODEL.graph).bytes;
  const kept = [...fieldsOf(graph)].filter(({ number }) => number !== GRAPH.output).map(({ raw }) => raw);
  const others = fields.filter(({ number }) => number !== MODEL.graph).map(({ raw }) => raw);
  return Buffer.concat([...others, message([[MODEL.graph, Buffer.concat([...kept, message(head())])]])]);
}

function head() {
  const cells = GRIDS.flatMap(({ columns, stride }) =>
    Array.from({ length: columns ** 2 }, (_, place) => ({
      stride,
      x: ((place % columns) + 0.5) * stride,
      y: (Math.floor(place / columns) + 0.5) * stride,
    })),
  );
  // The mean of each distribution, in strides, and from four distances a box: one product.
  const boxes = SHARES.flatMap((shares) =>
    Array.from({ length: BINS }, (_, bin) => shares.map((share) => bin * share)),
  );
  const names = (key) => GRIDS.map((grid) => grid[key]);
  return [
    ...[
      having(node('Concat', names('scores'), 'scores'), whole('axis', 1)),
      having(node('Concat', names('edges'), 'edges'), whole('axis', 1)),
      node('Reshape', ['edges', 'by edge'], 'logits'),
      having(node('Softmax', ['logits'], 'shares'), whole('axis', 3)),
      node('Reshape', ['shares', 'by cell'], 'distributions'),
      node('MatMul', ['distributions', 'boxes of bins'], 'boxes in strides'),
      node('Mul', ['boxes in strides', 'strides'], 'boxes around cells'),
      node('Add', ['boxes around cells', 'centres'], 'boxes'),
      having(node('Concat', ['boxes', 'scores'], 'cells'), whole('axis', 2)),
      having(node('Transpose', ['cells'], 'output0'), list('perm', [0, 2, 1])),
    ].map((bytes) => [GRAPH.node, bytes]),
    ...[
      // 0: as many as there are.
      integers('by edge', [0, cells.length, EDGES, BINS]),
      integers('by cell', [0, cells.length, EDGES * BINS]),
      floats('boxes of bins', [EDGES * BINS, EDGES], boxes.flat()),
      floats(
        'strides',
        [cells.length, 1],
        cells.map(({ stride }) => stride),
      ),
      floats(
        'centres',
        [cells.length, EDGES],
        cells.flatMap(({ x, y }) => [x, y, 0, 0]),
      ),
    ].map((bytes) => [GRAPH.initializer, bytes]),
    [GRAPH.output, valueInfo('output0', ['N', EDGES + CLASSES, cells.length])],
  ];
}

function having(bytes, attribute) {
  return Buffer.concat([bytes, message([[NODE.attribute, attribute]])]);
}

function whole(name, value) {
  return message([
    [ATTRIBUTE.name, name],
    [ATTRIBUTE.i, value],
    [ATTRIBUTE.type, INT],
  ]);
}

function list(name, values) {
  return message([[ATTRIBUTE.name, name], ...values.map((value) => [ATTRIBUTE.ints, value]), [ATTRIBUTE.type, INTS]]);
}
