import { dirname } from 'node:path';
import { AditError } from '@adit/contracts';
import { GraphBuilder } from './graph-builder.js';
import { OPS } from './ops/op-table.js';
import { Operation } from './ops/operation.js';
import { conversionError, type ConstantTensor } from './tensor.js';
import { outputsOf, readDocument, TfjsModel, withoutPort, type TfjsNode } from './tfjs-model.js';
import { plain, type GraphValue } from './tfjs-value.js';
import { readWeights } from './weights.js';

/**
 * Converts a TensorFlow.js graph model at `path` (model.json, its shards beside it) to ONNX. Inputs and outputs keep
 * their names and TensorFlow's axis order (N×H×W×C); the first axis is the batch and stays open.
 * @throws AditError naming the op or the file that cannot be converted.
 */
export async function convertTfjsGraph(path: string, name: string): Promise<Uint8Array> {
  const model = await readDocument(path, TfjsModel);
  return buildGraph(model, await readWeights(model.weightsManifest, dirname(path)), name);
}

/** Converts a model and weights in memory. */
export function buildGraph(model: TfjsModel, weights: ReadonlyMap<string, ConstantTensor>, name: string): Uint8Array {
  const graph = new GraphBuilder();
  const outputs = outputsOf(model);
  const values = new Map<string, GraphValue>();
  const valueOf = (reference: string): GraphValue => {
    const value = values.get(reference.replace(/:0$/, ''));
    if (value === undefined) throw conversionError(`${reference} is used before it is computed`);
    return value;
  };
  for (const node of inOrder(
    model,
    outputs.map((output) => output.node),
  )) {
    const converted = [convertNode(graph, node, dataInputs(node).map(valueOf), weights)].flat();
    // The first output goes by the node's name alone, further ones by `name:1`, `name:2`, …
    converted.forEach((value, port) => values.set(port === 0 ? node.name : `${node.name}:${port}`, value));
  }
  for (const output of outputs) {
    const value = valueOf(output.node);
    graph.output(output.name, plain(graph, value), value.shape);
  }
  return graph.toModel(name);
}

function convertNode(
  graph: GraphBuilder,
  node: TfjsNode,
  inputs: readonly GraphValue[],
  weights: ReadonlyMap<string, ConstantTensor>,
): GraphValue | readonly GraphValue[] {
  if (node.op === 'Const') {
    const constant = weights.get(node.name);
    if (constant === undefined) throw conversionError(`the weights of "${node.name}" are missing`);
    return { shape: constant.dims, constant };
  }
  const handler = OPS.get(node.op);
  if (handler === undefined) {
    throw conversionError(
      `the op ${node.op} (node "${node.name}") is not supported; add it to convert/ops/op-table.ts`,
    );
  }
  try {
    return handler(new Operation(graph, node, inputs));
  } catch (error) {
    if (!(error instanceof AditError)) throw error;
    throw conversionError(`${node.op} "${node.name}": ${error.message}`, error);
  }
}

/** Returns the nodes that the outputs need, each after its inputs, in an order that depends on the model alone. */
function inOrder(model: TfjsModel, roots: readonly string[]): TfjsNode[] {
  const byName = new Map(model.modelTopology.node.map((node) => [node.name, node]));
  const ordered = new Set<TfjsNode>();
  const underway = new Set<TfjsNode>();
  const visit = (name: string): void => {
    const node = byName.get(name);
    if (node === undefined) throw conversionError(`the graph names a node "${name}" it does not have`);
    if (ordered.has(node)) return;
    if (underway.has(node)) throw conversionError(`the graph has a cycle through "${name}"`);
    underway.add(node);
    dataInputs(node).map(withoutPort).forEach(visit);
    underway.delete(node);
    ordered.add(node);
  };
  roots.forEach(visit);
  return [...ordered];
}

/** Inputs that carry data; control edges (`^name`) only order side effects. */
function dataInputs(node: TfjsNode): string[] {
  return node.input.filter((reference) => !reference.startsWith('^'));
}
