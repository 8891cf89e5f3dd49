import { operator as node, tensor, wholeAttribute } from './graph-writing.js';
import { fieldOf, fieldsOf, message, type Field } from './protobuf.js';

export { node };

/**
 * Test helper, also for providers: an ONNX graph `y = x · factor + 1` over N×size floats, written by hand so that no
 * weights are needed.
 */
export function linearGraph(size: number, factor: number, openBatch = true): Buffer {
  const dims = [openBatch ? 'N' : 1, size];
  return model([
    [1, node('Mul', ['x', 'factor'], 'scaled')],
    [1, node('Add', ['scaled', 'one'], 'y')],
    [5, scalar('factor', factor)],
    [5, scalar('one', 1)],
    [11, valueInfo('x', dims)],
    [12, valueInfo('y', dims)],
  ]);
}

/** Test helper: an ONNX graph whose output `y`, N×size, is the product of `x` and the unit matrix times `factor`. */
export function productGraph(size: number, factor: number): Buffer {
  const unit = Array.from({ length: size ** 2 }, (_, i) => (i % (size + 1) === 0 ? factor : 0));
  return model([
    [1, node('MatMul', ['x', 'factors'], 'y')],
    [5, floats('factors', [size, size], unit)],
    [11, valueInfo('x', ['N', size])],
    [12, valueInfo('y', ['N', size])],
  ]);
}

/** Test helper: an ONNX graph whose output `y` is its input `x`. */
export function echoGraph(dims: (number | string)[], opset = 17): Buffer {
  const graph: Field[] = [
    [1, node('Identity', ['x'], 'y')],
    [11, valueInfo('x', dims)],
    [12, valueInfo('y', dims)],
  ];
  return model(graph, opset);
}

/**
 * Test helper: a third-party embedding derived from a network. Its output `pooled`, N×channels, is the mean of
 * `tensor`, N×channels×H×W. `note` is part of the file and distinguishes versions.
 */
export function featuresOf(network: Uint8Array, tensor: string, channels: number, note: string): Buffer {
  const graph = fieldOf(network, 7)?.bytes ?? new Uint8Array(0);
  const kept = [...fieldsOf(graph)].filter(({ number }) => number !== 12).map(({ raw }) => raw);
  const others = [...fieldsOf(network)].filter(({ number }) => number !== 7).map(({ raw }) => raw);
  const pooled = message([
    [1, node('GlobalAveragePool', [tensor], 'means')],
    [1, node('Flatten', ['means'], 'pooled')],
    [12, valueInfo('pooled', ['N', channels])],
  ]);
  return Buffer.concat([
    ...others,
    message([
      [7, Buffer.concat([...kept, pooled])],
      [6, note],
    ]),
  ]);
}

/** Test helper: an ONNX graph whose output `y` (N×3×1×1) has the means of the channels of a picture `x`, N×3×side×side. */
export function meanColourGraph(side: number): Buffer {
  return model([
    [1, node('GlobalAveragePool', ['x'], 'y')],
    [11, valueInfo('x', ['N', 3, side, side])],
    [12, valueInfo('y', ['N', 3, 1, 1])],
  ]);
}

/**
 * Test helper: `meanColourGraph` as PyTorch writes graphs by default, with its factors (all 1) in the file `location`,
 * which has to hold `OUTSIDE_FACTORS`.
 */
export function outsideColourGraph(side: number, location: string): Buffer {
  const entry = (key: string, value: string): Field => [
    13,
    message([
      [1, key],
      [2, value],
    ]),
  ];
  const factors = message([
    [1, 1],
    [1, 3],
    [1, 1],
    [1, 1],
    [2, ELEMENT.float32],
    [8, 'factors'],
    entry('location', location),
    entry('offset', '0'),
    entry('length', String(OUTSIDE_FACTORS.length)),
    [14, 1],
  ]);
  return model([
    [1, node('GlobalAveragePool', ['x'], 'means')],
    [1, node('Mul', ['means', 'factors'], 'y')],
    [5, factors],
    [11, valueInfo('x', ['N', 3, side, side])],
    [12, valueInfo('y', ['N', 3, 1, 1])],
  ]);
}

/** Test helper: the external data of `outsideColourGraph`. */
export const OUTSIDE_FACTORS = Buffer.from(Float32Array.of(1, 1, 1).buffer);

/**
 * Test helper: a graph of a few hundred bytes with the input and outputs of the model general-c (NanoDet), which are
 * the mean of the picture everywhere.
 */
export function detectorGraph(): Buffer {
  const side = 416;
  const outputs = [80, 44].flatMap((columns) => [8, 16, 32].map((stride) => [(side / stride) ** 2, columns]));
  return model([
    [1, node('GlobalAveragePool', ['input_1'], 'means')],
    [1, node('Reshape', ['means', 'column'], 'colours')],
    [1, node('MatMul', ['thirds', 'colours'], 'mean')],
    [5, integers('column', [0, 3, 1])],
    [5, floats('thirds', [1, 3], [1 / 3, 1 / 3, 1 / 3])],
    [11, valueInfo('input_1', ['N', 3, side, side])],
    ...outputs.flatMap((dims, at): Field[] => {
      const name = at === 0 ? 'Identity' : `Identity_${at}`;
      return [
        [5, integers(`dims_${at}`, [1, ...dims])],
        [1, node('Expand', ['mean', `dims_${at}`], name)],
        [12, valueInfo(name, ['N', ...dims])],
      ];
    }),
  ]);
}

/**
 * Test helper: a detector as D-FINE is exported. Its inputs are `images`, N×3×side×side, and `orig_target_sizes`, N×2
 * of width and height; its outputs two boxes, of classes 0 and 2, relative to that size.
 */
export function sizedDetectorGraph(side: number): Buffer {
  const of = (name: string, dims: number[], values: number[]): Field => [5, floats(name, dims, values)];
  const places = [0.125, 0.25, 0.625, 0.75, 0.5, 0.5, 0.75, 0.875];
  return model([
    [1, node('GlobalAveragePool', ['images'], 'means')],
    [1, node('Reshape', ['means', 'rows'], 'colours')],
    [1, node('MatMul', ['colours', 'zeros'], 'nothing')],
    [1, node('Add', ['nothing', 'both scores'], 'scores')],
    [1, node('Add', ['nothing', 'both labels'], 'numbers')],
    [1, castNode('numbers', 'labels', 'int64')],
    [1, castNode('orig_target_sizes', 'size', 'float32')],
    [1, node('MatMul', ['size', 'twice'], 'corners')],
    [1, node('Reshape', ['corners', 'each'], 'scale')],
    [1, node('Mul', ['places', 'scale'], 'boxes')],
    [5, integers('rows', [-1, 3])],
    [5, integers('each', [-1, 1, 4])],
    of('zeros', [3, 2], [0, 0, 0, 0, 0, 0]),
    of('both scores', [1, 2], [0.9, 0.8]),
    of('both labels', [1, 2], [0, 2]),
    of('twice', [2, 4], [1, 0, 1, 0, 0, 1, 0, 1]),
    of('places', [1, 2, 4], places),
    [11, valueInfo('images', ['N', 3, side, side])],
    [11, valueInfo('orig_target_sizes', ['N', 2], 'int64')],
    [12, valueInfo('labels', ['N', 2], 'int64')],
    [12, valueInfo('boxes', ['N', 2, 4])],
    [12, valueInfo('scores', ['N', 2])],
  ]);
}

/** Test helper: a graph whose `output0`, N×rows×columns, is constant for any picture `images`, N×3×side×side. */
export function answeringGraph(side: number, rows: readonly (readonly number[])[]): Buffer {
  const dims = [rows.length, rows[0]?.length ?? 0];
  return model([
    [1, node('GlobalAveragePool', ['images'], 'means')],
    [1, node('Reshape', ['means', 'colours'], 'picture')],
    [1, node('MatMul', ['picture', 'zeros'], 'zero')],
    [1, node('Reshape', ['zero', 'each'], 'nothing')],
    [1, node('Add', ['nothing', 'rows'], 'output0')],
    [5, integers('colours', [-1, 3])],
    [5, integers('each', [-1, 1, 1])],
    [5, floats('zeros', [3, 1], [0, 0, 0])],
    [5, floats('rows', [1, ...dims], rows.flat())],
    [11, valueInfo('images', ['N', 3, side, side])],
    [12, valueInfo('output0', ['N', ...dims])],
  ]);
}

/** ONNX's numbers of element types (TensorProto.DataType). */
const ELEMENT = { float32: 1, uint8: 2, int32: 6, int64: 7, string: 8, bool: 9, float16: 10, float64: 11 } as const;
type ElementType = keyof typeof ELEMENT;

/** Test helper: a graph that copies each `<type>_in` to `<type>_same`, and as float32 to `<type>_float`. */
export function typedGraph(types: readonly ElementType[], dims: (number | string)[]): Buffer {
  return model(
    types.flatMap((type): Field[] => [
      [1, node('Identity', [`${type}_in`], `${type}_same`)],
      [1, castNode(`${type}_in`, `${type}_float`, 'float32')],
      [11, valueInfo(`${type}_in`, dims, type)],
      [12, valueInfo(`${type}_same`, dims, type)],
      [12, valueInfo(`${type}_float`, dims)],
    ]),
  );
}

/** Test helper: a graph that converts `x` to numbers, or text, of another type in `y`. */
export function castGraph(dims: (number | string)[], to: ElementType): Buffer {
  return model([
    [1, castNode('x', 'y', to)],
    [11, valueInfo('x', dims)],
    [12, valueInfo('y', dims, to)],
  ]);
}

/** Test helper: a graph whose output `y`, of one dimension, is the sum of everything in `x`: N×size in, 1 out. */
export function totalGraph(size: number): Buffer {
  return model([
    [1, node('ReduceSum', ['x'], 'sum')],
    [1, node('Reshape', ['sum', 'one'], 'y')],
    [5, integers('one', [1])],
    [11, valueInfo('x', ['N', size])],
    [12, valueInfo('y', [1])],
  ]);
}

/** Test helper: a graph that needs `count` floats between a number `x` (1×1) and the same number `y`. */
export function hungryGraph(count: number): Buffer {
  return model([
    [1, node('Expand', ['x', 'shape'], 'many')],
    [1, node('ReduceMax', ['many'], 'y')],
    [5, integers('shape', [1, count])],
    [11, valueInfo('x', [1, 1])],
    [12, valueInfo('y', [1, 1])],
  ]);
}

/** Test helper: a graph whose output `y` (1) is 1, and that needs as many floats for it as its input `x` (1×1) says. */
export function growingGraph(): Buffer {
  return model([
    [1, castNode('x', 'count', 'int64')],
    [1, node('Reshape', ['count', 'flat'], 'shape')],
    [1, node('Expand', ['one', 'shape'], 'many')],
    [1, node('ReduceMax', ['many'], 'y')],
    [5, integers('flat', [1])],
    [5, scalar('one', 1)],
    [11, valueInfo('x', [1, 1])],
    [12, valueInfo('y', [1])],
  ]);
}

/** Test helper: a graph that doubles 1 in `y` (1) as often as its input `x` (1×1) says, sequentially. */
export function loopingGraph(): Buffer {
  const body = message([
    [1, node('Identity', ['go'], 'on')],
    [1, node('Add', ['sum', 'sum'], 'next')],
    [2, 'body'],
    [11, valueInfo('round', [], 'int64')],
    [11, valueInfo('go', [], 'bool')],
    [11, valueInfo('sum', [])],
    [12, valueInfo('on', [], 'bool')],
    [12, valueInfo('next', [])],
  ]);
  // AttributeProto: name, g, type GRAPH.
  const attribute = message([
    [1, 'body'],
    [6, body],
    [20, 5],
  ]);
  const loop = Buffer.concat([node('Loop', ['rounds', '', 'one'], 'end'), message([[5, attribute]])]);
  return model([
    [1, castNode('x', 'count', 'int64')],
    [1, node('Reshape', ['count', 'none'], 'rounds')],
    [1, loop],
    [1, node('Reshape', ['end', 'flat'], 'y')],
    [5, integers('none', [])],
    [5, integers('flat', [1])],
    [5, scalar('one', 1)],
    [11, valueInfo('x', [1, 1])],
    [12, valueInfo('y', [1])],
  ]);
}

/** Test helper: `meanColourGraph` for one picture without a batch, 3×side×side, in `y` (3). */
export function onePictureGraph(side: number): Buffer {
  return model([
    [1, node('Unsqueeze', ['x', 'first'], 'batch')],
    [1, node('GlobalAveragePool', ['batch'], 'means')],
    [1, node('Reshape', ['means', 'flat'], 'y')],
    [5, integers('first', [0])],
    [5, integers('flat', [3])],
    [11, valueInfo('x', [3, side, side])],
    [12, valueInfo('y', [3])],
  ]);
}

/** Test helper: `meanColourGraph` for pixels of 0..1, which needs 8 GiB for a white picture. */
export function greedyColourGraph(side: number): Buffer {
  return model([
    [1, node('GlobalAveragePool', ['x'], 'means')],
    [1, node('Mul', ['means', 'nearly'], 'brightness')],
    [1, node('Floor', ['brightness'], 'isWhite')],
    [1, node('Mul', ['isWhite', 'many'], 'more')],
    [1, node('Add', ['more', 'one'], 'counts')],
    [1, node('ReduceMax', ['counts'], 'most')],
    [1, castNode('most', 'count', 'int64')],
    [1, node('Reshape', ['count', 'flat'], 'shape')],
    [1, node('Expand', ['one', 'shape'], 'ones')],
    [1, node('ReduceMax', ['ones'], 'alsoOne')],
    [1, node('Mul', ['means', 'alsoOne'], 'y')],
    [5, integers('flat', [1])],
    [5, scalar('nearly', 1.05)],
    [5, scalar('many', 2 ** 31)],
    [5, scalar('one', 1)],
    [11, valueInfo('x', ['N', 3, side, side])],
    [12, valueInfo('y', ['N', 3, 1, 1])],
  ]);
}

/** Test helper: a picture encoder whose output `image_embeds` (N×3) is the mean of each channel of `pixel_values`. */
export function colourEncoderGraph(side: number): Buffer {
  return model([
    [1, node('GlobalAveragePool', ['pixel_values'], 'means')],
    [1, node('Flatten', ['means'], 'image_embeds')],
    [11, valueInfo('pixel_values', ['N', 3, side, side])],
    [12, valueInfo('image_embeds', ['N', 3])],
  ]);
}

/** Test helper: a text encoder whose output `text_embeds` (N×width) is the sum of its tokens' rows of `table`. */
export function textEncoderGraph(table: readonly (readonly number[])[]): Buffer {
  const width = table[0]?.length ?? 0;
  return model([
    [1, node('Gather', ['table', 'input_ids'], 'rows')],
    [1, node('ReduceSum', ['rows', 'axis'], 'sum')],
    [1, node('Squeeze', ['sum', 'axis'], 'text_embeds')],
    [5, floats('table', [table.length, width], table.flat())],
    [5, integers('axis', [1])],
    [11, valueInfo('input_ids', ['N', 'tokens'], 'int64')],
    [12, valueInfo('text_embeds', ['N', width])],
  ]);
}

export function model(graph: Field[], opset = 17): Buffer {
  return message([...modelFields(opset), [7, message([[2, 'graph'], ...graph])]]);
}

/** Model fields in front of the graph: ir_version and opset_import. */
export function modelFields(opset = 17): Field[] {
  const standard = message([
    [1, ''],
    [2, opset],
  ]);
  return [
    [1, 8],
    [8, standard],
  ];
}

function castNode(input: string, output: string, to: ElementType): Buffer {
  return node('Cast', [input], output, [wholeAttribute('to', ELEMENT[to])]);
}

export function integers(name: string, values: number[]): Buffer {
  return tensor(name, ELEMENT.int64, [values.length], BigInt64Array.from(values.map(BigInt)));
}

export function floats(name: string, dims: readonly number[], values: readonly number[]): Buffer {
  return tensor(name, ELEMENT.float32, dims, Float32Array.from(values));
}

function scalar(name: string, value: number): Buffer {
  return floats(name, [], [value]);
}

export function valueInfo(name: string, dims: (number | string)[], type: ElementType = 'float32'): Buffer {
  const shape = message(dims.map((dim): Field => [1, message([typeof dim === 'number' ? [1, dim] : [2, dim]])]));
  return message([
    [1, name],
    [
      2,
      message([
        [
          1,
          message([
            [1, ELEMENT[type]],
            [2, shape],
          ]),
        ],
      ]),
    ],
  ]);
}
