import type { ImageInput } from '@adit/contracts';
import { fieldOf, fieldsOf, message, type Field } from './protobuf.js';

/** The input of a pixel graph: N×H×W×3 floats, red, green, blue, 0..255. */
export const PIXELS = 'adit_pixels';

// Field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
const MODEL = { graph: 7, opsets: 8 };
const GRAPH = { node: 1, input: 11 };
const FLOAT = 1;
const INT64 = 7;
/** Types of inputs that pixels are cast to (TensorProto.DataType): float32, uint8, float16. */
const CASTABLE = [FLOAT, 2, 10];
/** Operators broadcast from here on. */
const LEAST_OPSET = 7;

/**
 * The model with its pre-processing in front: it takes pixels as they are, and ONNX Runtime does in vectorised code what
 * the manifest asks for (order of the colours, layout, mean and std). Null when the graph's input is not one batch of
 * pictures in float32, float16 or uint8, or is grey. Throws RangeError when the bytes are no ONNX file.
 */
export function pixelGraph(model: Uint8Array, input: ImageInput): Buffer | null {
  const graph = fieldOf(model, MODEL.graph)?.bytes;
  if (graph === undefined || input.colour === 'grey' || opsetOf(model) < LEAST_OPSET) return null;
  const old = [...fieldsOf(graph)].find(
    ({ number, bytes }) => number === GRAPH.input && nameOf(bytes) === input.tensor,
  );
  const taken = old && batchOf(old.bytes);
  if (!old || !taken) return null;
  const pixels = picturesInfo(taken.batch, input);
  const kept = [...fieldsOf(graph)].filter(({ raw }) => raw.byteOffset !== old.raw.byteOffset).map(({ raw }) => raw);
  const edited = Buffer.concat([message([...steps(input, taken.type), [GRAPH.input, pixels]]), ...kept]);
  const others = [...fieldsOf(model)].filter(({ number }) => number !== MODEL.graph).map(({ raw }) => raw);
  return Buffer.concat([...others, message([[MODEL.graph, edited]])]);
}

/** Nodes from the pixels to the graph's own input. */
function steps(input: ImageInput, type: number): Field[] {
  const nodes: Buffer[] = [];
  let last = PIXELS;
  const add = (operator: string, inputs: string[], attributes: Buffer[] = []): void => {
    const output = `adit_${operator}_${nodes.length}`;
    nodes.push(node(operator, inputs, output, attributes));
    last = output;
  };
  const constant = (tensor: Buffer): string => {
    const from = last;
    add('Constant', [], [attribute('value', 4, [[5, tensor]])]);
    const name = last;
    last = from;
    return name;
  };
  if (input.colour === 'bgr') add('Gather', [last, constant(integers([2, 1, 0]))], [attribute('axis', 2, [[3, 3]])]);
  if (input.layout === 'nchw') {
    const order = [0, 3, 1, 2].map((axis): Field => [8, axis]);
    add('Transpose', [last], [attribute('perm', 7, order)]);
  }
  const dims = input.layout === 'nchw' ? [3, 1, 1] : [3];
  const of = (values: number[], channel: number, neutral: number): number => values[channel] ?? values[0] ?? neutral;
  const factors = [0, 1, 2].map((channel) => 1 / of(input.std, channel, 1));
  const offsets = factors.map((factor, channel) => -of(input.mean, channel, 0) * factor);
  if (factors.some((factor) => factor !== 1)) add('Mul', [last, constant(floats(dims, factors))]);
  if (offsets.some((offset) => offset !== 0)) add('Add', [last, constant(floats(dims, offsets))]);
  if (type !== FLOAT) add('Cast', [last], [attribute('to', 2, [[3, type]])]);
  nodes.push(node('Identity', [last], input.tensor, []));
  return nodes.map((bytes): Field => [GRAPH.node, bytes]);
}

function node(operator: string, inputs: string[], output: string, attributes: Buffer[]): Buffer {
  return message([
    ...inputs.map((name): Field => [1, name]),
    [2, output],
    [4, operator],
    ...attributes.map((bytes): Field => [5, bytes]),
  ]);
}

function attribute(name: string, type: number, values: Field[]): Buffer {
  return message([[1, name], ...values, [20, type]]);
}

function floats(dims: number[], values: number[]): Buffer {
  const raw = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => raw.writeFloatLE(value, 4 * i));
  return tensor(FLOAT, dims, raw);
}

function integers(values: number[]): Buffer {
  const raw = Buffer.alloc(8 * values.length);
  values.forEach((value, i) => raw.writeBigInt64LE(BigInt(value), 8 * i));
  return tensor(INT64, [values.length], raw);
}

function tensor(type: number, dims: number[], raw: Buffer): Buffer {
  return message([...dims.map((dim): Field => [1, dim]), [2, type], [9, raw]]);
}

/** ValueInfoProto of the pixels, with the batch dimension that the graph had. */
function picturesInfo(batch: Uint8Array, { width, height }: ImageInput): Buffer {
  const dims = [height, width, 3].map((size) => message([[1, size]]));
  const shape = message([batch, ...dims].map((dim): Field => [1, dim]));
  return message([
    [1, PIXELS],
    [
      2,
      message([
        [
          1,
          message([
            [1, FLOAT],
            [2, shape],
          ]),
        ],
      ]),
    ],
  ]);
}

/** The first of four dimensions of an input, as a TensorShapeProto.Dimension, and its type. */
function batchOf(info: Uint8Array): { batch: Uint8Array; type: number } | null {
  const type = fieldOf(fieldOf(info, 2)?.bytes ?? new Uint8Array(0), 1)?.bytes;
  const element = type && fieldOf(type, 1)?.value;
  if (!type || element === undefined || !CASTABLE.includes(element)) return null;
  const dims = [...fieldsOf(fieldOf(type, 2)?.bytes ?? new Uint8Array(0))].filter(({ number }) => number === 1);
  const batch = dims.length === 4 ? dims[0]?.bytes : undefined;
  return batch === undefined ? null : { batch, type: element };
}

function nameOf(info: Uint8Array): string {
  return Buffer.from(fieldOf(info, 1)?.bytes ?? []).toString();
}

/** Version of the standard operators. */
function opsetOf(model: Uint8Array): number {
  const own = [...fieldsOf(model)].filter(({ number, bytes }) => number === MODEL.opsets && nameOf(bytes) === '');
  return Math.max(0, ...own.map(({ bytes }) => fieldOf(bytes, 2)?.value ?? 0));
}
