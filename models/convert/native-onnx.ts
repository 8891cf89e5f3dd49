import { readFile } from 'node:fs/promises';
import onnxProto, { type onnx } from 'onnx-proto';
import { BATCH } from './graph-builder.js';
import { conversionError } from './tensor.js';

const INT64 = 7;

/** Returns the bytes of an ONNX file of a package; with `openBatch`, after {@link openBatch}. */
export async function copyOnnx(path: string, options: { openBatch: boolean }): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw conversionError(`${path} cannot be read; install the package again`, cause);
  }
  return options.openBatch ? openBatch(bytes, path) : bytes;
}

/**
 * Frees a batch that was exported as 1: the first axis of inputs and outputs becomes symbolic, and constant target
 * shapes of Reshape that begin with that 1 keep the input's first axis instead (0 in ONNX). Shapes recorded for
 * inner tensors are dropped; ONNX Runtime infers them again.
 * @throws AditError when an input's first axis is not 1, or a reshape mixes the batch with other axes.
 */
export function openBatch(bytes: Uint8Array, label: string): Uint8Array {
  const model = decode(bytes, label);
  const graph = model.graph;
  if (!graph) throw conversionError(`${label} holds no graph`);
  const constants = constantTensors(graph);
  const inputs = (graph.input ?? []).filter((input) => !constants.has(input.name ?? ''));
  for (const value of [...inputs, ...(graph.output ?? [])]) openFirstAxis(value, label);
  graph.valueInfo = [];
  const targets = (graph.node ?? []).filter((node) => node.opType === 'Reshape').map((node) => node.input?.[1] ?? '');
  // A shape may serve several nodes; it is changed once.
  for (const target of new Set(targets)) {
    const tensor = constants.get(target);
    if (tensor !== undefined) openTargetShape(tensor, label);
  }
  return onnxProto.onnx.ModelProto.encode(model).finish();
}

/** Returns the metadata text of an ONNX file under a key. @throws AditError when there is none. */
export function metadataOf(bytes: Uint8Array, key: string): string {
  const found = decode(bytes, 'The graph').metadataProps?.find((entry) => entry.key === key)?.value;
  if (!found) throw conversionError(`The graph says nothing of ${key}`);
  return found;
}

function decode(bytes: Uint8Array, label: string): onnx.IModelProto {
  try {
    return onnxProto.onnx.ModelProto.decode(bytes);
  } catch (cause) {
    throw conversionError(`${label} is not an ONNX model, or is truncated; install the package again`, cause);
  }
}

/** Initializers and Constant nodes by the name other nodes use. */
function constantTensors(graph: onnx.IGraphProto): Map<string, onnx.ITensorProto> {
  const tensors = new Map<string, onnx.ITensorProto>();
  for (const tensor of graph.initializer ?? []) tensors.set(tensor.name ?? '', tensor);
  for (const node of graph.node ?? []) {
    const tensor = node.attribute?.find((attribute) => attribute.name === 'value')?.t;
    if (node.opType === 'Constant' && tensor) tensors.set(node.output?.[0] ?? '', tensor);
  }
  return tensors;
}

function openFirstAxis(value: onnx.IValueInfoProto, label: string): void {
  const dims = value.type?.tensorType?.shape?.dim;
  const first = dims?.[0];
  if (!dims || !first || Number(first.dimValue) !== 1) {
    throw conversionError(`${label}: the first axis of "${value.name ?? ''}" is not a batch of 1`);
  }
  dims[0] = { dimParam: BATCH };
}

function openTargetShape(tensor: onnx.ITensorProto, label: string): void {
  if (tensor.dataType !== INT64 || !tensor.rawData) throw conversionError(`${label}: a target shape is not int64`);
  // A copy, since raw data may be unaligned for int64.
  const shape = new BigInt64Array(Uint8Array.from(tensor.rawData).buffer);
  if (shape[0] === 0n) return;
  if (shape[0] !== 1n) throw conversionError(`${label}: a reshape to ${shape.join('×')} moves the batch`);
  shape[0] = 0n;
  tensor.rawData = new Uint8Array(shape.buffer);
}
