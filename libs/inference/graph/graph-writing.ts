import type { ReadGraph } from './graph-reading.js';
import { fieldInPieces, message, type Field } from './protobuf.js';

/** AttributeProto.AttributeType. */
const KIND = { float: 1, whole: 2, text: 3, tensor: 4, wholes: 7 };
/** Key of field 2 of an AttributeProto, a 32-bit number. */
const FLOAT_KEY = 2 * 8 + 5;

/** Writes a NodeProto of the standard operators with one output. */
export function operator(
  op: string,
  inputs: readonly string[],
  output: string,
  attributes: readonly Buffer[] = [],
): Buffer {
  return message([
    ...inputs.map((name): Field => [1, name]),
    [2, output],
    [4, op],
    ...attributes.map((bytes): Field => [5, bytes]),
  ]);
}

export function floatAttribute(name: string, value: number): Buffer {
  const bytes = Buffer.alloc(5, FLOAT_KEY);
  bytes.writeFloatLE(value, 1);
  return Buffer.concat([
    message([
      [1, name],
      [20, KIND.float],
    ]),
    bytes,
  ]);
}

/** Writes an attribute of one non-negative integer. */
export function wholeAttribute(name: string, value: number): Buffer {
  return attribute(name, KIND.whole, [[3, value]]);
}

export function textAttribute(name: string, value: string): Buffer {
  return attribute(name, KIND.text, [[4, value]]);
}

export function wholesAttribute(name: string, values: readonly number[]): Buffer {
  return attribute(
    name,
    KIND.wholes,
    values.map((value): Field => [8, value]),
  );
}

export function tensorAttribute(name: string, value: Buffer): Buffer {
  return attribute(name, KIND.tensor, [[5, value]]);
}

function attribute(name: string, kind: number, values: Field[]): Buffer {
  return message([[1, name], ...values, [20, kind]]);
}

/** Writes a TensorProto; `type` is one of ELEMENT, `data` little-endian as in ONNX. A node's tensor needs no name. */
export function tensor(name: string, type: number, dims: readonly number[], data: ArrayBufferView): Buffer {
  const named: Field[] = name === '' ? [] : [[8, name]];
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return message([...dims.map((dim): Field => [1, dim]), [2, type], ...named, [9, bytes]]);
}

/** Writes the model of a graph that was read, with other nodes and initialisers. */
export function modelWith(graph: ReadGraph, nodes: readonly Uint8Array[], initializers: readonly Uint8Array[]): Buffer {
  const each = (number: number, contents: readonly Uint8Array[]): Uint8Array[] =>
    contents.flatMap((bytes) => fieldInPieces(number, [bytes]));
  const edited = [...each(1, nodes), ...graph.others, ...each(5, initializers)];
  return Buffer.concat([...graph.modelFields, ...fieldInPieces(7, edited)]);
}
