import type { ImageInput } from '@adit/contracts';
import { ELEMENT } from './graph-reading.js';
import { operator, tensor, tensorAttribute, wholeAttribute, wholesAttribute } from './graph-writing.js';
import { fieldInPieces, fieldOf, fieldsOf, message, type Field, type ReadField } from './protobuf.js';

/** Input of a pixel graph: N×H×W×3 floats, red, green, blue, 0..255. */
export const PIXELS = 'adit_pixels';

// Field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
const MODEL = { graph: 7, opsets: 8 };
const GRAPH = { node: 1, initializer: 5, input: 11 };
const TENSOR = { dataLocation: 14 };
/** Input types that pixels are cast to (TensorProto.DataType): float32, uint8, float16. */
const CASTABLE = [ELEMENT.float32, 2, ELEMENT.float16];
/** First opset in which operators broadcast. */
const MIN_OPSET = 7;

/**
 * Adds the pre-processing of the manifest (colour order, layout, mean and std) in front of a model: it then takes plain
 * pixels, and ONNX Runtime does the work in vectorised code. Null when the graph's input is not one batch of pictures
 * in float32, float16 or uint8, or is grey, or when its weights lie in other files. Throws RangeError when the bytes
 * are no ONNX file.
 */
export function pixelGraph(model: Uint8Array, input: ImageInput): Buffer | null {
  const graph = fieldOf(model, MODEL.graph)?.bytes;
  if (graph === undefined || input.colour === 'grey' || opsetOf(model) < MIN_OPSET) return null;
  const fields = [...fieldsOf(graph)];
  const old = fields.find((field) => field.number === GRAPH.input && nameOf(field.bytes) === input.tensor);
  const taken = old && batchOf(old.bytes);
  if (!old || !taken || fields.some(isOutside)) return null;
  const pixels = picturesInfo(taken.batch, input);
  const kept = fields.filter((field) => field !== old).map(({ raw }) => raw);
  const edited = [message([...steps(input, taken.type), [GRAPH.input, pixels]]), ...kept];
  const others = [...fieldsOf(model)].filter(({ number }) => number !== MODEL.graph).map(({ raw }) => raw);
  // Copied once, since weights are hundreds of megabytes.
  return Buffer.concat([...others, ...fieldInPieces(MODEL.graph, edited)]);
}

/** Returns the nodes from the pixels to the graph's own input. */
function steps(input: ImageInput, type: number): Field[] {
  const nodes: Buffer[] = [];
  let last = PIXELS;
  const add = (op: string, inputs: string[], attributes: Buffer[] = []): void => {
    const output = `adit_${op}_${nodes.length}`;
    nodes.push(operator(op, inputs, output, attributes));
    last = output;
  };
  const constant = (type: number, dims: number[], data: ArrayBufferView): string => {
    const from = last;
    add('Constant', [], [tensorAttribute('value', tensor('', type, dims, data))]);
    const name = last;
    last = from;
    return name;
  };
  const isPlanar = input.layout === 'nchw';
  if (isPlanar) add('Transpose', [last], [wholesAttribute('perm', [0, 3, 1, 2])]);
  if (input.colour === 'bgr') {
    const order = constant(ELEMENT.int64, [3], BigInt64Array.of(2n, 1n, 0n));
    add('Gather', [last, order], [wholeAttribute('axis', isPlanar ? 1 : 3)]);
  }
  const of = (values: number[], channel: number, neutral: number): number => values[channel] ?? values[0] ?? neutral;
  const arithmetic = (op: 'Mul' | 'Add', values: number[]): void => {
    const [dims, numbers] = operand(values, input, isPlanar);
    add(op, [last, constant(ELEMENT.float32, dims, Float32Array.from(numbers))]);
  };
  const factors = [0, 1, 2].map((channel) => 1 / of(input.std, channel, 1));
  const offsets = factors.map((factor, channel) => -of(input.mean, channel, 0) * factor);
  if (factors.some((factor) => factor !== 1)) arithmetic('Mul', factors);
  if (offsets.some((offset) => offset !== 0)) arithmetic('Add', offsets);
  if (type !== ELEMENT.float32) add('Cast', [last], [wholeAttribute('to', type)]);
  nodes.push(operator('Identity', [last], input.tensor));
  return nodes.map((bytes): Field => [GRAPH.node, bytes]);
}

/**
 * Returns the constant that multiplies or shifts pictures, and its shape. For three adjacent numbers ONNX Runtime loops
 * over pixels, 0.32 ms for 192 × 192; one number, or one line of numbers, takes 0.02 ms.
 */
function operand(values: number[], { width }: ImageInput, isPlanar: boolean): [dims: number[], numbers: number[]] {
  const [first = 0] = values;
  if (values.every((value) => value === first)) return [[], [first]];
  if (isPlanar) return [[3, 1, 1], values];
  return [[width, 3], Array.from({ length: width }, () => values).flat()];
}

/** Writes the ValueInfoProto of the pixels, with the batch dimension of the original input. */
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
            [1, ELEMENT.float32],
            [2, shape],
          ]),
        ],
      ]),
    ],
  ]);
}

/** Returns the first of an input's four dimensions, as a TensorShapeProto.Dimension, and the element type. */
function batchOf(info: Uint8Array): { batch: Uint8Array; type: number } | null {
  const type = fieldOf(fieldOf(info, 2)?.bytes ?? new Uint8Array(0), 1)?.bytes;
  const element = type && fieldOf(type, 1)?.value;
  if (!type || element === undefined || !CASTABLE.includes(element)) return null;
  const dims = [...fieldsOf(fieldOf(type, 2)?.bytes ?? new Uint8Array(0))].filter(({ number }) => number === 1);
  const batch = dims.length === 4 ? dims[0]?.bytes : undefined;
  return batch === undefined ? null : { batch, type: element };
}

/** Tests for a weight in another file, which is found only relative to a model file. */
function isOutside({ number, bytes }: ReadField): boolean {
  return number === GRAPH.initializer && (fieldOf(bytes, TENSOR.dataLocation)?.value ?? 0) !== 0;
}

function nameOf(info: Uint8Array): string {
  return Buffer.from(fieldOf(info, 1)?.bytes ?? []).toString();
}

/** Returns the version of the standard operators. */
function opsetOf(model: Uint8Array): number {
  const own = [...fieldsOf(model)].filter(({ number, bytes }) => number === MODEL.opsets && nameOf(bytes) === '');
  return Math.max(0, ...own.map(({ bytes }) => fieldOf(bytes, 2)?.value ?? 0));
}
